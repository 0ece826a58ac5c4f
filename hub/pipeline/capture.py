"""Finds the utterance in the audio of a turn, while the audio still comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, closing
from dataclasses import replace

from hub.audio import SPEECH, AudioChunk, FrameCutter
from hub.errors import EngineUnavailable
from hub.events import ListeningStarted, SpeechEnded, SpeechStarted, WakeWordDetected
from hub.pipeline.feed import BATCH, judged, next_chunk
from hub.pipeline.foresight import Foresight
from hub.pipeline.progress import Progress, Utterance
from hub.pipeline.segment import Ended, EndReason, Segmenter, Started, Step
from hub.pipeline.tape import Tape
from hub.pipeline.waking import woken
from hub.resample import converted
from hub.stages.vad import VadStream
from hub.values.speech import Transcript


async def capture(progress: Progress, utterance: Tape[AudioChunk], foresight: Foresight) -> Transcript | None:
    """Put the utterance on the tape as it comes, and end the tape when it is over.

    Returns the words of the whole utterance if they are known by then; the tape stays open in that case.
    Raises `AudioError` when the audio cannot be read or stops coming, `EngineError` from the detector.
    """
    try:
        await _listen(progress, utterance, foresight)
        foreseen = await foresight.outcome()
        if foreseen is None:
            utterance.end()
        return foreseen
    finally:
        await foresight.close()


async def _listen(progress: Progress, utterance: Tape[AudioChunk], foresight: Foresight) -> None:
    """Read the audio up to the end of the utterance."""
    source = aiter(progress.request.audio or _nothing())
    try:
        async with aclosing(converted(source)) as audio:
            if progress.request.first == "wake":
                await _wake_and_find(progress, utterance, audio, foresight)
            else:
                await _find(progress, utterance, audio, foresight, _told_before(progress))
    finally:
        close = getattr(source, "aclose", None)
        if close:
            await close()


def _told_before(progress: Progress) -> float | None:
    """Keep and tell the wake word that began the turn; returns the seconds of its audio up to the word."""
    request, woken = progress.request, progress.request.woken
    if woken is None:
        return None
    progress.wake = woken
    engine = progress.engines["wake"] = request.wake or "satellite"
    progress.tell(WakeWordDetected, engine=engine, word=woken.word, offset=woken.offset)
    return woken.offset


async def _wake_and_find(
    progress: Progress, utterance: Tape[AudioChunk], audio: AsyncIterator[AudioChunk], foresight: Foresight
) -> None:
    """Wait for the wake word, and find the utterance in what follows it."""
    told = await woken(progress, audio)
    if told is None:
        return
    progress.stage, progress.skipped = "vad", told.offset
    progress.tell(ListeningStarted, engine=progress.asked["asr"])
    async with aclosing(_after(told.pcm, audio)) as rest:
        await _find(progress, utterance, rest, foresight, told.told)


async def _after(pcm: bytes, audio: AsyncIterator[AudioChunk]) -> AsyncGenerator[AudioChunk]:
    yield AudioChunk(pcm)
    async for chunk in audio:
        yield chunk


async def _find(
    progress: Progress,
    utterance: Tape[AudioChunk],
    audio: AsyncIterator[AudioChunk],
    foresight: Foresight,
    told: float | None = None,
) -> None:
    """Find the utterance; `told` is how many seconds of the audio are up to the wake word, if one was."""
    name = progress.pipeline.vad
    if progress.request.first == "asr" or not name:
        await _take_all(progress, utterance, audio)
        return
    progress.engines["vad"] = name
    with closing(progress.context.engines.vad(name).open()) as stream:
        await _Search(progress, utterance, stream, foresight, told).run(audio)


async def _nothing() -> AsyncIterator[AudioChunk]:
    return
    yield  # makes this function a generator that gives nothing


async def _take_all(
    progress: Progress, utterance: Tape[AudioChunk], audio: AsyncIterator[AudioChunk]
) -> None:
    """Take all audio there is for the utterance."""
    seconds = 0.0
    reason: EndReason = "end-of-audio"
    while (chunk := await next_chunk(audio, progress.context.limits.audio_gap)) is not None:
        if progress.utterance is None:
            _begin(progress, Started(0.0))
        utterance.put(chunk)
        seconds += chunk.seconds
        if seconds >= progress.context.limits.longest_audio:
            reason = "timeout"
            break
    _end(progress, Ended(seconds, reason if progress.utterance else "no-speech"))


def _begin(progress: Progress, started: Started) -> None:
    """Tell that somebody speaks."""
    offset = round(progress.skipped + started.offset, 3)
    progress.utterance = Utterance(begins=offset)
    progress.tell(SpeechStarted, offset=offset)


def _end(progress: Progress, ended: Ended) -> None:
    """Tell that the utterance is over; from now on the time is the recogniser's."""
    offset = round(progress.skipped + ended.offset, 3)
    progress.watch.switch("asr" if progress.utterance else "hub")
    if progress.utterance:
        progress.utterance = replace(progress.utterance, ends=offset, ended_by=ended.reason)
    progress.tell(SpeechEnded, offset=offset, reason=ended.reason)


class _Search:
    """Looks for speech with the pipeline's detector."""

    def __init__(
        self,
        progress: Progress,
        utterance: Tape[AudioChunk],
        stream: VadStream,
        foresight: Foresight,
        told: float | None,
    ) -> None:
        self._progress = progress
        self._utterance = utterance
        self._stream = stream
        self._foresight = foresight
        self._cutter = FrameCutter(stream.frame_samples)
        config = progress.pipeline.segment
        if progress.request.patience is not None:
            config = replace(config, no_speech_timeout=progress.request.patience)
        deaf = 0.0 if told is None else told + config.after_wake
        self._deaf = round(deaf * SPEECH.rate / stream.frame_samples)
        """Frames in which speech may go on but not begin."""
        config = replace(config, pre_roll=max(config.pre_roll, deaf))
        self._segmenter = Segmenter(config, stream.frame_samples, is_live=progress.request.is_live)
        self._now = asyncio.get_running_loop().time
        self._last_sound = self._now()
        """When the last frame of speech was seen."""

    async def run(self, audio: AsyncIterator[AudioChunk]) -> None:
        """Read until the utterance is over, or the audio."""
        limits = self._progress.context.limits
        left = limits.longest_audio
        while left > 0 and (chunk := await next_chunk(audio, limits.audio_gap)) is not None:
            left -= chunk.seconds
            frames = self._cutter.cut(chunk.pcm)
            for start in range(0, len(frames), BATCH):
                if await self._is_over_after(frames[start : start + BATCH]):
                    return
        self._take([self._segmenter.finish(self._cutter.rest)])

    async def _is_over_after(self, frames: list[bytes]) -> bool:
        probabilities = await judged(self._stream, frames)
        deaf = min(self._deaf, len(frames))
        probabilities[:deaf] = [0.0] * deaf
        self._deaf -= deaf
        before = self._segmenter.last_sound
        self._segmenter.enough, self._segmenter.ends_as = self._foresight.enough()
        steps = [self._segmenter.push(*pair) for pair in zip(frames, probabilities, strict=True)]
        if self._segmenter.last_sound > before:
            self._last_sound = self._now()
        return self._take(steps)

    def _take(self, steps: list[Step]) -> bool:
        """Pass on what the frames brought; return whether the utterance is over."""
        for started in (step.started for step in steps if step.started):
            _begin(self._progress, started)
        audio = b"".join(frame for step in steps for frame in step.audio)
        if audio:
            self._utterance.put(AudioChunk(audio))
        ended = next((step.ended for step in steps if step.ended), None)
        if ended is None:
            self._foresight.watch(self._segmenter.silent, self._utterance.items)
            return False
        if self._progress.utterance:
            self._progress.watch.move("capture", "end_of_turn", self._now() - self._last_sound)
        _end(self._progress, ended)
        return True


def check_microphone(progress: Progress) -> None:
    """Raise `EngineUnavailable` for a microphone whose pipeline cannot tell when speech ends."""
    pipeline, is_searched = progress.pipeline, progress.request.first in ("wake", "vad")
    if progress.request.is_live and not (pipeline.vad and is_searched):
        raise EngineUnavailable(f"pipeline '{pipeline.name}' has no vad, which a microphone needs")
    if pipeline.vad and is_searched:
        progress.context.engines.vad(pipeline.vad)
