"""A turn: the function that runs one, and its record."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hub.errors import AudioError
from hub.events import TurnEnded, TurnStarted, plain
from hub.pipeline.act import act
from hub.pipeline.answer import Answer
from hub.pipeline.chime import chime
from hub.pipeline.config import Pipeline
from hub.pipeline.context import STAGES, Engines, TurnContext, TurnInvalid, TurnLimits, TurnRequest, Wake
from hub.pipeline.hear import hear
from hub.pipeline.progress import Failure, Glimpse, Progress, Utterance
from hub.pipeline.say import play, say
from hub.values.intent import Match, Miss, Repaired
from hub.values.tool import Done, Outcome, Refused

__all__ = ["Engines", "Turn", "TurnContext", "TurnInvalid", "TurnLimits", "TurnRequest", "run_turn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a turn came to."""

    id: str
    pipeline: str
    reason: str
    """`acted answered not_understood no_wake_word no_speech transcribed said refused
    awaiting_confirmation failed cancelled`."""
    engines: Mapping[str, str]
    """Which engine did its part, by slot."""
    wake: Wake | None
    """The wake word that was said; None when none was, or none was waited for."""
    utterance: Utterance | None
    """What was found in the audio; None when nobody spoke, or for a text."""
    glimpses: tuple[Glimpse, ...]
    """What was made of the words at each short pause, in order."""
    transcript: str | None
    """What was said, or typed."""
    repaired: Repaired | None
    """The sentence that was understood instead, or asked about; None: the transcript as it is."""
    confidence: float | None
    """How sure the recogniser is of its words, 0 to 1; None: it does not say."""
    match: Match | None
    misses: tuple[Miss, ...]
    """Every recogniser that did not take the sentence, with its reason."""
    outcomes: tuple[Outcome, ...]
    """How the match's calls ended, in order."""
    reply: str
    spoken: str | None
    """What was heard of the reply, to the last word that was played; None: nothing was to be spoken."""
    failures: tuple[Failure, ...]
    """Stages that could not do their part; the turn may have gone on without them."""
    timeline: Mapping[str, float]
    """Milliseconds by owner (`hub.pipeline.timeline`), and their `total`."""

    def record(self) -> dict[str, Any]:
        """Return the turn in its wire form."""
        match = self.match
        return {
            "turn": self.id,
            "pipeline": self.pipeline,
            "reason": self.reason,
            "engines": dict(self.engines),
            "wake": plain(self.wake),
            "utterance": plain(self.utterance),
            "glimpses": [plain(glimpse) for glimpse in self.glimpses],
            "transcript": self.transcript,
            "repaired": plain(self.repaired),
            "confidence": self.confidence,
            "match": match and {key: plain(getattr(match, key)) for key in _OF_A_MATCH},
            "misses": [{key: getattr(miss, key) for key in _OF_A_MISS} for miss in self.misses],
            "calls": [_call_record(outcome) for outcome in self.outcomes],
            "reply": self.reply,
            "spoken": self.spoken,
            "failures": [plain(failure) for failure in self.failures],
            "timeline": dict(self.timeline),
        }


_HEARD = ("wake", "vad", "asr")
"""Stages that take audio."""
_OF_A_MATCH = ("stage", "intent", "slots", "score", "why")
_OF_A_MISS = ("stage", "code", "reason")


async def run_turn(pipeline: Pipeline, request: TurnRequest, context: TurnContext) -> Turn:
    """Run one turn to its end and return its record.

    Raises nothing but `CancelledError`: what fails is told in the record, in `TurnFailed` events and
    to the person.
    """
    language = pipeline.language or request.session.language
    progress = Progress(pipeline=pipeline, request=request, context=context, language=language)
    progress.tell(
        TurnStarted,
        pipeline=pipeline.name,
        start=request.first,
        end=request.last,
        session=request.session.id,
        satellite=request.session.satellite,
    )
    limit = context.limits.turn
    try:
        async with asyncio.timeout(limit) as timer:
            await _run(progress)
    except asyncio.CancelledError:
        progress.reason = "cancelled"
        raise
    except Exception as error:  # noqa: BLE001  a turn always ends with a reason
        if isinstance(error, TimeoutError) and timer.expired():
            error = TimeoutError(f"the turn took longer than {limit:g} s (limits.turn)")
        progress.reply = progress.apology(progress.fail("turn", error))
        progress.reason = "failed"
    finally:
        turn = _ended(progress)
    return turn


def _ended(progress: Progress) -> Turn:
    """Make the record and tell that the turn is over."""
    turn = Turn(
        id=progress.request.id,
        pipeline=progress.pipeline.name,
        reason=progress.reason or "failed",
        engines=progress.engines,
        wake=progress.wake,
        utterance=progress.utterance,
        glimpses=tuple(progress.glimpses),
        transcript=progress.transcript,
        repaired=progress.repaired,
        confidence=progress.confidence,
        match=progress.match,
        misses=progress.misses,
        outcomes=tuple(progress.outcomes),
        reply="" if progress.pipeline.reply == "none" else progress.reply,
        spoken=progress.spoken,
        failures=tuple(progress.failures),
        timeline=progress.watch.record(),
    )
    progress.tell(TurnEnded, reason=turn.reason, record=turn.record())
    return turn


async def _run(progress: Progress) -> None:
    request = progress.request
    try:
        _check(request)
        text = await hear(progress) if request.first in _HEARD else request.text
    except Exception as error:  # noqa: BLE001  whatever a microphone does, the person gets an answer
        stage = "vad" if isinstance(error, AudioError) else progress.stage
        await _apologise(progress, "turn" if isinstance(error, TurnInvalid) else stage, error)
        return
    if text is None:
        is_asleep = request.first == "wake" and progress.wake is None
        progress.reason = "no_wake_word" if is_asleep else "no_speech"
    elif request.last == "asr":
        progress.reason = "transcribed"
    else:
        await _answer(progress, text)


def _check(request: TurnRequest) -> None:
    """Raise `TurnInvalid` for a turn that cannot be run as asked."""
    if request.last in ("wake", "vad") or STAGES.index(request.first) > STAGES.index(request.last):
        raise TurnInvalid(f"a turn cannot start at {request.first} and end at {request.last}")
    if request.first not in _HEARD and request.text is None:
        raise TurnInvalid(f"a turn that starts at {request.first} needs a text")


async def _answer(progress: Progress, text: str) -> None:
    """Act on the words, or just say them, and speak the answer while it still grows."""
    answer = Answer(progress.language)
    if progress.request.first == "tts":
        progress.reply, progress.reason = text, "said"
        answer.write(text)
        answer.end()
        if not await say(progress, answer.sentences) or progress.has_failed("playback"):
            progress.reason = "failed"
        return
    if not _is_spoken(progress):
        await act(progress, text, lambda _: None)
    elif progress.pipeline.reply == "sound":
        await _answer_by_sound(progress, text, answer)
    else:
        async with asyncio.TaskGroup() as group:
            group.create_task(say(progress, answer.sentences), name="voice of a turn")
            try:
                await act(progress, text, answer.write)
            finally:
                answer.end()


async def _answer_by_sound(progress: Progress, text: str, answer: Answer) -> None:
    """Act, then play two notes for a deed and say everything else."""
    await act(progress, text, answer.write)
    answer.end()
    if progress.reason == "acted":
        await play(progress, chime())
    else:
        await say(progress, answer.sentences)


def _is_spoken(progress: Progress) -> bool:
    pipeline = progress.pipeline
    return progress.request.last == "tts" and bool(pipeline.tts) and pipeline.reply in ("speech", "sound")


async def _apologise(progress: Progress, stage: str, error: Exception) -> None:
    """Say honestly that nothing could be heard."""
    progress.reply = progress.apology(progress.fail(stage, error))
    progress.reason = "failed"
    if _is_spoken(progress):
        answer = Answer(progress.language)
        answer.write(progress.reply)
        answer.end()
        await say(progress, answer.sentences)


def _call_record(outcome: Outcome) -> dict[str, Any]:
    """Return a call and how it ended."""
    shown: dict[str, Any] = {
        "tool": outcome.call.tool,
        "args": plain(outcome.call.arguments),
        "targets": list(outcome.targets),
        "ok": isinstance(outcome, Done) and outcome.ok,
        "result": plain(outcome.result) if isinstance(outcome, Done) else None,
    }
    if isinstance(outcome, Done):
        return {**shown, "failed": dict(outcome.failed)} if outcome.failed else shown
    if isinstance(outcome, Refused):
        return {**shown, "code": outcome.code, "message": outcome.reason}
    return {**shown, "code": "pending", "message": outcome.question, "pending": outcome.id}
