"""`asr`: turns speech into words."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from hub.audio import AudioChunk
from hub.stages.stream import Stream
from hub.values.speech import Hearing, Transcript


class Asr(Protocol):
    """A speech recogniser."""

    def transcribe(self, audio: AsyncIterator[AudioChunk], hearing: Hearing) -> Stream[Transcript]:
        """Hear one utterance (16 kHz, 16 bit, mono); the last transcript is final.

        Raises `EngineError` and its kinds.
        """
