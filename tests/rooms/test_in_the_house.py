"""A satellite in a whole hub, from its YAML to the ledger."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from hub.app import App, running
from hub.events import TurnEnded
from hub.testing.fleet import ScriptedSatellite, Tongue
from hub.values.tool import Caller, Done, Outcome, Refused, Target, ToolCall

HOUSE = """\
areas: {kitchen: }
commands:
  dinner:
    phrases: ["tell everybody that dinner is ready"]
    action: {action: satellite.announce, target: {all: true}, data: {message: Dinner is ready.}}
    reply: I told everybody.
integrations:
  house: {type: demo}
  box: {type: toybox}
pipelines:
  default: {vad: box, asr: box, tts: box, segment: {silence: 0.2}}
satellites:
  kitchen: {source: box, area: kitchen, wake: {engine: box, words: {okay_nabu: default}}, follow_up: never}
"""
TOYBOX = '''\
"""A satellite and the engines that understand it."""

from contextlib import asynccontextmanager
from dataclasses import dataclass

from hub import Provides
from hub.testing import ScriptedSatellite, ScriptedTts, Tongue, TongueAsr, TongueVad, TongueWake


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """None."""


@asynccontextmanager
async def setup(options, context):
    tongue = Tongue()
    toy = ScriptedSatellite(tongue)
    engines = {"vad": TongueVad(tongue), "wake": TongueWake(tongue), "asr": TongueAsr(tongue)}
    with context.offer(Provides(satellites=(toy,))):
        yield Provides(tts=ScriptedTts(seconds_per_character=0.01), **engines)
'''


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return a configuration folder with a satellite."""
    own = tmp_path / "config" / "integrations" / "toybox"
    own.mkdir(parents=True)
    (own / "__init__.py").write_text(TOYBOX, encoding="utf-8")
    (tmp_path / "config" / "earnest.yaml").write_text(HOUSE, encoding="utf-8")
    return tmp_path / "config"


async def _until(hub: App, word: str) -> None:
    async with asyncio.timeout(20):
        while (state := hub.states.get("satellite.kitchen")) is None or state.state != word:
            await asyncio.sleep(0)


async def test_a_satellite_in_a_whole_hub(config: Path, tmp_path: Path) -> None:
    async with running(config, data_dir=tmp_path / "data") as hub:
        await _until(hub, "standby")
        toy = hub.rooms.stations["kitchen"].link
        assert isinstance(toy, ScriptedSatellite)
        tongue: Tongue = toy.microphone.tongue
        toy.hear(tongue.wake(seconds=0.3), tongue.say("turn on the kitchen lights", 0.3))
        await _until(hub, "speaking")
        await _until(hub, "standby")
        lamps = [s for s in hub.states if s.entity_id.startswith("light.") and s.state == "on"]
        assert lamps
        hub.rooms.stations["kitchen"].mute(True, "test")
        await hub.reload()
        assert hub.rooms.stations["kitchen"].link is toy
    (ledger,) = (tmp_path / "data" / "ledger").glob("*.jsonl")
    lines = [json.loads(line) for line in ledger.read_text(encoding="utf-8").splitlines()]
    assert [line["indicator"] for line in lines] == [
        "unavailable",
        "standby",
        "listening",
        "thinking",
        "speaking",
        "standby",
        "muted",
        "off",
    ]
    assert [line["to"] for line in lines[:-1]] == [line["from"] for line in lines[1:]]
    assert (lines[2]["satellite"], lines[2]["reason"]) == ("kitchen", "wake_word")
    assert "kitchen lights" not in ledger.read_text(encoding="utf-8")


async def _asked(hub: App, tool: str, target: Target, **arguments: Any) -> Outcome:
    call = ToolCall(tool=f"satellite.{tool}", arguments=arguments, target=target)
    return await hub.toolbox.call(call, Caller(("cli:test",)))


async def test_the_room_is_asked_through_the_door(config: Path, tmp_path: Path) -> None:
    async with running(config, data_dir=tmp_path / "data") as hub:
        await _until(hub, "standby")
        done = await _asked(hub, "announce", Target(areas=("kitchen",)), message="Dinner is ready.")
        assert isinstance(done, Done)
        assert done.targets == ("satellite.kitchen",)
        assert done.result == {"satellite.kitchen": {"status": "played", "spoken": "Dinner is ready."}}
        await _until(hub, "standby")
        assert await _asked(hub, "mute", Target(everything=True))
        await _until(hub, "muted")
        refused = await _asked(hub, "ask", Target(entities=("kitchen satellite",)), question="Shall I?")
        assert isinstance(refused, Done)
        assert "is muted" in refused.failed["satellite.kitchen"]
        await hub.reload()
        assert hub.house.things["satellite.kitchen"].area == "kitchen"
    async with running(config, data_dir=tmp_path / "data") as hub:
        await _until(hub, "standby")


async def test_who_asks_for_an_announcement_in_its_own_room_does_not_wait_for_it(
    config: Path, tmp_path: Path
) -> None:
    async with running(config, data_dir=tmp_path / "data") as hub:
        await _until(hub, "standby")
        toy = hub.rooms.stations["kitchen"].link
        assert isinstance(toy, ScriptedSatellite)
        tongue: Tongue = toy.microphone.tongue
        with hub.bus.view(TurnEnded) as ended:
            toy.hear(tongue.wake(seconds=0.3), tongue.say("tell everybody that dinner is ready", 0.3))
            turns = [await anext(ended), await anext(ended)]
        spoken = [turn.record["spoken"] for turn in turns if isinstance(turn, TurnEnded)]
        assert spoken == ["I told everybody.", "Dinner is ready."]


async def test_a_question_is_asked_and_answered_through_the_door(config: Path, tmp_path: Path) -> None:
    async with running(config, data_dir=tmp_path / "data") as hub:
        await _until(hub, "standby")
        toy = hub.rooms.stations["kitchen"].link
        assert isinstance(toy, ScriptedSatellite)
        tongue: Tongue = toy.microphone.tongue
        answers: list[Any] = [{"id": "yes", "sentences": ["(yes|sure) [please]"]}]
        asked = asyncio.ensure_future(
            _asked(hub, "ask", Target(everything=True), question="Shall I?", answers=answers)
        )
        await _until(hub, "speaking")
        await _until(hub, "listening")
        toy.hear(tongue.silence(0.2), tongue.say("yes please", 0.4), tongue.silence(1))
        done = await asked
        assert isinstance(done, Done)
        result = {"status": "answered", "sentence": "yes please", "answer": "yes", "slots": {}}
        assert done.result == {"satellite.kitchen": result}
        wrong = await _asked(
            hub, "ask", Target(everything=True), question="Shall I?", answers=[{"id": "yes"}]
        )
        assert isinstance(wrong, Refused)
        assert "sentences" in wrong.reason
