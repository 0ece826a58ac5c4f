"""Turns with a sentence that was heard wrong, through the real door of a house."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from hub.bus import Bus
from hub.clock import Clock
from hub.door.policy import Rule
from hub.events import IntentRecognized
from hub.intents.home import HomeIntents
from hub.intents.repair import Repair, RepairLimits
from hub.intents.vocabulary import Vocabulary
from hub.pipeline.config import Pipeline, PipelineConfig
from hub.pipeline.resolve import pipelines
from hub.pipeline.turn import Turn, TurnContext
from hub.states import States
from hub.testing import RecordingSpeaker, ScriptedAgent, ScriptedAsr, ScriptedRecognizer, ScriptedTts, tone
from hub.values.house import Locale
from hub.values.tool import Caller
from tests.door.dwelling import Builder, Door
from tests.pipeline.rig import ENGLISH, Rig, recording, telling

VOICE = Caller(("voice:kitchen",))
NO_BLINDS = Rule(tools=("cover.close_cover",), callers=("voice:*",), then="deny")


class MendingRig(Rig):
    """A rig whose turns are repaired."""

    repair: Repair
    door_of_house: Door

    @property
    def context(self) -> TurnContext:
        return replace(super().context, repair=self.repair, weigh=self.door_of_house.toolbox.weigh)


@pytest.fixture
async def rig(tmp_path: Path, bus: Bus, clock: Clock, states: States) -> AsyncIterator[MendingRig]:
    async with Builder(tmp_path, bus, clock).door(NO_BLINDS) as door:
        home = HomeIntents(door.house, states, clock, Locale())
        rig = MendingRig({"home": home, "tts": ScriptedTts()}, door=door.toolbox.call, bus=bus)
        rig.repair = Repair(Vocabulary(door.house, {}, ENGLISH), RepairLimits())
        rig.door_of_house = door
        yield rig


def done(rig: MendingRig) -> list[tuple[str, str]]:
    return [(thing, action) for thing, action, _ in rig.door_of_house.appliances.done]


async def heard(rig: MendingRig, text: str, **options: object) -> Turn:
    """Run a spoken turn."""
    rig.engines_by_name["asr"] = ScriptedAsr([text])
    speaker = RecordingSpeaker(is_paced=False)
    return await rig.run(rig.pipeline(**options), audio=recording(tone(1)), caller=VOICE, speaker=speaker)


async def test_what_was_heard_stays_and_what_was_meant_stands_beside_it(rig: MendingRig) -> None:
    turn = await heard(rig, "Turn on the kitchen lamb.")
    assert turn.reason == "acted"
    assert done(rig) == [("light.kitchen_lamp", "turn_on")]
    record = turn.record()
    assert record["transcript"] == "Turn on the kitchen lamb."
    assert record["repaired"]["text"] == "Turn on the kitchen lamp."
    assert record["repaired"]["changes"] == [{"heard": "lamb", "meant": "lamp", "score": 0.848}]
    assert [miss["code"] for miss in record["misses"]] == ["unknown-name"]
    told = next(event for event in rig.seen if isinstance(event, IntentRecognized))
    assert told.data()["repaired"] == record["repaired"]
    assert [call.text for call, _ in rig.calls] == ["Turn on the kitchen lamb."]


async def test_typed_text_is_repaired_too(rig: MendingRig) -> None:
    turn = await rig.run(text="turn on the kitchne lamp")
    assert turn.reason == "acted"
    assert turn.repaired is not None


async def test_a_sentence_that_is_understood_has_no_repair(rig: MendingRig) -> None:
    turn = await rig.run(text="turn on the kitchen lamp")
    assert (turn.reason, turn.repaired, turn.misses) == ("acted", None, ())


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("open the garbage door", "open the garage door"),
        ("unlook the front door", "unlock the front door"),
        ("look front door", "lock front door"),
        ("turned on the kitchen lamp", "turn on the kitchen lamp"),
    ],
)
async def test_what_opens_something_is_asked_about_and_not_done(
    rig: MendingRig, text: str, meant: str
) -> None:
    rig.engines_by_name["agent"] = ScriptedAgent(["I open it all."])
    turn = await heard(rig, text)
    assert done(rig) == []
    assert rig.calls == []
    assert (turn.reason, turn.match) == ("not_understood", None)
    assert turn.reply == f"Did you mean “{meant}”? Please say it again."
    assert (turn.misses[-1].stage, turn.misses[-1].code) == ("repair", "doubtful")
    assert turn.repaired is not None
    assert turn.repaired.text == meant


async def test_what_a_rule_denies_is_not_done_either(rig: MendingRig) -> None:
    turn = await heard(rig, "close the blend")
    assert done(rig) == []
    assert rig.calls == []
    assert turn.misses[-1].code == "doubtful"


async def test_a_pipeline_may_go_without_repair(rig: MendingRig) -> None:
    turn = await heard(rig, "turn on the kitchen lamb", repair=False)
    assert (turn.reason, turn.repaired, done(rig)) == ("not_understood", None, [])
    assert turn.reply == "I don't know any device called lamb."


async def test_a_sentence_that_is_no_near_command_goes_to_the_agent_as_it_was_heard(rig: MendingRig) -> None:
    agent = rig.engines_by_name["agent"] = ScriptedAgent(["Paris."])
    turn = await rig.run(text="what is the capital of france")
    assert (turn.reason, turn.reply, turn.repaired) == ("answered", "Paris.", None)
    assert [text for text, _ in agent.asked] == ["what is the capital of france"]


async def test_a_recogniser_that_failed_may_have_understood_so_nothing_is_repaired(rig: MendingRig) -> None:
    turn = await rig.run(rig.pipeline(intents=("gone", "home")), text="turn on the kitchen lamb")
    assert (turn.reason, turn.repaired) == ("not_understood", None)


async def test_what_another_recogniser_takes_is_not_repaired(rig: MendingRig) -> None:
    rig.engines_by_name["other"] = ScriptedRecognizer({"turn on the kitchen lamb": telling("Baa.")})
    turn = await rig.run(rig.pipeline(intents=("home", "other")), text="turn on the kitchen lamb")
    assert (turn.reason, turn.reply, turn.repaired) == ("answered", "Baa.", None)


def test_a_pipeline_repairs_unless_it_or_what_it_inherits_says_otherwise() -> None:
    configs = {
        "a": PipelineConfig(),
        "b": PipelineConfig(repair=False),
        "c": PipelineConfig(inherit="b"),
        "d": PipelineConfig(inherit="b", repair=True),
    }
    found: dict[str, Pipeline] = pipelines(configs)
    assert {name: one.repair for name, one in found.items()} == {"a": True, "b": False, "c": False, "d": True}
