"""Two notes that say "done" in a house that wants no words."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator

from hub.audio import AudioChunk, AudioFormat

FORMAT = AudioFormat(rate=22_050)
NOTES = (659.26, 880.0)
"""Hertz: E5, then A5."""
_NOTE = 0.11
"""Seconds of each note."""
_LEVEL = 0.2
"""Of full scale."""


def chime() -> AudioChunk:
    """Return the sound, 0.22 seconds long; each note swells and fades so that it does not click."""
    return AudioChunk(array("h", _samples()).tobytes(), FORMAT)


def _samples() -> Iterator[int]:
    frames = round(_NOTE * FORMAT.rate)
    for hertz in NOTES:
        step = 2 * math.pi * hertz / FORMAT.rate
        for n in range(frames):
            envelope = math.sin(math.pi * n / frames)
            yield round(32_767 * _LEVEL * envelope * math.sin(step * n))
