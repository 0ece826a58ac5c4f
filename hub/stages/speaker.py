"""`speaker`: makes sound."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from hub.audio import AudioChunk


class Speaker(Protocol):
    """Something that plays audio."""

    async def play(self, audio: AsyncIterator[AudioChunk]) -> None:
        """Play it; returns when it has been heard, stops when cancelled."""
