"""Streams of audio in another format: other rate, width or number of channels."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable
from typing import TYPE_CHECKING, Any

from hub.audio import SPEECH, AudioChunk, AudioFormat
from hub.errors import AudioError
from hub.resample.samples import SampleFormat, floats, mixed, pcm, signed

if TYPE_CHECKING:
    from hub.resample.samples import Floats

PIECE = 16_384
"""Bytes that are converted at once: well under a millisecond of work."""


class Converter:
    """Turns a stream of samples into `target`, piece by piece; its length stays the same to a sample."""

    def __init__(
        self, source: AudioFormat, target: AudioFormat = SPEECH, sample: SampleFormat | None = None
    ) -> None:
        self._source = source
        self._target = target
        self._sample = sample or signed(source.width)
        self._frame = self._sample.width * source.channels
        self._half = b""
        self._stream = None if source.rate == target.rate else _soxr(source.rate, target)
        self._is_plain = source == target and self._sample == signed(target.width)

    def feed(self, data: bytes) -> bytes:
        """Return what can be said of `data` by now; part of a frame waits for its rest."""
        data = self._half + data if self._half else data
        whole = len(data) - len(data) % self._frame
        data, self._half = data[:whole], data[whole:]
        if self._is_plain or not data:
            return data
        return self._convert(floats(data, self._sample))

    def end(self) -> bytes:
        """Return the last samples; half a frame that was never completed is dropped."""
        if self._stream is None:
            return b""
        return pcm(self._stream.resample_chunk(self._silence(), last=True).reshape(-1), self._target.width)

    def _convert(self, values: Floats) -> bytes:
        values = mixed(values, self._source, self._target.channels)
        if self._stream is not None:
            if self._target.channels > 1:
                values = values.reshape(-1, self._target.channels)
            values = self._stream.resample_chunk(values).reshape(-1)
        return pcm(values, self._target.width)

    def _silence(self) -> Any:
        import numpy as np

        channels = self._target.channels
        return np.zeros((0, channels) if channels > 1 else 0, np.float32)


def _soxr(rate: int, target: AudioFormat) -> Any:
    import soxr

    return soxr.ResampleStream(rate, target.rate, target.channels, dtype="float32", quality="HQ")


async def converted(
    audio: AsyncIterable[AudioChunk], target: AudioFormat = SPEECH
) -> AsyncGenerator[AudioChunk]:
    """Give the stream in `target`; raises `AudioError` when its format changes on the way."""
    source: AudioFormat | None = None
    converter: Converter | None = None
    async for chunk in audio:
        if source is None:
            source = chunk.format
            converter = None if source == target else Converter(source, target)
        elif chunk.format != source:
            raise AudioError(f"the audio changed from {source} to {chunk.format} in mid-stream")
        if converter is None:
            yield chunk
            continue
        for start in range(0, len(chunk.pcm), PIECE):
            if piece := converter.feed(chunk.pcm[start : start + PIECE]):
                yield AudioChunk(piece, target)
    if converter and (rest := converter.end()):
        yield AudioChunk(rest, target)
