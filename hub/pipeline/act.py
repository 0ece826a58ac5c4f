"""From words to what is done and answered."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Sequence

from hub.errors import EngineDeclined, EngineError, EngineTimeout, EngineUnavailable
from hub.events import IntentRecognized, RecognitionStarted, ReplyGrew
from hub.intents import cascade
from hub.pipeline.mend import DOUBTFUL, mended
from hub.pipeline.progress import Progress
from hub.stages.intents import IntentRecognizer
from hub.values.intent import Match, Miss
from hub.values.session import Session
from hub.values.tool import Done, Outcome, Pending, Refused

Write = Callable[[str], None]
"""`write(text)` takes the answer piece by piece."""


async def act(progress: Progress, text: str, write: Write) -> None:
    """Understand, do, and answer; what fails is told and becomes an honest sentence."""
    progress.transcript = text
    session = dataclasses.replace(progress.request.session, language=progress.language)
    if progress.request.first != "agent":
        progress.tell(RecognitionStarted, text=text)
        await _understand(progress, text, session, write)
    if progress.match:
        await _do(progress, progress.match, text, write)
    elif progress.reason != "failed":
        await _answer_freely(progress, text, session, write)
    progress.tell(
        IntentRecognized,
        match=progress.match,
        misses=progress.misses,
        repaired=progress.repaired,
        reply=progress.reply,
    )


def _answer(progress: Progress, text: str, write: Write) -> None:
    progress.reply = text
    write(text)


def _apologise(progress: Progress, stage: str, error: Exception, write: Write) -> None:
    sentence = progress.apology(progress.fail(stage, error))
    progress.reason = "failed"
    progress.reply = f"{progress.reply} {sentence}".lstrip()
    write(f"\n{sentence}")


async def _answer_freely(progress: Progress, text: str, session: Session, write: Write) -> None:
    """Ask the agent, or say why nothing comes of the sentence."""
    agent, misses = progress.pipeline.agent, progress.misses
    is_doubtful = any(miss.code == DOUBTFUL for miss in misses)
    if agent and not is_doubtful and progress.request.last in ("agent", "tts"):
        await _ask_agent(progress, agent, text, session, write)
    elif misses and all(miss.code == "failed" for miss in misses):
        _apologise(progress, "intents", EngineError(misses[-1].reason), write)
    else:
        progress.reason = "not_understood"
        said = cascade.Understood(None, misses).reply
        _answer(progress, said or progress.say("not_understood" if agent else "no_agent"), write)


async def _understand(progress: Progress, text: str, session: Session, write: Write) -> None:
    with progress.watch.owning("intents"):
        recognizers, missing = _recognizers(progress)
        try:
            async with asyncio.timeout(progress.context.limits.intents):
                understood = await cascade.understand(recognizers, text, session)
                if understood.match is None:
                    missing += understood.misses
                    understood = await mended(progress, recognizers, text, session, missing)
        except Exception as error:  # noqa: BLE001  whatever a recogniser does, the person gets an answer
            _apologise(progress, "intents", error, write)
            return
        progress.match = understood.match
        progress.misses = (*missing, *understood.misses)


def _recognizers(progress: Progress) -> tuple[list[tuple[str, IntentRecognizer]], list[Miss]]:
    """Return the recognisers that are there, by name, and a miss for each that is not."""
    found: list[tuple[str, IntentRecognizer]] = []
    missing: list[Miss] = []
    for name in progress.pipeline.intents:
        try:
            found.append((name, progress.context.engines.intents(name)))
        except EngineUnavailable as error:
            missing.append(Miss(stage=name, code="failed", reason=str(error)))
    return found, missing


async def _do(progress: Progress, match: Match, text: str, write: Write) -> None:
    """Put the match's calls through the door, in order, and word the answer."""
    try:
        with progress.watch.owning("tools"):
            for call in match.calls:
                mine = dataclasses.replace(call, turn=progress.request.id, text=text)
                async with asyncio.timeout(progress.context.limits.tools):
                    progress.outcomes.append(await progress.context.call(mine, progress.request.caller))
        reply = match.respond(progress.outcomes)
    except Exception as error:  # noqa: BLE001  whatever a tool does, the person gets an answer
        _apologise(progress, "tools", error, write)
        return
    progress.reason = reason_of(progress.outcomes)
    _answer(progress, reply, write)


def reason_of(outcomes: Sequence[Outcome]) -> str:
    """Return how a turn with these outcomes ended."""
    if not outcomes:
        return "answered"
    if any(isinstance(outcome, Pending) for outcome in outcomes):
        return "awaiting_confirmation"
    if all(isinstance(outcome, Done) and outcome.ok for outcome in outcomes):
        return "acted"
    return "refused" if any(isinstance(outcome, Refused) for outcome in outcomes) else "failed"


async def _ask_agent(progress: Progress, name: str, text: str, session: Session, write: Write) -> None:
    try:
        with progress.watch.owning("agent"):
            await _stream_answer(progress, name, text, session, write)
    except EngineDeclined as declined:
        _decline(progress, name, str(declined), write)
    except Exception as error:  # noqa: BLE001  whatever an agent does, the person gets an answer
        _apologise(progress, "agent", error, write)
    else:
        progress.reason = "answered"


def _decline(progress: Progress, name: str, said: str, write: Write) -> None:
    """Say what the agent says to a sentence that it does not take, or that nobody understood it."""
    progress.reason = "not_understood"
    miss = Miss(stage=name, code="no-match", reason=said or "the agent does not take it")
    progress.misses = (*progress.misses, miss)
    own = cascade.Understood(None, progress.misses).reply or progress.say("not_understood")
    _answer(progress, said or own, write)


async def _stream_answer(progress: Progress, name: str, text: str, session: Session, write: Write) -> None:
    """Pass the agent's words on as they come; raises `EngineError` and its kinds."""
    limits = progress.context.limits
    progress.engines["agent"] = name
    is_done = False
    async with progress.context.engines.agent(name).answer(text, session) as pieces:
        while (piece := await _next_piece(name, pieces, limits.agent)) is not None:
            is_done = is_done or not piece  # an empty piece is a deed without a word
            piece = piece[: limits.longest_reply - len(progress.reply)]
            progress.tell(ReplyGrew, text=piece, offset=len(progress.reply))
            progress.reply += piece
            write(piece)
            if len(progress.reply) >= limits.longest_reply:
                break
    if not progress.reply.strip():
        if not is_done:
            raise EngineError(f"'{name}' gave no answer")
        _answer(progress, progress.say("done"), write)


async def _next_piece(name: str, pieces: AsyncIterator[str], limit: float) -> str | None:
    """Return the agent's next words, or None after the last; raises `EngineTimeout`."""
    try:
        async with asyncio.timeout(limit) as timer:
            return await anext(pieces, None)
    except TimeoutError as error:
        if not timer.expired():
            raise
        raise EngineTimeout(f"'{name}' said nothing for {limit:g} s (limits.agent)") from error
