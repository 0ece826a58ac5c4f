"""Audio on its way in: a microphone's bounded queue, and the detector's thread."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from hub.audio import AudioChunk
from hub.errors import AudioError, EarnestError, EngineError
from hub.stages.vad import VadStream
from hub.stages.wake import WakeStream
from hub.values.speech import Detection

BATCH = 32
"""Frames a detector gets at once: a second of a recording; a microphone brings one or two."""


class Feed:
    """The hub's side of a microphone: `put` never waits; a turn that is too slow loses the oldest."""

    def __init__(self, seconds: float = 30.0) -> None:
        self._most = seconds
        self._chunks: deque[AudioChunk] = deque()
        self._held = 0.0
        self._is_over = False
        self._arrived = asyncio.Event()
        self.lost = 0.0
        """Seconds of audio that nobody read in time."""

    def put(self, chunk: AudioChunk) -> None:
        """Take a chunk; what comes after the end is dropped."""
        if self._is_over:
            return
        self._chunks.append(chunk)
        self._held += chunk.seconds
        while self._held > self._most and len(self._chunks) > 1:
            old = self._chunks.popleft()
            self._held -= old.seconds
            self.lost += old.seconds
        self._arrived.set()

    def end(self) -> None:
        """Say that no more audio comes; what is held is still read."""
        self._is_over = True
        self._arrived.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AudioChunk:
        while not self._chunks:
            if self._is_over:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        chunk = self._chunks.popleft()
        self._held = self._held - chunk.seconds if self._chunks else 0.0
        return chunk


async def next_chunk(audio: AsyncIterator[AudioChunk], limit: float) -> AudioChunk | None:
    """Return the next chunk, or None after the last; raises `AudioError` when none comes for `limit` s."""
    try:
        async with asyncio.timeout(limit) as timer:
            return await anext(audio, None)
    except TimeoutError:
        if not timer.expired():
            raise
        raise AudioError(f"no audio came for {limit:g} s (limits.audio_gap): is the sender gone?") from None


async def judged(stream: VadStream, frames: Sequence[bytes]) -> list[float]:
    """Return the probability of speech in each frame; the detector works in a thread.

    Raises `EngineError` when it fails.
    """
    return await asyncio.get_running_loop().run_in_executor(None, _judge, stream, frames)


async def listened(stream: WakeStream, frames: Sequence[bytes]) -> Detection | None:
    """Return the wake word that is found first, or None; frames after it are not judged.

    Raises `EngineError` when the detector fails.
    """
    return await asyncio.get_running_loop().run_in_executor(None, _listen, stream, frames)


async def finished(stream: WakeStream) -> Detection | None:
    """Return the wake word in what the detector has got but did not tell yet; raises as `listened`."""
    return await asyncio.get_running_loop().run_in_executor(None, _finish, stream)


def _judge(stream: VadStream, frames: Sequence[bytes]) -> list[float]:
    with _told("the voice activity detector"):
        return [stream.process(frame) for frame in frames]


def _listen(stream: WakeStream, frames: Sequence[bytes]) -> Detection | None:
    with _told("the detector of wake words"):
        return next(filter(None, map(stream.process, frames)), None)


def _finish(stream: WakeStream) -> Detection | None:
    with _told("the detector of wake words"):
        return stream.finish()


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Make an engine's failure of whatever a detector raises."""
    try:
        yield
    except EarnestError:
        raise
    except Exception as error:
        raise EngineError(f"{what} failed: {type(error).__name__}: {error}") from error
