"""Sounds of the hub's own, made of notes: nothing is read from a file."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from functools import cache

from hub.audio import AudioChunk, AudioFormat

FORMAT = AudioFormat(rate=22_050)
NOTES = (659.26, 880.0)
"""Hertz: E5, then A5."""
FALLING = (440.0, 293.66)
"""Hertz: A4, then D4."""
_NOTE = 0.11
"""Seconds of each note of `chime`."""
_LONG_NOTE = 0.2
"""Seconds of each note of `regret`."""
_LEVEL = 0.2
"""Of full scale."""


def chime() -> AudioChunk:
    """Return two rising notes that say "done" in a house that wants no words, 0.22 seconds long."""
    return _notes(NOTES, _NOTE)


@cache
def regret() -> AudioChunk:
    """Return two falling notes that say "that did not work" when no voice can, 0.4 seconds long."""
    return _notes(FALLING, _LONG_NOTE)


def _notes(pitches: Sequence[float], seconds: float) -> AudioChunk:
    """Each note swells and fades so that it does not click."""
    return AudioChunk(array("h", _samples(pitches, round(seconds * FORMAT.rate))).tobytes(), FORMAT)


def _samples(pitches: Sequence[float], frames: int) -> Iterator[int]:
    for hertz in pitches:
        step = 2 * math.pi * hertz / FORMAT.rate
        for n in range(frames):
            envelope = math.sin(math.pi * n / frames)
            yield round(32_767 * _LEVEL * envelope * math.sin(step * n))
