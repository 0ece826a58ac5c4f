"""Audio as a value: signed little-endian PCM with its format."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class AudioFormat:
    """How the bytes of a chunk are to be read."""

    rate: int = 16_000
    """Frames a second."""
    width: int = 2
    """Bytes a sample; signed, little-endian."""
    channels: int = 1
    """Samples a frame, interleaved."""

    @property
    def frame_bytes(self) -> int:
        """Bytes of one frame: all channels of one moment."""
        return self.width * self.channels

    def seconds(self, size: int) -> float:
        """How long `size` bytes last."""
        return size / self.frame_bytes / self.rate


SPEECH = AudioFormat()
"""What recognisers, VAD and wake words take: 16 kHz, 16 bit, mono."""


@dataclass(frozen=True, slots=True)
class AudioChunk:
    """A piece of a stream; chunks of one stream share one format."""

    pcm: bytes
    format: AudioFormat = SPEECH
    sentence: int | None = field(default=None, compare=False)
    """Of speech that a voice made: which of the sentences it was given this belongs to, counted
    from 0; None: not known."""

    @property
    def seconds(self) -> float:
        """How long the chunk lasts."""
        return self.format.seconds(len(self.pcm))


class FrameCutter:
    """Cuts a stream of 16-bit mono samples into frames of one size."""

    def __init__(self, frame_samples: int) -> None:
        self._size = frame_samples * 2
        self._rest = b""

    @property
    def rest(self) -> bytes:
        """What is too short for a frame."""
        return self._rest

    def cut(self, pcm: bytes) -> list[bytes]:
        """Return the frames that are whole by now."""
        pcm = self._rest + pcm if self._rest else pcm
        whole = len(pcm) - len(pcm) % self._size
        self._rest = pcm[whole:]
        return [pcm[start : start + self._size] for start in range(0, whole, self._size)]
