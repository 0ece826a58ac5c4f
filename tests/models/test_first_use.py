"""A hub whose engine needs a model that is not here: it runs on, shows how far it is, and stops at once."""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path
from typing import Any

import pytest

from hub.app import App, running
from hub.errors import EngineUnavailable
from tests.models.household import LISTENER, Household
from tests.models.publisher import Mishap, published, publisher

FILES = {"model.bin": random.Random(3).randbytes(3 << 20)}
BIG = published("big", FILES)
QUICK = "limits: {retry_first: 0.1, health_pause: 0.05}\n"
STOP_SECONDS = 3.0


@pytest.fixture
def house(tmp_path: Path) -> Household:
    return Household(tmp_path, (BIG,))


async def until(hub: App, word: str, percent: int = 0) -> dict[str, Any]:
    """Wait until the listener's state is `word`, and so much is downloaded; returns its attributes."""
    async with asyncio.timeout(20):
        while True:
            state = hub.states.get("integration.listener")
            done = state.attributes.get("downloading", {}).get("percent", 0) if state else 0
            if state and state.state == word and done >= percent:
                return dict(state.attributes)
            await asyncio.sleep(0)


async def test_a_hub_runs_on_while_a_model_comes_and_its_next_start_goes_on_there(house: Household) -> None:
    async with publisher("big", FILES, Mishap("stall", 2_000_000)).serving() as server:
        house.write(server.url, LISTENER + QUICK, stall=60)
        began = time.monotonic()
        async with running(house.config, data_dir=house.folder / "data") as hub:
            assert time.monotonic() - began < hub.config.limits.integrations.start_wait / 2
            await server.stalled.wait()
            facts = await until(hub, "opening", percent=30)
            assert facts["downloading"]["model"] == "big"
            with pytest.raises(EngineUnavailable, match=r"its model 'big' is being downloaded \(\d\d %\)"):
                hub.registry.asr("listener")
            began = time.monotonic()
        assert time.monotonic() - began < STOP_SECONDS
        there = (house.place / "big" / "model.bin.part").stat().st_size
        async with running(house.config, data_dir=house.folder / "data") as hub:
            assert "downloading" not in await until(hub, "open")
        assert server.seen[-1].headers["range"] == f"bytes={there}-"
    assert (house.place / "big" / "model.bin").read_bytes() == FILES["model.bin"]


async def test_a_hub_without_a_network_names_the_command_and_opens_once_it_was_run(house: Household) -> None:
    house.write("http://127.0.0.1:1", LISTENER + QUICK)
    async with running(house.config, data_dir=house.folder / "data") as hub:
        facts = await until(hub, "failed")
        assert str(facts["reason"]).endswith("`earnest models get big` fetches it")
        async with publisher("big", FILES).serving() as server:
            house.write(server.url, LISTENER + QUICK)
            assert (await house.run("models", "get", "big")).code == 0
        await until(hub, "open")


async def test_a_hub_that_may_not_download_asks_nobody(house: Household) -> None:
    async with publisher("big", FILES).serving() as server:
        house.write(server.url, LISTENER + QUICK, download=False)
        async with running(house.config, data_dir=house.folder / "data") as hub:
            facts = await until(hub, "failed")
        assert "downloads are off (models.download)" in str(facts["reason"])
        assert not server.seen


async def test_models_may_lie_in_a_folder_of_ones_own(house: Household) -> None:
    async with publisher("big", FILES).serving() as server:
        house.write(server.url, LISTENER + QUICK, folder="../shared")
        async with running(house.config, data_dir=house.folder / "data") as hub:
            await until(hub, "open")
    assert (house.folder / "shared" / "ears" / "big" / "manifest.json").exists()
    house.write("http://127.0.0.1:1", LISTENER + QUICK, folder=str(house.folder / "shared"), download=False)
    async with running(house.config, data_dir=house.folder / "other") as hub:
        await until(hub, "open")
