"""Audio in Wyoming events, checked, and brought into the form that recognisers take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hub.audio import SPEECH, AudioChunk, AudioFormat
from hub.errors import WireError
from hub.remote.wire import Event

if TYPE_CHECKING:
    import numpy as np
    from soxr import ResampleStream

_MOST_RATE = 384_000
_MOST_CHANNELS = 16
_TO_16_BIT = {1: 256.0, 2: 1.0, 3: 1 / 65_536, 4: 1 / 65_536}
"""By width in bytes; 24-bit samples are widened to 32 first."""
_FLIP = bytes(value ^ 0x80 for value in range(256))
"""Wyoming carries 8-bit samples unsigned, as WAV does; the hub's are signed."""


def audio_start(form: AudioFormat) -> Event:
    """Return the event before the first chunk."""
    return Event("audio-start", _fields(form))


def audio_chunk(chunk: AudioChunk) -> Event:
    """Return the event that carries the chunk."""
    pcm = chunk.pcm.translate(_FLIP) if chunk.format.width == 1 else chunk.pcm
    return Event("audio-chunk", _fields(chunk.format), pcm)


def audio_stop() -> Event:
    """Return the event after the last chunk."""
    return Event("audio-stop", {"timestamp": None})


def format_of(event: Event, peer: str) -> AudioFormat:
    """Return the format that the event names; raises `WireError` if no sound can have it."""
    rate, width, channels = (_whole(event, key, peer) for key in ("rate", "width", "channels"))
    if rate > _MOST_RATE or width > 4 or channels > _MOST_CHANNELS:
        raise WireError(f"{peer} sent audio of {rate} Hz, {width} bytes, {channels} channels")
    return AudioFormat(rate, width, channels)


def chunk_of(event: Event, peer: str) -> AudioChunk:
    """Return the chunk that the event carries; raises `WireError` if it ends inside a sample."""
    form = format_of(event, peer)
    pcm = event.payload or b""
    if len(pcm) % form.frame_bytes:
        raise WireError(f"{peer} sent a chunk that ends in the middle of a sample")
    return AudioChunk(pcm.translate(_FLIP) if form.width == 1 else pcm, form)


class ToSpeech:
    """Turns the chunks of one stream into 16 kHz, 16 bit, mono; soxr does the resampling."""

    def __init__(self, form: AudioFormat) -> None:
        self.format = form
        self._resampler: ResampleStream | None = None
        if form.rate != SPEECH.rate:
            from soxr import ResampleStream

            self._resampler = ResampleStream(form.rate, SPEECH.rate, 1, dtype="int16")

    def feed(self, pcm: bytes) -> bytes:
        """Return what is ready after these bytes."""
        if self.format == SPEECH:
            return pcm
        return self._resampled(_mono(pcm, self.format), last=False)

    def end(self) -> bytes:
        """Return what was still held back."""
        if self._resampler is None:
            return b""
        return self._resampled(_mono(b"", self.format), last=True)

    def _resampled(self, samples: np.ndarray[Any, Any], *, last: bool) -> bytes:
        if self._resampler:
            samples = self._resampler.resample_chunk(samples, last=last)
        return samples.tobytes()


def _mono(pcm: bytes, form: AudioFormat) -> np.ndarray[Any, Any]:
    """Return 16-bit samples: the mean of the channels, the upper bits of what is wider."""
    import numpy as np

    if form.width == 3:
        padded = np.zeros((len(pcm) // 3, 4), np.uint8)
        padded[:, 1:] = np.frombuffer(pcm, np.uint8).reshape(-1, 3)
        samples = padded.reshape(-1).view("<i4")
    else:
        samples = np.frombuffer(pcm, f"<i{form.width}")
    scaled = samples.astype(np.float32) * _TO_16_BIT[form.width]
    mono: np.ndarray[Any, Any] = scaled.reshape(-1, form.channels).mean(axis=1).astype(np.int16)
    return mono


def _fields(form: AudioFormat) -> dict[str, Any]:
    return {"rate": form.rate, "width": form.width, "channels": form.channels, "timestamp": None}


def _whole(event: Event, key: str, peer: str) -> int:
    value = event.data.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise WireError(f"{peer} sent {event.type} without a proper {key}")
    return value
