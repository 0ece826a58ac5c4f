"""`speaker`: makes sound."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from hub.audio import AudioChunk


class Speaker(Protocol):
    """Something that plays audio, one play at a time."""

    @property
    def played(self) -> float:
        """Seconds of the present play, or of the last one, that were heard; never more than were given."""

    async def play(self, audio: AsyncIterator[AudioChunk]) -> None:
        """Play it; returns when it has been heard, is silent at once when cancelled."""


class PausingSpeaker(Speaker, Protocol):
    """A satellite's speaker. All methods but `play` return at once and never raise."""

    def pause(self) -> None:
        """Be silent within 250 ms and stay so; nothing that was not heard is lost. Twice is once."""

    def resume(self) -> None:
        """Go on with the first sound that was not heard; nothing happens when it is not paused."""
