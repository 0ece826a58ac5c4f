"""`microphone`: hears a room."""

from __future__ import annotations

from typing import Protocol

from hub.audio import AudioChunk
from hub.stages.stream import Stream


class Microphone(Protocol):
    """The sound of one room. The hub reads it once at a time and spreads it to whoever listens."""

    def listen(self) -> Stream[AudioChunk]:
        """Read the sound, in any one format, as it comes, from now on.

        While no such stream is open, nothing is recorded or kept. The stream never waits for its reader
        longer than a moment: what is not read in time it drops, the oldest first. It ends when the
        microphone is gone; raises `AudioError` with a sentence that says what to do.
        """
