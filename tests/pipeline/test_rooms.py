"""Eight rooms that speak at the same time to one recogniser."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from hub.audio import AudioChunk
from hub.engines.limits import EngineLimits
from hub.engines.queue import QueuedAsr
from hub.pipeline.turn import Turn
from hub.testing import Heard, ScriptedAsr, microphone
from tests.pipeline.rig import Rig, parts_of, telling

pytestmark = pytest.mark.virtual_time
ROOMS = 8
SPEAKS = 1.0
APART = 0.064
"""Seconds between the starts of two rooms: one piece of a microphone's sound."""


async def _turns(limits: EngineLimits, delay: float) -> tuple[list[Turn], list[int]]:
    """Let the rooms speak and return their turns, and the rooms in the order in which they were answered."""
    engine = ScriptedAsr([Heard(text="what time is it", delay=delay)])
    asr = QueuedAsr("whisper", engine, limits)
    rig = Rig({"asr": asr}, {"what time is it": telling("Noon.")})
    answered: list[int] = []

    async def speak(room: int) -> AsyncIterator[AudioChunk]:
        await asyncio.sleep(room * APART)
        async for chunk in microphone((440, SPEAKS)):
            yield chunk

    async def turn(room: int) -> Turn:
        turn = await rig.run(audio=speak(room), start="asr", id=f"room {room}")
        answered.append(room)
        return turn

    turns = await asyncio.gather(*map(turn, range(ROOMS)))
    return turns, answered


async def test_who_has_spoken_first_is_answered_first_and_the_others_see_what_they_waited_for() -> None:
    turns, answered = await _turns(EngineLimits(), delay=0.5)
    assert answered == list(range(ROOMS))
    assert [turn.reason for turn in turns] == ["answered"] * ROOMS
    waits = [parts_of(turn).get("asr_wait", 0) for turn in turns]
    assert waits == pytest.approx([room * (500 - 64) for room in range(ROOMS)], abs=2)
    assert {parts_of(turn)["asr"] for turn in turns} == {500}


async def test_a_slow_recogniser_is_never_called_late_because_of_those_who_wait() -> None:
    limits = EngineLimits(deadline=5.5, patience=60.0)
    turns, answered = await _turns(limits, delay=5.0)
    assert answered == list(range(ROOMS))
    assert [(turn.reason, turn.failures) for turn in turns] == [("answered", ())] * ROOMS
    assert parts_of(turns[-1])["asr_wait"] > 30_000


async def test_where_the_line_is_too_long_the_last_are_told_that_it_is_busy() -> None:
    turns, answered = await _turns(EngineLimits(waiting=4), delay=0.5)
    assert answered[-5:] == [0, 1, 2, 3, 4]
    assert [turn.reason for turn in turns] == ["answered"] * 5 + ["failed"] * 3
    assert {turn.reply for turn in turns[5:]} == {"I'm busy right now. Please try again in a moment."}
    assert {failure.code for turn in turns[5:] for failure in turn.failures} == {"engine-busy"}
