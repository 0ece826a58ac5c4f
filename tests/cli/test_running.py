"""Starting, reloading, stopping and dying, as whoever looks after the machine does it."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

from tests.cli.conftest import HOUSE, PATIENCE, House, complaint, make_house, started
from tests.cli.viewer import watching

STOP_SECONDS = 3.0
"""How long a hub may take to end its turns and go."""
CLINGING = '''
"""Leaves a thread and a task that will not end."""

import asyncio
import threading
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from hub import Provides


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """None."""


async def stay():
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()


@asynccontextmanager
async def setup(options, context):
    threading.Thread(target=threading.Event().wait, name="the deaf one").start()
    task = asyncio.create_task(stay(), name="the one that stays")
    yield Provides()
    assert task
'''


def test_a_good_configuration_is_good_and_a_bad_one_tells_all_at_once(folder: Path) -> None:
    house = make_house(folder)
    assert house.run("check").returncode == 0
    (house.config / "earnest.yaml").write_text(
        HOUSE.replace("demo", "dmeo").replace("asr: away", "asr: awway")
    )
    ended = house.run("check")
    assert ended.returncode == 2
    first, second = ended.stdout.splitlines()
    assert first.startswith("earnest.yaml:3:17: integrations.rooms.type: ")
    assert "did you mean 'demo'?" in first
    assert "did you mean 'away'?" in second
    told = house.lines("check", "--json")
    assert (told[0]["line"], told[0]["path"]) == (3, "integrations.rooms.type")
    assert house.run("run").returncode == 2


def test_a_verb_starts_a_hub_for_itself_where_none_runs(folder: Path) -> None:
    ended = make_house(folder).run("ask", "turn on the kitchen lamp")
    assert ended.returncode == 0
    assert "no hub runs; starting one for this call" in ended.stderr


def test_a_hub_reloads_refuses_a_second_one_and_stops_in_time(folder: Path) -> None:
    house = make_house(folder)
    with started(house) as process:
        second = house.run("run")
        assert second.returncode == 2
        assert str(process.pid) in second.stderr
        (house.config / "earnest.yaml").write_text(
            HOUSE + "things:\n  light.kitchen_lamp: {name: Hob light}\n"
        )
        assert house.run("reload").returncode == 0
        assert house.run("ask", "turn on the hob light").returncode == 0
        (house.config / "earnest.yaml").write_text("nonsense: 1\n")
        bad = house.run("reload")
        assert (bad.returncode, "earnest.yaml:1:1: nonsense" in bad.stderr) == (2, True)
        assert house.run("ask", "turn off the hob light").returncode == 0
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_SECONDS) == 0


def test_a_hub_ends_in_time_whatever_an_integration_left_running(folder: Path) -> None:
    house = make_house(folder)
    own = house.config / "integrations" / "clinging"
    own.mkdir()
    (own / "__init__.py").write_text(CLINGING)
    (house.config / "earnest.yaml").write_text(
        "limits: {leave_timeout: 0.2}\n"
        + HOUSE.replace("integrations:\n", "integrations:\n  clinging: {type: clinging}\n")
    )
    with started(house) as process:
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=STOP_SECONDS)
        assert (process.returncode, "Earnest has stopped.\n" in out) == (0, True)
        assert "task 'the one that stays'" in err
        assert "thread 'the deaf one'" in err


def test_ctrl_c_ends_a_hub_and_a_viewer_sees_it_end(folder: Path) -> None:
    house = make_house(folder)
    with started(house) as process, watching(house) as viewer:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=STOP_SECONDS)
        assert (process.returncode, "Earnest has stopped.\n" in out) == (0, True)
        assert "Traceback" not in err
        viewer.communicate(timeout=PATIENCE)
        assert viewer.returncode == 0


def test_a_viewer_of_a_hub_that_was_killed_says_that_it_is_gone(folder: Path) -> None:
    house = make_house(folder)
    with started(house) as process, watching(house) as viewer:
        process.kill()
        _, err = viewer.communicate(timeout=PATIENCE)
        assert viewer.returncode == 3
        assert "the hub went away" in err


def test_a_bad_configuration_at_sighup_changes_nothing(folder: Path) -> None:
    house = make_house(folder)
    with started(house) as process:
        (house.config / "earnest.yaml").write_text("nonsense: 1\n")
        process.send_signal(signal.SIGHUP)
        assert process.stderr
        assert any("nothing changed" in line for line in process.stderr)
        assert "earnest.yaml:1:1: nonsense" in process.stderr.readline()
        assert house.run("ask", "turn on the kitchen lamp").returncode == 0


def test_a_reload_needs_a_hub(folder: Path) -> None:
    ended = make_house(folder).run("reload")
    assert ended.returncode == 3
    assert "no hub runs" in complaint(ended)


def test_the_doctor_of_a_healthy_house_ends_with_0(folder: Path) -> None:
    healthy = re.sub(r"^  (deaf|broken|away): .*\n", "", HOUSE, flags=re.M)
    ended = make_house(folder, healthy).run("doctor")
    assert ended.returncode == 0
    assert "turn by voice" in ended.stdout
    assert all(line.startswith("ok ") for line in ended.stdout.splitlines())


def test_a_check_makes_no_data_and_misses_the_file_that_is_not_there(folder: Path) -> None:
    house = make_house(folder)
    assert house.lines("check", "--json") == [{"ok": True}]
    assert not house.data.exists()
    (house.config / "earnest.yaml").unlink()
    ended = house.run("check")
    assert (ended.returncode, "earnest.yaml" in ended.stdout) == (2, True)


def test_sighup_reads_the_configuration_anew(folder: Path) -> None:
    house = make_house(folder)
    with started(house, "--log", "info") as process:
        (house.config / "earnest.yaml").write_text(
            HOUSE + "things:\n  light.kitchen_lamp: {name: Hob light}\n"
        )
        process.send_signal(signal.SIGHUP)
        assert process.stderr
        assert any("was read anew" in line for line in process.stderr)
        assert house.run("ask", "turn on the hob light").returncode == 0


def test_a_hub_that_was_killed_leaves_nothing_that_keeps_the_next_from_starting(folder: Path) -> None:
    house = make_house(folder)
    with started(house) as process:
        house.run("ask", "turn on the kitchen lamp")
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
    with started(house):
        assert house.run("ask", "what time is it").returncode == 0


def test_a_data_folder_that_cannot_be_made_is_told_in_one_line(folder: Path) -> None:
    house = make_house(folder)
    (folder / "file").write_text("in the way")
    for verb in (("ask", "what time is it"), ("run",)):
        ended = House(house.config, folder / "file" / "data").run(*verb)
        assert ended.returncode == 2, ended.stderr
        told = [line for line in ended.stderr.splitlines() if "no hub runs" not in line]
        assert len(told) == 1
        assert "the data folder" in told[0]
        assert "choose another with --data" in told[0]
