"""Turns through the real door, with the real understanding of a house."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hub.bus import Bus
from hub.clock import Clock
from hub.door.policy import Rule
from hub.events import ToolCalled, ToolFinished, TurnEnded
from hub.intents.home import HomeIntents
from hub.states import States
from hub.testing import RecordingSpeaker, ScriptedAsr, ScriptedTts, tone
from hub.values.house import Locale
from hub.values.tool import Caller
from tests.door.dwelling import Builder, Door
from tests.pipeline.rig import Rig, recording

VOICE = Caller(("voice:kitchen",))
NO_LOCKS = Rule(tools=("lock.unlock",), callers=("voice:*",), then="deny")


@dataclass
class Home:
    """A house that understands what is said in it."""

    door: Door
    bus: Bus
    intents: HomeIntents

    def rig(self, heard: str = "") -> Rig:
        engines = {"home": self.intents, "asr": ScriptedAsr([heard]), "tts": ScriptedTts()}
        return Rig(engines, door=self.door.toolbox.call, bus=self.bus)


@pytest.fixture
async def home(tmp_path: Path, bus: Bus, clock: Clock, states: States) -> AsyncIterator[Home]:
    async with Builder(tmp_path, bus, clock).door(NO_LOCKS) as door:
        yield Home(door, bus, HomeIntents(door.house, states, clock, Locale()))


async def test_a_spoken_sentence_moves_a_thing_and_is_answered(home: Home) -> None:
    rig, speaker = home.rig("Turn on the kitchen lamp."), RecordingSpeaker(is_paced=False)
    turn = await rig.run(audio=recording(tone(1)), caller=VOICE, speaker=speaker)
    assert (turn.reason, turn.transcript) == ("acted", "Turn on the kitchen lamp.")
    assert [(thing, action) for thing, action, _ in home.door.appliances.done] == [
        ("light.kitchen_lamp", "turn_on")
    ]
    assert turn.record()["calls"][0]["targets"] == ["light.kitchen_lamp"]
    assert turn.reply
    assert speaker.finished == 1
    called = next(event for event in rig.seen if isinstance(event, ToolCalled))
    assert (called.turn, called.caller) == (turn.id, "voice:kitchen")
    names = rig.names
    assert names.index("intent-start") < names.index("call_service") < names.index("intent-end")


async def test_what_a_rule_forbids_is_refused_with_its_reason(home: Home) -> None:
    rig = home.rig("Unlock the front door")
    turn = await rig.run(audio=recording(tone(1)), caller=VOICE)
    assert turn.reason == "refused"
    assert turn.record()["calls"][0]["code"] == "denied"
    assert home.door.appliances.done == []
    assert turn.reply


async def test_a_cancelled_turn_does_not_cancel_what_a_tool_does(home: Home) -> None:
    hold = home.door.appliances.held["light.kitchen_lamp"] = asyncio.Event()
    rig = home.rig()
    finished = asyncio.Event()
    running = asyncio.create_task(rig.run(text="turn on the kitchen lamp", caller=VOICE))
    await home.door.appliances.begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert isinstance(rig.seen[-1], TurnEnded)
    assert rig.seen[-1].reason == "cancelled"
    with rig.bus.follow(lambda _: finished.set(), ToolFinished):
        hold.set()
        await finished.wait()
    assert [(thing, action) for thing, action, _ in home.door.appliances.done] == [
        ("light.kitchen_lamp", "turn_on")
    ]


async def test_turns_at_once_keep_their_things_apart(home: Home) -> None:
    sentences = {
        "turn on the kitchen lamp": "light.kitchen_lamp",
        "turn on the counter light": "light.counter",
        "turn on the bedside lamp": "light.bedside",
    }
    rigs = [(home.rig(sentence), target) for sentence, target in sentences.items() for _ in range(5)]
    turns = await asyncio.gather(*(rig.run(audio=recording(tone(1))) for rig, _ in rigs))
    assert [turn.record()["calls"][0]["targets"] for turn in turns] == [[target] for _, target in rigs]
