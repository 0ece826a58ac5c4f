"""`wake`: hears its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class WakeStream(Protocol):
    """One microphone's state."""

    @property
    def frame_samples(self) -> int:
        """Samples of 16 kHz mono 16 bit that `process` takes at a time."""

    def process(self, frame: bytes) -> str | None:
        """Return the wake word that has just ended, or None. Runs off the event loop."""


class WakeDetector(Protocol):
    """A detector of wake words."""

    @property
    def words(self) -> tuple[str, ...]:
        """The wake words it knows, for instance `okay_nabu`."""

    def open(self, words: Sequence[str]) -> WakeStream:
        """Return a fresh stream that listens for these words."""
