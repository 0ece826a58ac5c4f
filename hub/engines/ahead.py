"""Speech that is made already and not yet played."""

from __future__ import annotations

import asyncio
from collections import deque

from hub.audio import AudioChunk

_DENSEST = 192_000
"""Bytes a second of the densest sound that counts by its length: 48 kHz, 16 bit, stereo."""


class Ahead:
    """A bounded store of chunks between an engine and whoever plays them, so that a long answer
    does not keep its place in the engine's line while it is played."""

    def __init__(self, seconds: float) -> None:
        self._most = seconds
        self._chunks: deque[AudioChunk] = deque()
        self._seconds = 0.0
        self._is_over = False
        self._failure: BaseException | None = None
        self._moved = asyncio.Event()

    async def put(self, chunk: AudioChunk) -> None:
        """Keep the chunk; waits while more than `seconds` are stored."""
        while self._seconds >= self._most:
            await self._wait()
        self._chunks.append(chunk)
        self._seconds += _length(chunk)
        self._moved.set()

    def end(self, failure: BaseException | None = None) -> None:
        """Say that nothing more comes, and why if it was not meant to end."""
        self._is_over = True
        self._failure = failure
        self._moved.set()

    async def take(self) -> AudioChunk:
        """Return the next chunk; raises the failure or `StopAsyncIteration` after the last."""
        while not self._chunks and not self._is_over:
            await self._wait()
        if self._chunks:
            chunk = self._chunks.popleft()
            self._seconds = max(0.0, self._seconds - _length(chunk)) if self._chunks else 0.0
            self._moved.set()
            return chunk
        if self._failure:
            raise self._failure
        raise StopAsyncIteration

    async def _wait(self) -> None:
        self._moved.clear()
        await self._moved.wait()


def _length(chunk: AudioChunk) -> float:
    """Return the seconds that the chunk counts, so that they bound the memory too."""
    return max(chunk.seconds, len(chunk.pcm) / _DENSEST)
