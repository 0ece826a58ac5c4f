"""One stream of sound out of the sound of several voices."""

from __future__ import annotations

from collections.abc import Iterator

from hub.audio import AudioChunk, AudioFormat
from hub.resample import PIECE, Converter

_LANDING = 0.008
"""Seconds in which sound that was cut off comes to rest, and in which the next one swells."""
_GAP = 0.15
"""Seconds of silence between a voice that was cut off and the next one."""


class Joint:
    """Gives everything in the format of the first chunk; where one voice ends in the middle and
    another begins, it neither clicks nor changes its pitch."""

    def __init__(self) -> None:
        self._form: AudioFormat | None = None
        self._source: AudioFormat | None = None
        self._converter: Converter | None = None
        self._last = b""
        """The last frame that was given."""
        self._swells = False

    def through(self, chunk: AudioChunk) -> Iterator[AudioChunk]:
        """Give the chunk as it is played: as it came, as long as it is of the first one's format."""
        form = self._form = self._form or chunk.format
        if chunk.format != self._source:
            yield from self._rest(form)
            self._source = chunk.format
            self._converter = None if chunk.format == form else Converter(chunk.format, form)
        if self._converter is None:
            yield from self._given(chunk)
            return
        for start in range(0, len(chunk.pcm), PIECE):
            if piece := self._converter.feed(chunk.pcm[start : start + PIECE]):
                yield from self._given(AudioChunk(piece, form, chunk.sentence))

    def end(self) -> Iterator[AudioChunk]:
        """Give what is left of sound that ended as it should."""
        if self._form:
            yield from self._rest(self._form)

    def cut(self) -> Iterator[AudioChunk]:
        """Let sound that was cut off come to rest; what comes next begins softly."""
        if not self._form:
            return
        yield from self._rest(self._form)
        self._source = None
        if self._last:
            yield AudioChunk(_landing(self._last, self._form) + _silence(self._form), self._form)
        self._last, self._swells = b"", True

    def _rest(self, form: AudioFormat) -> Iterator[AudioChunk]:
        if self._converter and (rest := self._converter.end()):
            yield from self._given(AudioChunk(rest, form))
        self._converter = None

    def _given(self, chunk: AudioChunk) -> Iterator[AudioChunk]:
        size = chunk.format.frame_bytes
        whole = len(chunk.pcm) - len(chunk.pcm) % size
        if not whole:
            return
        if self._swells:
            chunk = AudioChunk(_swelling(chunk.pcm[:whole], chunk.format), chunk.format, chunk.sentence)
            self._swells = False
        self._last = chunk.pcm[whole - size : whole]
        yield chunk


def _landing(frame: bytes, form: AudioFormat) -> bytes:
    """Return sound that falls from the values of a frame to zero."""
    import numpy as np

    from hub.resample.samples import floats, pcm, signed

    ramp = np.linspace(1, 0, round(_LANDING * form.rate), dtype=np.float32)
    return pcm(np.outer(ramp, floats(frame, signed(form.width))).reshape(-1), form.width)


def _silence(form: AudioFormat) -> bytes:
    return bytes(round(_GAP * form.rate) * form.frame_bytes)


def _swelling(sound: bytes, form: AudioFormat) -> bytes:
    """Return the sound with its beginning faded in."""
    import numpy as np

    from hub.resample.samples import floats, pcm, signed

    head = min(round(_LANDING * form.rate) * form.frame_bytes, len(sound))
    values = floats(sound[:head], signed(form.width)).reshape(-1, form.channels)
    ramp = np.linspace(0, 1, len(values), dtype=np.float32)[:, np.newaxis]
    return pcm((values * ramp).reshape(-1), form.width) + sound[head:]
