"""How samples are written in files and streams, and as 32-bit floats between -1 and 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from hub.audio import AudioFormat

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

Coding = Literal["signed", "unsigned", "float", "mulaw", "alaw"]


@dataclass(frozen=True, slots=True)
class SampleFormat:
    """One sample of a file: little-endian, `width` bytes."""

    coding: Coding
    width: int

    @property
    def is_known(self) -> bool:
        """Whether `floats` can read it."""
        widths = {"signed": (2, 3, 4), "unsigned": (1,), "float": (4, 8), "mulaw": (1,), "alaw": (1,)}
        return self.width in widths[self.coding]


def signed(width: int) -> SampleFormat:
    """Return the coding of an `AudioFormat` of that width."""
    return SampleFormat("signed", width)


def floats(data: bytes, sample: SampleFormat) -> Floats:
    """Return whole samples as floats; what is no number becomes 0, what is too loud is clipped."""
    import numpy as np

    if sample.coding == "float":
        values = np.frombuffer(data, f"<f{sample.width}")
        clipped: Floats = np.clip(np.nan_to_num(values, posinf=1.0, neginf=-1.0), -1.0, 1.0).astype(
            np.float32
        )
        return clipped
    if sample.coding in ("mulaw", "alaw"):
        table = _mulaw() if sample.coding == "mulaw" else _alaw()
        companded: Floats = table[np.frombuffer(data, np.uint8)]
        return companded
    if sample.coding == "unsigned":
        return (np.frombuffer(data, np.uint8).astype(np.float32) - 128) / np.float32(128)
    return _signed(data, sample.width)


def _signed(data: bytes, width: int) -> Floats:
    import numpy as np

    if width == 3:
        wide = np.zeros((len(data) // 3, 4), np.uint8)
        wide[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
        return wide.reshape(-1).view("<i4").astype(np.float32) / np.float32(2**31)
    values = np.frombuffer(data, f"<i{width}")
    return values.astype(np.float32) / np.float32(2 ** (8 * width - 1))


def pcm(values: Floats, width: int = 2) -> bytes:
    """Return floats as signed little-endian integers of `width` 1 to 4 bytes."""
    import numpy as np

    full = 2 ** (8 * width - 1)
    exact = values if width <= 2 else values.astype(np.float64)
    scaled = np.clip(np.rint(exact * np.float32(full)), -full, full - 1)
    if width != 3:
        return bytes(scaled.astype(f"<i{width}").data)
    return bytes(np.ascontiguousarray(scaled.astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3]).data)


def mixed(values: Floats, source: AudioFormat, channels: int) -> Floats:
    """Return interleaved frames with another number of channels: the mean of all, in each."""
    import numpy as np

    if source.channels == channels:
        return values
    mono = values if source.channels == 1 else values.reshape(-1, source.channels).mean(axis=1)
    return mono if channels == 1 else np.repeat(mono, channels)


@cache
def _mulaw() -> Floats:
    """Return the 256 values of ITU-T G.711 μ-law."""
    import numpy as np

    code = ~np.arange(256, dtype=np.uint8)
    exponent, mantissa = (code >> 4) & 7, (code & 15).astype(np.int32)
    level = ((mantissa * 8 + 132) << exponent) - 132
    return np.where(code & 128, -level, level).astype(np.float32) / np.float32(32_768)


@cache
def _alaw() -> Floats:
    """Return the 256 values of ITU-T G.711 A-law."""
    import numpy as np

    code = np.arange(256, dtype=np.uint8) ^ 0x55
    exponent, mantissa = (code >> 4) & 7, (code & 15).astype(np.int32)
    loud = (mantissa * 16 + 264) << np.maximum(exponent.astype(np.int32) - 1, 0)
    level = np.where(exponent == 0, mantissa * 16 + 8, loud)
    return np.where(code & 128, level, -level).astype(np.float32) / np.float32(32_768)
