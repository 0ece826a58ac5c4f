"""A speaker that can pause, made of any way to send sound: never far ahead of what is heard."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import aclosing, suppress
from typing import Protocol

from hub.audio import AudioChunk, AudioFormat
from hub.errors import AudioError
from hub.resample import Converter

LEAD = 0.25
"""Seconds of sound that may be on their way; what cannot be taken back is heard for so long at most."""
PIECE = 0.05
"""Seconds that are sent at once."""
PATIENCE = 5.0
"""Seconds in which an outlet must have taken a piece."""
_CLOSE = 1e-6


class Outlet(Protocol):
    """Where sound leaves the hub. One play after the other."""

    @property
    def format(self) -> AudioFormat:
        """What it takes."""

    async def begin(self) -> None:
        """Get ready for the sound of one play."""

    async def send(self, chunk: AudioChunk) -> None:
        """Send a piece; returns when it is on its way. One that takes too long is cancelled."""

    async def end(self) -> None:
        """Say that the play is over, by itself or by force; returns when everything sent was heard."""

    def flush(self) -> bool:
        """Take back what was sent and not yet heard; False when that cannot be done. Never raises."""


class PacedSpeaker:
    """A `PausingSpeaker` on an outlet. What was heard is known by the clock: sound begins when it is sent and
    goes on as long as there is some."""

    def __init__(self, outlet: Outlet, *, lead: float = LEAD, patience: float = PATIENCE) -> None:
        self._outlet = outlet
        self._lead = lead
        self._patience = patience
        self._waiting: deque[AudioChunk] = deque()
        self._flown: deque[AudioChunk] = deque()
        self._sent = 0.0
        self._from = 0.0
        """Seconds that had been heard at the moment `_since`."""
        self._since: float | None = None
        """Loop time; None while nothing is heard."""
        self._is_playing = False
        self._going = asyncio.Event()

    @property
    def played(self) -> float:
        """Seconds of the present or last play that were heard."""
        if self._since is None:
            return self._from
        return min(self._sent, self._from + asyncio.get_running_loop().time() - self._since)

    async def play(self, audio: AsyncIterator[AudioChunk]) -> None:
        """Play it; returns when it has been heard."""
        self._waiting.clear()
        self._flown.clear()
        self._sent, self._from, self._since, self._is_playing = 0.0, 0.0, None, True
        self._going.set()
        try:
            await self._in_time(self._outlet.begin(), self._patience)
            async with aclosing(_pieces(audio, self._outlet.format)) as pieces:
                async for piece in pieces:
                    self._waiting.append(piece)
                    await self._send()
            await self._drain()
        except BaseException:
            self._halt()
            self._is_playing = False
            with suppress(AudioError):
                await self._in_time(self._outlet.end(), 2 * self._lead)
            raise
        self._from, self._since, self._is_playing = self.played, None, False
        await self._in_time(self._outlet.end(), self._patience)

    def pause(self) -> None:
        """Be silent; what was sent and can be taken back is sent again later."""
        if self._is_playing and self._going.is_set():
            self._going.clear()
            self._halt()

    def resume(self) -> None:
        """Go on where it was."""
        if self._is_playing:
            self._going.set()

    async def _in_time(self, work: Awaitable[None], patience: float) -> None:
        """Wait for the outlet; raises `AudioError` when it takes too long."""
        try:
            async with asyncio.timeout(patience) as timer:
                await work
        except TimeoutError:
            if not timer.expired():
                raise
            raise AudioError(f"the speaker took no sound for {patience:g} s") from None

    def _halt(self) -> None:
        heard = self.played
        if self._outlet.flush():
            self._waiting.extendleft(reversed(_last(self._flown, self._sent - heard)))
            self._sent = heard
        self._from, self._since = self._sent, None
        self._flown.clear()

    async def _send(self) -> None:
        """Send what waits, as fast as it is heard."""
        while self._waiting:
            await self._going.wait()
            if (ahead := self._sent - self.played) > self._lead - PIECE + _CLOSE:
                await asyncio.sleep(min(ahead - self._lead + PIECE, PIECE))
                continue
            piece = self._waiting.popleft()
            heard = self.played
            if self._since is None or heard >= self._sent - _CLOSE:
                self._from, self._since = self._sent, asyncio.get_running_loop().time()
            self._sent += piece.seconds
            self._flown.append(piece)
            while len(self._flown) * PIECE > 4 * self._lead + 1:
                self._flown.popleft()
            await self._in_time(self._outlet.send(piece), self._patience)

    async def _drain(self) -> None:
        """Wait until everything was heard, pauses included."""
        while self._waiting or not self._going.is_set() or self.played < self._sent - _CLOSE:
            await self._going.wait()
            await self._send()
            await asyncio.sleep(min(max(self._sent - self.played, 0.0), PIECE))


def _last(pieces: deque[AudioChunk], seconds: float) -> list[AudioChunk]:
    """Return the end of the sound in these pieces, so many seconds long, to a frame."""
    found: list[AudioChunk] = []
    for piece in reversed(pieces):
        if seconds <= _CLOSE:
            break
        form = piece.format
        size = min(round(seconds * form.rate) * form.frame_bytes, len(piece.pcm))
        if size:
            found.append(AudioChunk(piece.pcm[len(piece.pcm) - size :], form, piece.sentence))
        seconds -= piece.seconds
    return found[::-1]


async def _pieces(audio: AsyncIterator[AudioChunk], form: AudioFormat) -> AsyncGenerator[AudioChunk]:
    """Give the sound in this format, in small pieces."""
    size = round(PIECE * form.rate) * form.frame_bytes
    converter: Converter | None = None
    rest = b""
    async for chunk in audio:
        if chunk.format != form:
            converter = converter or Converter(chunk.format, form)
            rest += converter.feed(chunk.pcm)
        else:
            rest += chunk.pcm
        while len(rest) >= size:
            yield AudioChunk(rest[:size], form)
            rest = rest[size:]
    if converter:
        rest += converter.end()
    for start in range(0, len(rest), size):
        yield AudioChunk(rest[start : start + size], form)
