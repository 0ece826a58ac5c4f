"""What the header of a WAV file says."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from hub.audio import AudioFormat
from hub.errors import AudioError
from hub.resample.samples import SampleFormat

UNKNOWN_SIZE = 0xFFFFFFFF
"""What a writer that cannot go back puts for a size it does not know (others put 0)."""
RATES = (1_000, 384_000)
"""Frames a second that are believed."""
MOST_CHANNELS = 32

_PCM, _FLOAT, _ALAW, _MULAW, _EXTENSIBLE = 1, 3, 6, 7, 0xFFFE
_GUID_TAIL = bytes.fromhex("000000001000800000aa00389b71")
_CODECS = {
    0x02: "Microsoft ADPCM",
    0x11: "IMA ADPCM",
    0x31: "GSM 6.10",
    0x50: "MPEG",
    0x55: "MP3",
    0x161: "Windows Media",
    0x674F: "Vorbis",
    0xF1AC: "FLAC",
}
_OTHERS = (
    (b"fLaC", "a FLAC file"),
    (b"OggS", "an Ogg file"),
    (b"ID3", "an MP3 file"),
    (b"\xff\xfb", "an MP3 file"),
    (b"\xff\xf3", "an MP3 file"),
    (b"FORM", "an AIFF file"),
    (b"RIFX", "a big-endian WAV file"),
    (b"RIFF", "a RIFF file without WAVE in it"),
    (b"#!AMR", "an AMR file"),
    (b"\x1aE\xdf\xa3", "a WebM or Matroska file"),
    (b"riff", "a Wave64 file"),
)
_CONVERT = "convert it first: ffmpeg -i FILE -ar 16000 -ac 1 -c:a pcm_s16le NEW.wav"
_CONVERT_RAW = "raw samples need a header first: sox -t raw -r 16000 -e signed -b 16 -c 1 FILE NEW.wav"


@dataclass(frozen=True, slots=True)
class Layout:
    """How the samples of a file are written."""

    sample: SampleFormat
    rate: int
    """Frames a second."""
    channels: int

    @property
    def frame_bytes(self) -> int:
        """Bytes of one frame: all channels of one moment."""
        return self.sample.width * self.channels


def layout(body: bytes) -> Layout:
    """Read a `fmt ` chunk (16 bytes or more); raises `AudioError` for what cannot be read."""
    if len(body) < 16:
        raise AudioError("the WAV file's header is too short: record or convert it again")
    tag, channels, rate, _, block, bits = struct.unpack_from("<HHIIHH", body)
    if tag == _EXTENSIBLE:
        tag = _extended(body)
    if not 1 <= channels <= MOST_CHANNELS:
        raise AudioError(f"the WAV file says it has {channels} channels; 1 to {MOST_CHANNELS} can be read")
    if not RATES[0] <= rate <= RATES[1]:
        raise AudioError(f"the WAV file says it has {rate} Hz; {RATES[0]} to {RATES[1]} can be read")
    width = block // channels if block and block % channels == 0 else (bits + 7) // 8
    sample = _sample(tag, width, bits)
    return Layout(sample, rate, channels)


def _extended(body: bytes) -> int:
    if len(body) < 40 or body[26:40] != _GUID_TAIL:
        raise AudioError(f"the WAV file's extended header is not understood; {_CONVERT}")
    return int.from_bytes(body[24:26], "little")


def _sample(tag: int, width: int, bits: int) -> SampleFormat:
    if tag == _PCM:
        sample = SampleFormat("unsigned" if width == 1 else "signed", width)
    elif tag == _FLOAT:
        sample = SampleFormat("float", width)
    elif tag in (_ALAW, _MULAW):
        sample = SampleFormat("alaw" if tag == _ALAW else "mulaw", width)
    else:
        name = _CODECS.get(tag, f"format {tag:#x}")
        raise AudioError(f"the WAV file holds {name} audio, which is not read here; {_CONVERT}")
    if not sample.is_known or bits > 8 * width:
        raise AudioError(f"the WAV file has {bits} bits in {width} bytes a sample; {_CONVERT}")
    return sample


def no_wav(start: bytes) -> AudioError:
    """Return the error for a file that begins with these bytes."""
    if start[4:8] == b"ftyp":
        return AudioError(f"this is an MP4 file, no WAV; {_CONVERT}")
    for magic, name in _OTHERS:
        if start.startswith(magic):
            return AudioError(f"this is {name}, no WAV; {_CONVERT}")
    if len(start) < 12:
        return AudioError("the file is too short to be a WAV file: record or copy it again")
    return AudioError(f"this is no WAV file: it has no RIFF header; {_CONVERT_RAW}")


def header(form: AudioFormat, size: int | None = None) -> bytes:
    """Return the 44 bytes before `size` bytes of PCM; None for a stream whose end is not known yet."""
    data = UNKNOWN_SIZE if size is None else min(size, UNKNOWN_SIZE)
    riff = min(data + 36, UNKNOWN_SIZE)
    per_second = form.rate * form.frame_bytes
    format_chunk = struct.pack(
        "<HHIIHH", _PCM, form.channels, form.rate, per_second, form.frame_bytes, 8 * form.width
    )
    return (
        b"RIFF"
        + struct.pack("<I", riff)
        + b"WAVEfmt \x10\0\0\0"
        + format_chunk
        + b"data"
        + struct.pack("<I", data)
    )
