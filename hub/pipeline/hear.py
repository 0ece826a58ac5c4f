"""From the audio of a turn to its words."""

from __future__ import annotations

import asyncio

from hub.audio import AudioChunk
from hub.engines.queue import waited
from hub.errors import EngineError, EngineTimeout, EngineUnavailable
from hub.events import ListeningStarted, Transcribed, TranscriptChanged
from hub.pipeline.capture import capture, check_microphone
from hub.pipeline.context import TurnInvalid
from hub.pipeline.progress import Progress
from hub.pipeline.tape import Tape
from hub.stages.asr import Asr
from hub.values.speech import Hearing, Transcript


async def hear(progress: Progress) -> str | None:
    """Return what was said, or None when nobody spoke; raises `EarnestError`.

    Each recogniser of the pipeline gets the utterance from its start, while it still grows.
    """
    if progress.request.audio is None:
        raise TurnInvalid(f"a turn that starts at {progress.request.first} needs audio")
    check_microphone(progress)
    progress.stage = "asr"
    recognisers = _found(progress)
    progress.stage = "vad"
    utterance: Tape[AudioChunk] = Tape()
    progress.watch.switch("capture")
    progress.tell(ListeningStarted, engine=recognisers[0][0])
    try:
        async with asyncio.TaskGroup() as group:
            capturing = group.create_task(capture(progress, utterance), name="capture of a turn")
            text = await _recognised(progress, recognisers, utterance)
            capturing.cancel()
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from errors
    finally:
        progress.watch.switch("hub")
    return text


def _found(progress: Progress) -> list[tuple[str, Asr]]:
    """Return the recognisers that are there, by name; raises `EngineUnavailable` for none."""
    missing = EngineUnavailable(f"pipeline '{progress.pipeline.name}' has no asr")
    found: list[tuple[str, Asr]] = []
    for name in progress.pipeline.asr:
        try:
            found.append((name, progress.context.engines.asr(name)))
        except EngineUnavailable as error:
            missing = error
    if not found:
        raise missing
    return found


async def _recognised(
    progress: Progress, recognisers: list[tuple[str, Asr]], utterance: Tape[AudioChunk]
) -> str | None:
    if not await utterance.filled():
        return None
    progress.stage = "asr"
    failed: EngineError | None = None
    for name, asr in recognisers:
        if failed is not None:
            progress.tell(ListeningStarted, engine=name)
        try:
            transcript = await _transcribed(progress, name, asr, utterance)
        except EngineError as error:
            failed = error
            continue
        text = transcript.text.strip()
        progress.transcript, progress.confidence = text, transcript.confidence
        progress.engines["asr"] = name
        progress.tell(Transcribed, text=text, engine=name, confidence=transcript.confidence)
        return text if any(map(str.isalnum, text)) else None
    raise failed or EngineUnavailable("no recogniser was asked")


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
        raise EngineTimeout(f"'{name}' gave no words within {limit:g} s (limits.turns.asr)") from error
    except EngineError:
        raise
    except Exception as error:
        raise EngineError(f"'{name}' failed: {type(error).__name__}: {error}") from error


async def _words(progress: Progress, name: str, asr: Asr, utterance: Tape[AudioChunk]) -> Transcript:
    hearing = Hearing(language=progress.language, phrases=progress.context.vocabulary())
    async with asr.transcribe(utterance.read(), hearing) as transcripts:
        early = 0.0 if utterance.is_over else waited(transcripts)
        async for transcript in transcripts:
            if transcript.final:
                progress.watch.move("asr", "asr_wait", waited(transcripts) - early)
                return transcript
            progress.tell(TranscriptChanged, text=transcript.text)
    raise EngineError(f"'{name}' ended without a transcript")
