"""Whatever goes wrong in a chain of engines: turns end in time, nothing is heard twice, no audio is lost."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.audio import AudioChunk
from hub.engines.limits import EngineLimits
from hub.engines.queue import QueuedAsr, QueuedTts
from hub.errors import EngineBusy, EngineError, EngineTimeout, EngineUnavailable
from hub.pipeline.turn import Turn
from hub.testing import Heard, RecordingSpeaker, ScriptedAsr, ScriptedTts, VirtualLoop, tone
from tests.pipeline.rig import Rig, parts_of, recording, telling

pytestmark = pytest.mark.virtual_time
SPEECH = tone(0.5) + tone(0.5, hertz=660)
STORY = "One. Two. Three. Four. Five."
SENTENCES = STORY.split()
LIMITS = EngineLimits(deadline=5, patience=3, cool_down=4, cool_down_longest=20)
LONGEST = 3 * (LIMITS.deadline + LIMITS.patience) * 2
"""Seconds a turn may take to hear with three engines and to speak with three."""

errors = st.sampled_from(
    [
        EngineError("broken"),
        EngineBusy("full"),
        EngineTimeout("late"),
        EngineUnavailable("off"),
        KeyError("bug"),
        TimeoutError(),
    ]
)
delays = st.sampled_from([0.0, 0.0, 0.5, 4.0, 400.0])
hearings = st.builds(
    Heard,
    text=st.just("tell"),
    partials=st.sampled_from([(), ("rubbish",)]),
    delay=delays,
    error=st.none() | errors,
    early=st.booleans(),
)
ears = st.lists(st.lists(hearings, min_size=1, max_size=4), min_size=1, max_size=3)
mouths = st.lists(
    st.tuples(delays, st.dictionaries(st.integers(0, 9), errors, max_size=4), st.booleans()),
    min_size=1,
    max_size=3,
)
pauses = st.lists(st.sampled_from([0.0, 0.0, 1.0, 5.0, 30.0]), min_size=1, max_size=6)


class Tagged(ScriptedTts):
    """A voice whose sound carries which sentence it is: each has a pitch of its own."""

    async def _sound(self, sentences: AsyncIterator[str]) -> AsyncIterator[AudioChunk]:
        mine = -1
        async for sentence in sentences:
            mine += 1
            number = len(self.sentences)
            self.sentences.append(sentence)
            await asyncio.sleep(self.delay)
            half = AudioChunk(bytes([SENTENCES.index(sentence) + 1, 0] * 500), self.format, self._tag(mine))
            yield half
            if number in self.errors:
                raise self.errors[number]
            yield half

    def _tag(self, mine: int) -> int | None:
        return mine if self.is_exact else None


def _heard(speaker: RecordingSpeaker) -> list[int]:
    """Return the number of the sentence of each half that was played."""
    halves = [chunk.pcm for chunk in speaker.chunks if len(chunk.pcm) == 1000]
    return [pcm[-2] - 1 for pcm in halves]


def _run(work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(work)


def _check(turn: Turn, speaker: RecordingSpeaker) -> None:
    assert turn.reason in {"answered", "failed"}
    parts_of(turn)
    assert turn.timeline["total"] <= LONGEST * 1000 + speaker.seconds * 1000
    halves = _heard(speaker)
    assert halves == sorted(halves), "a sentence came back after a later one"
    assert all(halves.count(number) <= 2 for number in halves), "a sentence was said twice"
    for before, after in pairwise(halves):
        assert after - before <= 1, "a sentence that nobody had heard was left out"


@settings(max_examples=60, deadline=None)
@given(ears, mouths, pauses)
def test_turns_end_in_time_and_nothing_is_said_twice_or_lost(
    scripts: list[list[Heard]], voices: list[tuple[float, dict[int, Exception], bool]], waits: list[float]
) -> None:
    async def house() -> None:
        asrs = [ScriptedAsr(script) for script in scripts]
        ttss = [Tagged(delay=delay, errors=faults, is_exact=exact) for delay, faults, exact in voices]
        engines: dict[str, Any] = {f"asr{n}": QueuedAsr(f"asr{n}", asr, LIMITS) for n, asr in enumerate(asrs)}
        engines |= {f"tts{n}": QueuedTts(f"tts{n}", tts, LIMITS) for n, tts in enumerate(ttss)}
        rig = Rig(engines, sentences={"tell": telling(STORY)})
        pipeline = rig.pipeline(
            asr=tuple(f"asr{n}" for n in range(len(asrs))), tts=tuple(f"tts{n}" for n in range(len(ttss)))
        )
        for wait in waits:
            speaker = RecordingSpeaker()
            turn = await rig.run(pipeline, audio=recording(SPEECH), speaker=speaker)
            _check(turn, speaker)
            if turn.transcript is not None:
                number = int(turn.engines["asr"].removeprefix("asr"))
                assert turn.transcript == "tell"
                assert SPEECH in asrs[number].utterances
            assert bool(turn.engines.get("asr")) == (turn.reason == "answered")
            await asyncio.sleep(wait)
        await asyncio.sleep(60)
        assert not any(asr.open for asr in asrs)
        assert not any(tts.open for tts in ttss)
        for front in engines.values():
            if isinstance(front, (QueuedAsr, QueuedTts)):
                assert (front.line.running, front.line.waiting) == (0, 0)

    _run(house())


@settings(max_examples=30, deadline=None)
@given(ears, st.integers(0, 2), st.lists(st.sampled_from([0.0, 0.0, 0.5, 6.0]), min_size=1, max_size=8))
def test_an_engine_that_always_answers_is_never_marked_down(
    scripts: list[list[Heard]], place: int, starts: list[float]
) -> None:
    async def house() -> None:
        asrs: list[ScriptedAsr] = [ScriptedAsr(script) for script in scripts]
        good = ScriptedAsr([Heard(text="tell", delay=1)])
        asrs.insert(min(place, len(asrs)), good)
        fronts = [QueuedAsr(f"asr{n}", asr, LIMITS) for n, asr in enumerate(asrs)]
        rig = Rig({front.name: front for front in fronts}, sentences={"tell": telling(STORY)})
        pipeline = rig.pipeline(asr=tuple(front.name for front in fronts))
        mine = fronts[asrs.index(good)]

        async def turn(start: float) -> None:
            await asyncio.sleep(start)
            told = await rig.run(pipeline, audio=recording(SPEECH))
            busy = any(failure.code == "engine-busy" for failure in told.failures)
            assert told.reason == "answered" or busy
            assert mine.standing.why_down is None

        await asyncio.gather(*map(turn, starts))
        assert mine.facts()["failures"] == 0
        assert all(utterance == SPEECH for utterance in good.utterances)
        await asyncio.sleep(60)

    _run(house())
