"""Waits for the wake word in the audio of a turn, and says where the turn's own audio begins."""

from __future__ import annotations

from array import array
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass

from hub.audio import SPEECH, AudioChunk, FrameCutter
from hub.errors import EngineUnavailable
from hub.events import WakeWordAwaited, WakeWordDetected
from hub.pipeline.context import Wake
from hub.pipeline.feed import BATCH, finished, listened, next_chunk
from hub.pipeline.progress import Progress
from hub.stages.wake import WakeStream
from hub.values.speech import Detection

_STRETCH = 320
"""Samples: 20 ms."""


@dataclass(frozen=True, slots=True)
class Woken:
    """The audio that came since about the end of the wake word."""

    pcm: bytes
    offset: float
    """Seconds of audio before it."""
    told: float
    """Seconds of it up to the moment that told."""


async def woken(progress: Progress, audio: AsyncIterator[AudioChunk]) -> Woken | None:
    """Read until the wake word; None when it was not said. Raises `EngineError`, `AudioError`."""
    name, words = progress.request.wake or "", progress.request.wake_words
    detector = progress.context.engines.wake(name)
    progress.engines["wake"] = name
    progress.watch.switch("wake")
    progress.tell(WakeWordAwaited, engine=name, words=words or detector.words)
    with closing(detector.open(words or detector.words)) as stream:
        wait = _Wait(progress, stream)
        detection = await wait.run(audio)
    progress.watch.switch("capture" if detection else "hub")
    if detection is None:
        return None
    offset = round(detection.samples / SPEECH.rate, 3)
    progress.wake = Wake(word=detection.word, offset=offset)
    progress.tell(WakeWordDetected, engine=name, word=detection.word, offset=offset)
    return wait.since(detection.samples)


def check_wake(progress: Progress) -> None:
    """Raise `EngineUnavailable` when the turn's engine for wake words is not there."""
    if progress.request.wake is None:
        raise EngineUnavailable("a turn that starts at wake needs an engine for wake words")
    progress.context.engines.wake(progress.request.wake)


class _Wait:
    """Keeps what a detector that tells late may still point to."""

    def __init__(self, progress: Progress, stream: WakeStream) -> None:
        self._limits = progress.context.limits
        config = progress.pipeline.segment
        self._before, self._after = _bytes(config.before_wake), _bytes(config.after_wake)
        self._stream = stream
        self._cutter = FrameCutter(stream.frame_samples)
        seconds = self._limits.wake_late if progress.request.is_live else self._limits.wake
        self._most = _bytes(seconds)
        self._kept = bytearray()
        self._dropped = 0
        """Bytes before those that are kept."""

    async def run(self, audio: AsyncIterator[AudioChunk]) -> Detection | None:
        """Read until the word, the end, or the limit."""
        left = self._limits.wake
        while left > 0 and (chunk := await next_chunk(audio, self._limits.audio_gap)) is not None:
            left -= chunk.seconds
            self._keep(chunk.pcm)
            frames = self._cutter.cut(chunk.pcm)
            for start in range(0, len(frames), BATCH):
                if detection := await listened(self._stream, frames[start : start + BATCH]):
                    return detection
        return await finished(self._stream)

    def since(self, samples: int) -> Woken:
        """Return the audio since the quietest moment around so many samples."""
        told = samples * SPEECH.frame_bytes - self._dropped
        first = begin(self._kept, told - self._before, told + self._after)
        pcm = bytes(self._kept[first:])
        return Woken(pcm, SPEECH.seconds(self._dropped + first), SPEECH.seconds(max(0, told - first)))

    def _keep(self, pcm: bytes) -> None:
        self._kept += pcm
        if (excess := len(self._kept) - self._most) > 0:
            del self._kept[:excess]
            self._dropped += excess


def begin(kept: bytes | bytearray, first: int, last: int) -> int:
    """Return the byte at which a command may begin: the quietest moment between the two, as far as kept."""
    first, last = (min(max(at, 0), len(kept)) for at in (first, last))
    return first + quietest(bytes(kept[first:last]))


def quietest(pcm: bytes) -> int:
    """Return where the first of the quietest stretches of 20 ms begins, in bytes; 0 for less."""
    samples = array("h", pcm)
    starts = range(0, len(samples) - _STRETCH + 1, _STRETCH // 2)
    loudness = {start: sum(map(abs, samples[start : start + _STRETCH])) for start in starts}
    return min(loudness, key=loudness.__getitem__, default=0) * SPEECH.frame_bytes


def _bytes(seconds: float) -> int:
    return round(seconds * SPEECH.rate) * SPEECH.frame_bytes
