"""`wake`: hears its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hub.values.speech import Detection


class WakeStream(Protocol):
    """One microphone's state. Whoever opened it closes it."""

    @property
    def frame_samples(self) -> int:
        """Samples of 16 kHz mono 16 bit that `process` takes at a time."""

    def process(self, frame: bytes) -> Detection | None:
        """Return the next wake word that was found, or None. Runs off the event loop.

        Raises `EngineError` and its kinds; a detector that is elsewhere may find a word some frames late.
        """

    def finish(self) -> Detection | None:
        """Return the next wake word found in what was processed, or None when no more will be.

        Only after the last frame. Runs off the event loop; raises as `process`.
        """

    def close(self) -> None:
        """Let go of everything at once; on the event loop, perhaps while `process` still runs."""


class WakeDetector(Protocol):
    """A detector of wake words."""

    @property
    def words(self) -> tuple[str, ...]:
        """The wake words it knows, for instance `okay_nabu`."""

    def open(self, words: Sequence[str]) -> WakeStream:
        """Return a fresh stream that listens for these words; on the event loop.

        Raises `EarnestError` for a word that it does not know.
        """
