"""Whatever its engines do, a turn ends, with a reason, and its time adds up."""

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hub.errors import EngineBusy, EngineError, EngineTimeout, EngineUnavailable
from hub.events import TurnEnded, TurnStarted
from hub.pipeline.turn import Turn
from hub.testing import (
    Heard,
    RecordingSpeaker,
    ScriptedAgent,
    ScriptedAsr,
    ScriptedRecognizer,
    ScriptedTts,
    ScriptedVad,
    ScriptedWake,
    VirtualLoop,
    microphone,
)
from hub.values.intent import Miss
from tests.pipeline.rig import Rig, acting, parts_of, telling

REASONS = {"acted", "answered", "not_understood", "no_wake_word", "no_speech", "failed"}

errors = st.sampled_from(
    [
        EngineError("broken"),
        EngineBusy("full"),
        EngineTimeout("late"),
        EngineUnavailable("off"),
        KeyError("bug"),
    ]
)
delays = st.sampled_from([0.0, 0.0, 0.1, 3.0, 400.0])
heard = st.builds(
    Heard,
    text=st.sampled_from(["on", "is it on", "hello", "", "."]),
    partials=st.sampled_from([(), ("o", "on")]),
    delay=delays,
    error=st.none() | errors,
    early=st.booleans(),
)
rigs = st.fixed_dictionaries(
    {
        "wake": st.builds(
            ScriptedWake,
            st.lists(st.tuples(st.floats(0, 30), st.just("okay_nabu")), max_size=2),
            late=st.sampled_from([0.0, 0.0, 0.5, 40.0]),
        ),
        "vad": st.builds(ScriptedVad, st.lists(st.sampled_from([-1.0, 0.0, 0.4, 0.9]), max_size=200)),
        "asr": st.builds(ScriptedAsr, st.lists(heard, min_size=1, max_size=2)),
        "home": st.builds(
            ScriptedRecognizer,
            st.fixed_dictionaries(
                {
                    "on": st.just(acting()) | errors,
                    "is it on": st.just(telling("Yes. It is. Really.")),
                    "hello": st.just(Miss(stage="home", code="no-match", reason="no")),
                }
            ),
            delay=delays,
        ),
        "agent": st.builds(
            ScriptedAgent,
            st.lists(st.sampled_from(["Hi. You.", ["A. ", "B."], ""]) | errors, min_size=1),
            delay=delays,
        ),
        "tts": st.builds(
            ScriptedTts, delay=delays, errors=st.dictionaries(st.integers(0, 2), errors, max_size=2)
        ),
    }
)


def run(rig: Rig, speaker: RecordingSpeaker, wake: str | None) -> Turn:
    async def turn() -> Turn:
        audio = microphone((440, 25.0))
        return await rig.run(audio=audio, is_live=True, speaker=speaker, wake=wake)

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(turn())


@settings(max_examples=40, deadline=None)
@given(rigs, st.booleans(), st.none() | errors, st.sampled_from([None, "wake", "gone"]))
def test_every_turn_ends_with_a_reason(
    engines: dict[str, Any], has_agent: bool, speaker_error: Exception | None, wake: str | None
) -> None:
    if not has_agent:
        del engines["agent"]
    rig = Rig(engines)
    turn = run(rig, RecordingSpeaker(error=speaker_error), wake)
    assert turn.reason in REASONS
    parts_of(turn)
    assert turn.timeline["total"] <= 900_000
    assert isinstance(rig.seen[0], TurnStarted)
    assert isinstance(rig.seen[-1], TurnEnded)
    assert sum(isinstance(event, TurnEnded) for event in rig.seen) == 1
    assert [event.at for event in rig.told] == sorted(event.at for event in rig.told)
    assert bool(turn.reply) == (turn.reason not in ("no_speech", "no_wake_word"))
    for stage in ("asr", "agent", "tts"):
        assert getattr(engines.get(stage), "open", 0) == 0
    for stage in ("wake", "vad"):
        assert all(stream.is_closed for stream in engines[stage].streams)
