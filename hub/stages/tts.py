"""`tts`: turns words into speech."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from hub.audio import AudioChunk
from hub.stages.stream import Stream


class Tts(Protocol):
    """A voice."""

    def synthesize(self, sentences: AsyncIterator[str], language: str | None = None) -> Stream[AudioChunk]:
        """Speak the sentences in order, starting with the first while others are still to come.

        Raises `EngineError` and its kinds.
        """
