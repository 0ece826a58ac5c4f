"""Lets a case happen and tells what came of it."""

from __future__ import annotations

import asyncio
import signal
from array import array
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hub.audio import AudioChunk
from hub.pipeline.turn import Turn
from tests.faults.actor import PIECE
from tests.faults.cases import ANSWER, Case
from tests.faults.house import WHOLE, FaultyHouse, faulty_house

_SIGNALS = {"is killed": signal.SIGKILL, "freezes": signal.SIGSTOP}
"""What can be done to a worker from outside."""
_LINE, _DEADLINE = 1.0, 3.0
"""Seconds that end a call that hangs, and for which the hub waits where the fault is being slow."""
_LOUD = 1_000
"""A sample that is no actor's; the hub's own voice is not asked when the actor's is."""
_PATIENCE = 30.0
"""Seconds in which an engine that is passed over has to come back."""
_OFF = 4.0
"""Seconds for which a worker that is turned off stays so: longer than a turn takes on a busy machine."""
_START = 2.0
"""Seconds for a start that never comes to its end."""


async def happened(case: Case, folder: Path) -> Case:
    """Let it go wrong and return what came of it; the turn after it has to be answered."""
    async with _house(case, folder) as house:
        if case.moment == "while idle":
            await _strike(house, case)
        turn, sound = await _turn(house, case)
        then = house.state(case.engine)
        await _next_turn(house, case)
        word, facts = then if _is_down(then) else house.state(case.engine)
        failed = [failure.message for failure in turn.failures]
        return replace(
            case,
            says=turn.reply,
            sound=sound,
            reason=turn.reason,
            failure="; ".join(failed) or None,
            state=word,
            why=facts.get("reason", facts.get("last_reason")),
        )


def _house(case: Case, folder: Path) -> Any:
    limits, deadline = WHOLE, 20.0
    if case.fault == "hangs":
        limits = replace(WHOLE, start=_START) if case.moment == "at its start" else replace(WHOLE, line=_LINE)
    elif case.fault == "is slow":
        deadline = _DEADLINE
    if case.times > 2:
        limits = replace(WHOLE, cool_down=_OFF)
    cues = () if case.moment in ("while idle", "while audio comes") else (case.cue,) * case.times
    return faulty_house(folder, case.engine, limits, deadline, cues=cues)


async def _next_turn(house: FaultyHouse, case: Case) -> None:
    """See that the turn after it is answered as if nothing had been, by the spare until it is well."""
    house.cue()
    await house.until(lambda: not _is_down(house.state(case.engine)))
    async with asyncio.timeout(_PATIENCE):
        while True:
            turn, sound = await _turn(house, replace(case, moment="never"))
            assert (turn.reason, turn.reply, sound) == ("answered", ANSWER, "all of it")
            if not case.has_spare or house.state(case.engine)[0] == "open":
                break
    await house.until(lambda: house.state(case.engine)[0] == "open")


def _is_down(state: tuple[str, Mapping[str, Any]]) -> bool:
    return state[0] in ("failed", "opening") or "is off" in str(state[1].get("reason"))


async def _turn(house: FaultyHouse, case: Case) -> tuple[Turn, str]:
    if case.engine == "voice":
        turn, played = await house.talk(case.has_spare)
    else:
        turn, played = await house.listen(_audio(house, case), case.has_spare)
    return turn, _worded(house, played, turn)


async def _audio(house: FaultyHouse, case: Case) -> AsyncIterator[AudioChunk]:
    for number in range(10):
        if number == 5 and case.moment == "while audio comes":
            house.process(case.engine).send_signal(_SIGNALS[case.fault])
        yield AudioChunk(bytes(640))


async def _strike(house: FaultyHouse, case: Case) -> None:
    """Do it to an idle worker as often as the case says."""
    for number in range(case.times):
        await house.until(lambda: house.state(case.engine)[1].get("starts") == number + 1)  # noqa: B023
        house.process(case.engine).send_signal(_SIGNALS[case.fault])
        if case.times > 1:
            await house.until(lambda: house.state(case.engine)[1].get("crashes") == number + 1)  # noqa: B023


def _worded(house: FaultyHouse, played: list[AudioChunk], turn: Turn) -> str:
    """Return in words what came to the person's ears."""
    heard = []
    voice = b"".join(chunk.pcm for chunk in played if not chunk.pcm.strip(b"\1\0"))
    if voice:
        heard.append("all of it" if len(voice) == 4 * len(PIECE) else "its beginning")
    if house.hummed:
        heard.append("all of it" if house.hummed == [turn.reply] else " ".join(house.hummed))
    if not house.hummed and any(max(array("h", chunk.pcm), default=0) > _LOUD for chunk in played):
        heard.append("two falling notes")
    return ", then ".join(heard) or "nothing"
