"""One read of a microphone for many listeners, each behind the indicator's gate."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager
from typing import Self

from hub.audio import SPEECH, AudioChunk
from hub.errors import AudioError
from hub.pipeline.feed import Feed
from hub.resample import converted
from hub.rooms.indicator import Indicator, Use
from hub.stages.microphone import Microphone

_GAP = 1.0
"""Seconds without sound after which what was heard before belongs to something else."""


class Listening:
    """One listener's sound, read with `async for`. It ends when the gate shuts it out, and loses the oldest
    when it falls behind."""

    def __init__(self, indicator: Indicator, use: Use, start: int, behind: float) -> None:
        self.use = use
        self.start = start
        """Samples of the microphone before the first one that it gets."""
        self._indicator = indicator
        self._feed = Feed(behind)
        self._is_over = False
        self._failure: str | None = None

    @property
    def lost(self) -> float:
        """Seconds of sound that were not read in time."""
        return self._feed.lost

    def put(self, chunk: AudioChunk) -> None:
        """Take sound, if the gate is open."""
        if self._indicator.admits(self.use):
            self._feed.put(chunk)

    def end(self) -> None:
        """Say that no more comes; what came is still read."""
        self._feed.end()

    def fail(self, reason: str) -> None:
        """Say that the microphone is gone; who wants words gets `AudioError` after what came."""
        self._failure = reason
        self._feed.end()

    def cut(self) -> None:
        """End it at once; what came and was not read is dropped."""
        self._is_over = True
        self._feed.end()

    def check(self) -> None:
        """End it at once if the gate is shut."""
        if not self._indicator.admits(self.use):
            self.cut()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AudioChunk:
        try:
            chunk = await anext(self._feed)
        except StopAsyncIteration:
            if self._failure and self.use is Use.WORDS and not self._is_over:
                raise AudioError(self._failure) from None
            raise
        if self._is_over or not self._indicator.admits(self.use):
            self.cut()
            raise StopAsyncIteration
        return chunk


class Ear:
    """What a satellite hears: the last seconds of it, and who listens. The event loop's thread only."""

    def __init__(self, indicator: Indicator, *, kept: float, behind: float) -> None:
        self._indicator = indicator
        self._most = round(kept * SPEECH.rate) * SPEECH.frame_bytes
        self._behind = behind
        self._kept = bytearray()
        self._listeners: list[Listening] = []
        self._latest = 0.0
        self.position = 0
        """Samples that were heard so far."""
        indicator.at_closing(self._check)

    async def read(
        self, microphone: Microphone, opened: Callable[[], None], gap: float | None = None
    ) -> None:
        """Hear until the microphone ends, and call `opened()` once it is open.

        Raises what the microphone raises, and `AudioError` when no sound comes for `gap` seconds.
        """
        try:
            async with microphone.listen() as sound, aclosing(converted(sound)) as chunks:
                opened()
                while (chunk := await _next(chunks, gap)) is not None:
                    self.hear(chunk)
        finally:
            self.forget("the microphone went away in mid-speech")

    def hear(self, chunk: AudioChunk) -> None:
        """Take 16 kHz mono sound of the microphone and hand it to who may have it."""
        if self._indicator.is_muted:
            return
        now = asyncio.get_running_loop().time()
        if now - self._latest > _GAP + chunk.seconds:
            self._kept.clear()
        self._latest = now
        self.position += len(chunk.pcm) // SPEECH.frame_bytes
        self._kept += chunk.pcm
        if (excess := len(self._kept) - self._most) > 0:
            del self._kept[:excess]
        for listener in self._listeners:
            listener.put(chunk)

    @property
    def first(self) -> int:
        """The oldest sample that is kept, or the next one that comes."""
        return self.position - len(self._kept) // SPEECH.frame_bytes

    def since(self, position: int, until: int | None = None) -> bytes:
        """Return what was heard from that sample on, as far as it is kept, up to the sample `until`."""
        first = self.first
        start = max(position - first, 0) * SPEECH.frame_bytes
        end = len(self._kept) if until is None else max(until - first, 0) * SPEECH.frame_bytes
        return bytes(self._kept[start:end])

    def forget(self, reason: str) -> None:
        """Drop what was kept, and tell every listener that no more comes."""
        self._kept.clear()
        for listener in tuple(self._listeners):
            listener.fail(reason)

    @contextmanager
    def listen(self, use: Use, since: int | None = None) -> Iterator[Listening]:
        """Listen for as long as the block is open, from the sample `since` on, by default from now.

        A detector that is shut out hears nothing until the gate opens; for who wants words the sound ends
        at once.
        """
        kept = b"" if since is None else self.since(since)
        start = self.position - len(kept) // SPEECH.frame_bytes
        listener = Listening(self._indicator, use, start, self._behind + SPEECH.seconds(self._most))
        if kept:
            listener.put(AudioChunk(kept))
        if use is Use.WORDS:
            listener.check()
        self._listeners.append(listener)
        try:
            yield listener
        finally:
            self._listeners.remove(listener)
            listener.cut()

    def _check(self) -> None:
        for listener in tuple(self._listeners):
            listener.check()


async def _next(chunks: AsyncIterator[AudioChunk], gap: float | None) -> AudioChunk | None:
    try:
        async with asyncio.timeout(gap) as timer:
            return await anext(chunks, None)
    except TimeoutError:
        if not timer.expired():
            raise
        raise AudioError(f"no sound came for {gap:g} s (limits.microphone_gap)") from None
