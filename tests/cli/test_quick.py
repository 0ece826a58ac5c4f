"""Whether a hub runs and answers, asked by what watches over it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from hub.cli.client import Client, HubGone
from tests.cli.conftest import House, complaint, make_house


def test_a_hub_that_answers_is_well(hub: House) -> None:
    ended = hub.run("doctor", "--quick")
    assert (ended.returncode, ended.stdout.startswith("ok      hub")) == (0, True)
    assert hub.lines("doctor", "--quick", "--json")[0]["ok"] is True


def test_where_no_hub_runs_none_is_started(folder: Path) -> None:
    house = make_house(folder)
    ended = house.run("doctor", "--quick")
    assert (ended.returncode, complaint(ended)) == (3, "earnest: no hub runs\n")
    assert not house.data.exists()


def test_a_hub_that_hangs_is_not_waited_for(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as hanging:
        hanging.bind(str(folder / "s"))
        hanging.listen()
        with pytest.raises(HubGone, match="does not answer: timed out"):
            Client(folder / "s", patience=0.2).get("/api/")
