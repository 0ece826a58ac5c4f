"""A satellite's speaker as turns see it: one answer at a time, and the indicator says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Self

from hub.audio import AudioChunk
from hub.errors import AudioError
from hub.rooms.inbox import Switch
from hub.rooms.waits import unless
from hub.stages.speaker import PausingSpeaker

Begin = Callable[[], Awaitable[Callable[[], None]]]
"""`done = await begin()` lets the indicator say that it speaks; `done()` that it does no longer."""


class Voice:
    """Plays on whatever speaker is connected; a play ends with `AudioError` when that one goes."""

    def __init__(self, satellite: str, begin: Begin) -> None:
        self._satellite = satellite
        self._begin = begin
        self._turns = asyncio.Lock()
        self._speaker: PausingSpeaker | None = None
        self._gone = Switch()
        self._gone.turn(True)
        self._played = 0.0

    @property
    def is_playing(self) -> bool:
        """Whether an answer is being played, or is paused."""
        return self._turns.locked()

    @property
    def played(self) -> float:
        """Seconds of the present or last play that were heard."""
        return self._speaker.played if self._speaker and self.is_playing else self._played

    def connect(self, speaker: PausingSpeaker | None) -> None:
        """Play on this one from now on; None: there is none."""
        self._speaker = speaker
        self._gone.turn(speaker is None)

    def pause(self) -> None:
        """Be silent at once."""
        if self._speaker:
            self._speaker.pause()

    def resume(self) -> None:
        """Go on where it was."""
        if self._speaker:
            self._speaker.resume()

    async def play(self, audio: AsyncIterator[AudioChunk]) -> None:
        """Play it when what is played now is over; returns when it has been heard."""
        async with self._turns:
            self._played = 0.0
            speaker = self._speaker
            if speaker is None:
                raise AudioError(f"the satellite '{self._satellite}' has no speaker now")
            try:
                async with _sounded(audio, self._begin) as sound:
                    if not await unless(self._gone.on, speaker.play(sound)):
                        raise AudioError(f"the satellite '{self._satellite}' went away in mid-reply")
            finally:
                self._played = speaker.played


@asynccontextmanager
async def _sounded(
    audio: AsyncIterator[AudioChunk], begin: Begin
) -> AsyncIterator[AsyncIterator[AudioChunk]]:
    sound = _Sounded(audio, begin)
    try:
        yield sound
    finally:
        sound.done()


class _Sounded:
    """Sound that is told of when its first piece is there."""

    def __init__(self, audio: AsyncIterator[AudioChunk], begin: Begin) -> None:
        self._audio = audio
        self._begin: Begin | None = begin
        self.done: Callable[[], None] = lambda: None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AudioChunk:
        chunk = await anext(self._audio)
        if self._begin:
            begin, self._begin = self._begin, None
            self.done = await begin()
        return chunk
