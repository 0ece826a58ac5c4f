"""From the audio of a turn to its words."""

from __future__ import annotations

import asyncio

from hub.audio import AudioChunk
from hub.engines.queue import QueuedAsr, waited
from hub.errors import EngineError, EngineTimeout, EngineUnavailable
from hub.events import ListeningStarted, Transcribed, TranscriptChanged
from hub.pipeline.capture import capture, check_microphone
from hub.pipeline.chain import Chain
from hub.pipeline.context import TurnInvalid
from hub.pipeline.foresight import Foresight
from hub.pipeline.progress import Progress
from hub.pipeline.tape import Tape
from hub.pipeline.waking import check_wake
from hub.stages.asr import Asr
from hub.values.speech import Hearing, Transcript


async def hear(progress: Progress) -> str | None:
    """Return what was said, or None when nobody spoke or woke the turn; raises `EarnestError`.

    Each recogniser of the pipeline gets the utterance from its start, while it still grows; one that
    is down gets a copy when it is time to try it, and nobody waits for what it makes of it.
    """
    if progress.request.audio is None:
        raise TurnInvalid(f"a turn that starts at {progress.request.first} needs audio")
    check_microphone(progress)
    progress.stage = "asr"
    recognisers = Chain(progress, "asr", progress.context.engines.asr)
    first = recognisers.take()
    assert first
    progress.stage = "vad"
    if progress.request.first == "wake":
        progress.stage = "wake"
        check_wake(progress)
    utterance: Tape[AudioChunk] = Tape()
    progress.watch.switch("capture")
    if progress.stage != "wake":
        progress.tell(ListeningStarted, engine=first[0])
    foresight = Foresight(progress, *first, _hearing(progress))
    try:
        async with asyncio.TaskGroup() as group:
            capturing = group.create_task(capture(progress, utterance, foresight), name="capture of a turn")
            hearing = group.create_task(
                _recognised(progress, first, recognisers, utterance), name="words of a turn"
            )
            await asyncio.wait((capturing, hearing), return_when=asyncio.FIRST_COMPLETED)
            foreseen = _foreseen(capturing)
            if foreseen is None:
                transcript = await hearing
                capturing.cancel()
            else:
                hearing.cancel()
                transcript = (first[0], foreseen)
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from errors
    finally:
        utterance.end()
        progress.watch.switch("hub")
    return _taken(progress, *transcript) if transcript else None


def _foreseen(capturing: asyncio.Task[Transcript | None]) -> Transcript | None:
    """Return the words that were known when the utterance was over, if any were."""
    is_whole = capturing.done() and not capturing.cancelled() and capturing.exception() is None
    return capturing.result() if is_whole else None


async def _recognised(
    progress: Progress, link: tuple[str, Asr] | None, chain: Chain[Asr], utterance: Tape[AudioChunk]
) -> tuple[str, Transcript] | None:
    """Return the words of the first recogniser that gives any, with its name; raises what the last raised."""
    if not await utterance.filled():
        return None
    progress.stage = "asr"
    _try_the_resting(progress, chain, utterance)
    while link:
        name, asr = link
        try:
            transcript = await _transcribed(progress, name, asr, utterance)
        except EngineError as error:
            if not chain.has_more:
                raise
            progress.pass_over("asr", name, error)
            if link := chain.take():
                progress.tell(ListeningStarted, engine=link[0])
        else:
            return name, transcript
    raise EngineUnavailable("no recogniser was asked")


def _taken(progress: Progress, name: str, transcript: Transcript) -> str | None:
    """Keep and tell the final words; None when they are none."""
    text = transcript.text.strip()
    progress.transcript, progress.confidence = text, transcript.confidence
    progress.engines["asr"] = name
    progress.tell(Transcribed, text=text, engine=name, confidence=transcript.confidence)
    return text if any(map(str.isalnum, text)) else None


def _try_the_resting(progress: Progress, chain: Chain[Asr], utterance: Tape[AudioChunk]) -> None:
    for resting in chain.resting():
        if isinstance(resting, QueuedAsr):
            resting.rehearse(utterance.read(), _hearing(progress))


async def _transcribed(progress: Progress, name: str, asr: Asr, utterance: Tape[AudioChunk]) -> Transcript:
    """Return the final words of one recogniser; raises `EngineError` and its kinds."""
    limit = progress.context.limits.asr
    try:
        async with asyncio.timeout(None) as timer:
            clock = asyncio.get_running_loop().time
            with utterance.when_over(lambda: timer.reschedule(clock() + limit)):
                return await _words(progress, name, asr, utterance)
    except TimeoutError as error:
        if not timer.expired():
            raise EngineTimeout(f"'{name}' took too long") from error
        raise EngineTimeout(f"'{name}' gave no words within {limit:g} s (limits.asr)") from error
    except EngineError:
        raise
    except Exception as error:
        raise EngineError(f"'{name}' failed: {type(error).__name__}: {error}") from error


async def _words(progress: Progress, name: str, asr: Asr, utterance: Tape[AudioChunk]) -> Transcript:
    stream = asr.transcribe(utterance.read(), _hearing(progress))
    early = 0.0
    try:
        async with stream as transcripts:
            early = 0.0 if utterance.is_over else waited(stream)
            async for transcript in transcripts:
                if transcript.final:
                    return transcript
                progress.heard_so_far = transcript.text
                progress.tell(TranscriptChanged, text=transcript.text)
    finally:
        progress.watch.move("asr", "asr_wait", waited(stream) - early)
    raise EngineError(f"'{name}' ended without a transcript")


def _hearing(progress: Progress) -> Hearing:
    return Hearing(language=progress.language, phrases=progress.context.vocabulary())
