"""The starter house does what its own files say, without its speech engines."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hub.app import App, running
from hub.pipeline.context import TurnRequest
from hub.pipeline.turn import Turn
from hub.values.session import Session
from hub.values.tool import Caller

STARTER = Path(__file__).parents[1] / "config"

SAID = (
    ("good night", ("light.turn_off", "cover.close_cover", "lock.lock"), "front door is locked"),
    ("I'm going to bed", ("light.turn_off", "cover.close_cover", "lock.lock"), "Good night"),
    ("make the lounge cosy", ("light.turn_on",), "Cosy"),
    ("Make the bedroom cosy.", ("light.turn_on",), "Cosy"),
    ("movie time", ("cover.close_cover", "light.turn_on"), "Enjoy"),
    ("movie time at 40 percent", ("cover.close_cover", "light.turn_on"), "Enjoy"),
    ("turn on the kitchen lights", ("light.turn_on",), "Turned on the lights"),
    ("turn on the floor lamp", ("light.turn_on",), "Turned on"),
    ("turn off the lights upstairs", ("light.turn_off",), "Turned off"),
    ("add milk to my shopping list", ("todo.add_item",), "milk"),
    ("is the front door locked", (), "Yes"),
)


@pytest.fixture
async def hub(tmp_path: Path) -> AsyncIterator[App]:
    config = tmp_path / "config"
    shutil.copytree(STARTER, config)
    house = (config / "earnest.yaml").read_text(encoding="utf-8")
    quiet = re.sub(r"^  (whisper|voice|silero|words): .*\n", "", house, flags=re.M)
    quiet = re.sub(r"vad: silero, asr: whisper, (.*), tts: voice", r"\1", quiet)
    (config / "earnest.yaml").write_text(quiet, encoding="utf-8")
    async with running(config, data_dir=tmp_path / "data") as app:
        yield app


async def say(hub: App, text: str, link: str = "cli:test") -> Turn:
    session = Session(id="starter", area="living_room")
    return await hub.turn(TurnRequest(session=session, caller=Caller((link,)), text=text))


async def test_its_sentences_are_understood_and_done(hub: App) -> None:
    for text, tools, reply in SAID:
        record = (await say(hub, text)).record()
        assert tuple(call["tool"] for call in record["calls"]) == tools, text
        assert all(call["ok"] for call in record["calls"]), record["calls"]
        assert reply in record["reply"], text


async def test_a_level_that_is_said_is_used(hub: App) -> None:
    await say(hub, "movie time at 40 percent")
    state = hub.states.get("light.reading_lamp")
    assert state is not None
    assert state.attributes["brightness"] == pytest.approx(255 * 0.4, abs=1)


@pytest.mark.parametrize("text", ["open the garage door", "unlock the front door"])
async def test_what_is_dangerous_is_not_done_by_voice(hub: App, text: str) -> None:
    record = (await say(hub, text, "voice:living_room")).record()
    assert not any(call["ok"] for call in record["calls"])
    states = {name: hub.states.get(name) for name in ("cover.garage_door", "lock.front_door")}
    assert {name: state.state for name, state in states.items() if state} == {
        "cover.garage_door": "closed",
        "lock.front_door": "locked",
    }
    assert all(call["ok"] for call in (await say(hub, text)).record()["calls"])
