"""Audio as a value: signed little-endian PCM with its format."""

from __future__ import annotations

from dataclasses import dataclass


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

    @property
    def seconds(self) -> float:
        """How long the chunk lasts."""
        return self.format.seconds(len(self.pcm))
