"""`vad`: tells speech from everything else."""

from __future__ import annotations

from typing import Protocol


class VadStream(Protocol):
    """One listener's state; never shared by two turns. Whoever opened it closes it."""

    @property
    def frame_samples(self) -> int:
        """Samples of 16 kHz mono 16 bit that `process` takes at a time."""

    def process(self, frame: bytes) -> float:
        """Return the probability of speech in the frame, 0 to 1. Runs off the event loop."""

    def close(self) -> None:
        """Let go of everything at once; on the event loop, perhaps while `process` still runs."""


class Vad(Protocol):
    """A detector of voice activity."""

    def open(self) -> VadStream:
        """Return a fresh stream; on the event loop."""
