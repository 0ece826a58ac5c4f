import asyncio
import dataclasses
from typing import Any

import pytest

from hub.errors import EngineError, EngineUnavailable, ToolError
from hub.events import IntentRecognized, ReplyGrew, TurnEnded, TurnFailed
from hub.phrases import Phrases
from hub.pipeline.config import Pipeline
from hub.pipeline.turn import TurnLimits, TurnRequest, run_turn
from hub.testing import ScriptedAgent, ScriptedRecognizer, ScriptedTts
from hub.values.intent import Miss
from hub.values.tool import Caller, Done, Outcome, Pending, Refused, ToolCall
from tests.pipeline.rig import CALLER, LAMP, SESSION, Rig, acting, parts_of, telling

pytestmark = pytest.mark.virtual_time


async def test_a_sentence_is_understood_done_and_answered() -> None:
    rig = Rig(sentences={"turn on the lamp": acting()})
    turn = await rig.run(text="Turn on the lamp.")
    assert (turn.reason, turn.reply, turn.transcript) == ("acted", "Turned on the lamp.", "Turn on the lamp.")
    call, caller = rig.calls[0]
    assert (call.tool, call.turn, call.text, caller) == (LAMP.tool, turn.id, "Turn on the lamp.", CALLER)
    assert rig.names == ["run-start", "intent-start", "intent-end", "run-end"]
    assert [event.wire_name for event in rig.told] == rig.names


async def test_the_record_has_the_form_of_the_wire() -> None:
    call = ToolCall(tool="light.turn_on", arguments={"brightness_pct": 40})
    rig = Rig(sentences={"dim the lamp": acting(call)})
    turn = await rig.run(text="dim the lamp", id="t1")
    record = turn.record()
    timeline = record.pop("timeline")
    assert record == {
        "turn": "t1",
        "pipeline": "default",
        "reason": "acted",
        "engines": {},
        "wake": None,
        "utterance": None,
        "glimpses": [],
        "transcript": "dim the lamp",
        "repaired": None,
        "confidence": None,
        "match": {"stage": "home", "intent": "HassTurnOn", "slots": {}, "score": 1.0, "why": ""},
        "misses": [],
        "calls": [
            {
                "tool": "light.turn_on",
                "args": {"brightness_pct": 40},
                "targets": ["light.lamp"],
                "ok": True,
                "result": None,
            }
        ],
        "reply": "Turned on the lamp.",
        "spoken": None,
        "failures": [],
    }
    assert set(timeline) >= {
        "capture",
        "end_of_turn",
        "asr",
        "intents",
        "tools",
        "agent",
        "tts",
        "hub",
        "total",
    }
    ended = rig.seen[-1]
    assert isinstance(ended, TurnEnded)
    assert ended.record == turn.record()


async def test_calls_go_through_the_door_in_their_order() -> None:
    first, second = ToolCall(tool="cover.open_cover"), ToolCall(tool="light.turn_off")
    rig = Rig(sentences={"good morning": acting(first, second)})
    await rig.run(text="good morning")
    assert [call.tool for call, _ in rig.calls] == ["cover.open_cover", "light.turn_off"]


async def test_a_question_is_answered_without_a_call() -> None:
    turn = await Rig(sentences={"is it on": telling("Yes.")}).run(text="is it on")
    assert (turn.reason, turn.reply, turn.outcomes) == ("answered", "Yes.", ())


async def refuse(call: ToolCall, _: Caller) -> Outcome:
    return Refused(call=call, code="denied", reason="not at night")


async def ask_first(call: ToolCall, _: Caller) -> Outcome:
    return Pending(call=call, id="p1", question="Really?", expires=9.0)


async def fail(call: ToolCall, _: Caller) -> Outcome:
    return Done(call=call, ok=False, targets=("light.a",), failed={"light.a": "it is broken"})


@pytest.mark.parametrize(
    ("door", "reason", "shown"),
    [
        (refuse, "refused", {"ok": False, "code": "denied", "message": "not at night"}),
        (ask_first, "awaiting_confirmation", {"ok": False, "pending": "p1", "message": "Really?"}),
        (fail, "failed", {"ok": False, "failed": {"light.a": "it is broken"}}),
    ],
)
async def test_how_the_door_answers_is_the_reason(
    door: object, reason: str, shown: dict[str, object]
) -> None:
    rig = Rig(sentences={"unlock": acting(reply="what became of it")}, door=door)  # type: ignore[arg-type]
    turn = await rig.run(text="unlock")
    assert (turn.reason, turn.reply) == (reason, "what became of it")
    assert turn.record()["calls"][0].items() >= shown.items()


async def test_without_an_agent_what_nobody_understood_says_so() -> None:
    turn = await Rig().run(text="sing me a song")
    assert turn.reason == "not_understood"
    assert turn.reply == "I didn't understand that, and no agent is configured to ask."
    assert turn.record()["misses"] == [
        {"stage": "home", "code": "no-match", "reason": "it is not in the script"}
    ]


async def test_a_recognisers_own_words_for_a_miss_are_said() -> None:
    miss = Miss(stage="home", code="unknown-name", reason="no such name", reply="I don't know any Bob.")
    turn = await Rig(sentences={"turn on bob": miss}).run(text="turn on bob")
    assert (turn.reason, turn.reply) == ("not_understood", "I don't know any Bob.")


async def test_an_agent_answers_what_nobody_understood_and_its_words_grow() -> None:
    rig = Rig({"agent": ScriptedAgent([["Once ", "upon ", "a time."]], delay=1)})
    turn = await rig.run(text="tell me a story")
    assert (turn.reason, turn.reply, turn.match) == ("answered", "Once upon a time.", None)
    grew = [event for event in rig.seen if isinstance(event, ReplyGrew)]
    assert [(event.text, event.offset) for event in grew] == [("Once ", 0), ("upon ", 5), ("a time.", 10)]
    assert [miss.stage for miss in turn.misses] == ["home"]
    assert parts_of(turn) == {"agent": 3000}


async def test_what_a_recogniser_took_is_not_asked_of_the_agent() -> None:
    agent = ScriptedAgent(["no"])
    await Rig({"agent": agent}, sentences={"stop": acting()}).run(text="stop")
    assert agent.asked == []


async def test_a_turn_that_ends_at_intents_does_not_ask_the_agent() -> None:
    agent = ScriptedAgent(["no"])
    turn = await Rig({"agent": agent}).run(text="hello", end="intents")
    assert (turn.reason, turn.reply, agent.asked) == ("not_understood", "I didn't understand that.", [])


async def test_a_turn_may_start_at_the_agent() -> None:
    rig = Rig({"agent": ScriptedAgent(["Hello."])}, sentences={"hello": telling("no")})
    turn = await rig.run(text="hello", start="agent")
    assert (turn.reason, turn.reply) == ("answered", "Hello.")
    assert "intent-start" not in rig.names


async def test_an_answer_without_end_is_stopped() -> None:
    rig = Rig({"agent": ScriptedAgent([["word "] * 10_000])}, limits=TurnLimits(longest_reply=100))
    turn = await rig.run(text="go on")
    assert len(turn.reply) == 100
    assert turn.reason == "answered"


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (EngineUnavailable("it is off"), "My assistant isn't there right now."),
        (ValueError("a bug"), "Something went wrong."),
        ("   ", "My assistant isn't working right now."),
    ],
)
async def test_an_agent_that_fails_says_so(answer: str | Exception, reply: str) -> None:
    rig = Rig({"agent": ScriptedAgent([answer])})
    turn = await rig.run(text="hello")
    assert (turn.reason, turn.reply.strip()) == ("failed", reply)
    assert [event.stage for event in rig.seen if isinstance(event, TurnFailed)] == ["agent"]


async def test_an_agent_that_is_silent_is_given_up() -> None:
    agent = ScriptedAgent([["Well, ", "never."]], delay=31)
    turn = await Rig({"agent": agent}).run(text="hello")
    assert (turn.reason, turn.reply) == ("failed", "That took too long.")
    assert turn.failures[0].code == "engine-timeout"
    assert agent.open == 0


async def test_an_agent_that_is_not_there_says_so() -> None:
    turn = await Rig().run(Pipeline(intents=("home",), agent="ollama"), text="hello")
    assert turn.reply == "My assistant isn't there right now."


async def test_a_recogniser_that_is_not_there_is_a_miss() -> None:
    rig = Rig(sentences={"hello": telling("Hi.")})
    turn = await rig.run(Pipeline(intents=("gone", "home")), text="hello")
    assert turn.reply == "Hi."
    assert [(miss.stage, miss.code) for miss in turn.misses] == [("gone", "failed")]


async def test_recognisers_that_take_too_long_are_given_up() -> None:
    rig = Rig({"home": ScriptedRecognizer(delay=60)})
    turn = await rig.run(text="hello")
    assert (turn.reason, turn.reply) == ("failed", "That took too long.")
    assert parts_of(turn) == {"intents": 10_000}


async def test_a_tool_that_fails_hard_is_told() -> None:
    async def door(_: ToolCall, __: Caller) -> Outcome:
        raise ToolError("the bridge is off")

    rig = Rig(sentences={"on": acting()}, door=door)
    turn = await rig.run(text="on")
    assert (turn.reason, turn.reply) == ("failed", "Something went wrong: the bridge is off")
    assert [event.stage for event in rig.seen if isinstance(event, TurnFailed)] == ["tools"]


async def test_a_tool_that_hangs_does_not_hold_the_turn() -> None:
    async def door(_: ToolCall, __: Caller) -> Outcome:
        await asyncio.Event().wait()
        raise AssertionError

    turn = await Rig(sentences={"on": acting()}, door=door).run(text="on")
    assert (turn.reason, turn.reply) == ("failed", "That took too long.")
    assert parts_of(turn) == {"tools": 120_000}


async def test_the_whole_turn_has_a_limit() -> None:
    rig = Rig({"agent": ScriptedAgent([["word. "] * 100], delay=20)}, limits=TurnLimits(turn=100))
    turn = await rig.run(text="hello")
    assert turn.reason == "failed"
    assert turn.failures[0].message == "the turn took longer than 100 s (limits.turn)"
    assert turn.timeline["total"] == 100_000


async def test_a_cancelled_turn_ends_as_cancelled() -> None:
    agent = ScriptedAgent([["never"]], delay=10)
    rig = Rig({"agent": agent, "tts": ScriptedTts()})
    running = asyncio.create_task(rig.run(text="hello"))
    await asyncio.sleep(5)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    ended = rig.seen[-1]
    assert isinstance(ended, TurnEnded)
    assert (ended.reason, ended.record["reason"]) == ("cancelled", "cancelled")
    assert agent.open == 0


async def test_a_broken_phrase_file_leaves_nobody_without_a_word() -> None:
    rig = Rig({"agent": ScriptedAgent([EngineError("off")])})
    broken = dataclasses.replace(rig.context, phrases=_no_phrases)
    turn = await run_turn(rig.pipeline(), TurnRequest(session=SESSION, caller=CALLER, text="hi"), broken)
    assert (turn.reason, turn.reply) == ("failed", "Something went wrong.")


def _no_phrases(language: str) -> Phrases:
    raise KeyError(language)


async def test_a_listener_that_fails_does_not_hurt_the_turn(caplog: pytest.LogCaptureFixture) -> None:
    def listener(_: object) -> None:
        raise ValueError("a bug")

    turn = await Rig(sentences={"on": acting()}).run(text="on", listener=listener)
    assert turn.reason == "acted"
    assert "the listener of turn" in caplog.text


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"text": "a", "start": "tts", "end": "intents"}, "cannot start at tts and end at intents"),
        ({"text": "a", "end": "asr"}, "cannot start at intents and end at asr"),
        ({"end": "vad", "start": "vad"}, "cannot start at vad and end at vad"),
        ({"text": None}, "a turn that starts at intents needs a text"),
        ({"start": "asr"}, "a turn that starts at asr needs audio"),
    ],
)
async def test_a_turn_that_cannot_be_run_says_why(asked: dict[str, Any], message: str) -> None:
    turn = await Rig().run(**asked)
    assert turn.reason == "failed"
    assert turn.failures[0].code == "turn-invalid"
    assert message in turn.failures[0].message


async def test_the_language_of_the_pipeline_is_the_language_of_the_turn() -> None:
    recogniser, tts = ScriptedRecognizer({"hallo": telling("Guten Tag.")}), ScriptedTts()
    rig = Rig({"home": recogniser, "tts": tts})
    await rig.run(rig.pipeline(language="de"), text="hallo")
    assert recogniser.asked[0][1].language == "de"
    assert tts.languages == ["de"]


async def test_reply_none_leaves_the_answer_out() -> None:
    rig = Rig({"tts": ScriptedTts()}, sentences={"on": acting()})
    turn = await rig.run(rig.pipeline(reply="none"), text="on")
    assert (turn.reason, turn.reply) == ("acted", "")
    assert "tts-start" not in rig.names


async def test_when_every_recogniser_fails_the_person_is_told() -> None:
    rig = Rig(sentences={"on": EngineError("the index is broken")})
    turn = await rig.run(text="on")
    assert (turn.reason, turn.reply) == ("failed", "My understanding of sentences isn't working right now.")
    assert isinstance(rig.seen[-2], IntentRecognized)


async def test_the_agent_helps_out_when_every_recogniser_fails() -> None:
    rig = Rig({"agent": ScriptedAgent(["Hi."])}, sentences={"hello": EngineError("the index is broken")})
    turn = await rig.run(text="hello")
    assert (turn.reason, turn.reply, turn.failures) == ("answered", "Hi.", ())
