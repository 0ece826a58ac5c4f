import asyncio
import io
import struct
import wave
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import numpy as np
import pytest

from hub.audio import SPEECH, AudioFormat
from hub.errors import AudioError
from hub.testing import tone
from hub.wav import header, speech
from tests.recordings import OURS, files, manifest, title

GUID_TAIL = bytes.fromhex("000000001000800000aa00389b71")


async def read(source: bytes | Path | AsyncIterator[bytes]) -> bytes:
    pcm = b""
    async with aclosing(speech(source)) as chunks:
        async for chunk in chunks:
            assert chunk.format == SPEECH
            pcm += chunk.pcm
    return pcm


def chunk(name: bytes, body: bytes, pad: bytes = b"\0") -> bytes:
    return name + struct.pack("<I", len(body)) + body + pad[: len(body) % 2]


def file(
    tag: int, bits: int, body: bytes, rate: int = 16_000, channels: int = 1, extra: bytes = b""
) -> bytes:
    block = channels * bits // 8
    form = struct.pack("<HHIIHH", tag, channels, rate, rate * block, block, bits) + extra
    return b"RIFF\xff\xff\xff\x7fWAVE" + chunk(b"fmt ", form) + chunk(b"data", body)


def samples(pcm: bytes) -> np.ndarray:
    return np.frombuffer(pcm, "<i2").astype(np.int32)


SINE = samples(tone(0.5))
ENCODINGS = {
    "8-bit": file(1, 8, ((SINE >> 8) + 128).astype(np.uint8).tobytes()),
    "16-bit": file(1, 16, SINE.astype("<i2").tobytes()),
    "24-bit": file(1, 24, (SINE << 8).astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()),
    "32-bit": file(1, 32, (SINE << 16).astype("<i4").tobytes()),
    "32-bit float": file(3, 32, (SINE / 32768).astype("<f4").tobytes()),
    "64-bit float": file(3, 64, (SINE / 32768).astype("<f8").tobytes()),
    "extensible": file(
        0xFFFE, 16, SINE.astype("<i2").tobytes(), extra=b"\x16\0\x10\0\4\0\0\0\1\0" + GUID_TAIL
    ),
    "extensible float": file(
        0xFFFE, 32, (SINE / 32768).astype("<f4").tobytes(), extra=b"\x16\0\x20\0\4\0\0\0\3\0" + GUID_TAIL
    ),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_every_encoding_gives_the_same_sound(encoding: str) -> None:
    heard = samples(await read(ENCODINGS[encoding]))
    assert len(heard) == len(SINE)
    assert np.abs(heard - SINE).max() <= (256 if encoding == "8-bit" else 1)


@pytest.mark.parametrize(("tag", "code"), [(7, 0x00), (6, 0x2A)])
async def test_companded_telephone_audio_is_read(tag: int, code: int) -> None:
    # the loudest negative value of both laws: -32124 (mu-law), -32256 (A-law), ITU-T G.711
    heard = samples(await read(file(tag, 8, bytes([code]) * 1600)))
    assert set(heard) == {-32124 if tag == 7 else -32256}


@pytest.mark.parametrize("channels", [1, 2, 6])
@pytest.mark.parametrize("rate", [8_000, 11_025, 22_050, 44_100, 48_000, 96_000])
async def test_every_rate_keeps_length_and_pitch(rate: int, channels: int) -> None:
    form = AudioFormat(rate, 2, channels)
    pcm = tone(1.0, form)
    heard = samples(await read(header(form, len(pcm)) + pcm))
    assert abs(len(heard) - 16_000) <= 1
    spectrum = np.abs(np.fft.rfft(heard))
    assert abs(int(spectrum.argmax()) - 440) <= 1
    assert abs(np.abs(heard[1000:-1000]).max() - 0.3 * 32767) < 200


async def test_stereo_is_the_mean_of_both_sides() -> None:
    both = np.stack([SINE, np.zeros_like(SINE)], axis=1).astype("<i2").tobytes()
    heard = samples(await read(file(1, 16, both, channels=2)))
    assert np.abs(heard - SINE / 2).max() <= 1


@pytest.mark.parametrize("size", [0, 0xFFFFFFFF, 0x7FFFF000])
async def test_a_streamed_file_of_unknown_size_is_read_to_its_end(size: int) -> None:
    pcm = tone(0.5)
    start = header(SPEECH, len(pcm))
    assert await read(start[:40] + struct.pack("<I", size) + pcm) == pcm


async def test_other_chunks_before_and_after_the_audio_are_passed_over() -> None:
    pcm = tone(0.1)
    plain = header(SPEECH, len(pcm))
    body = chunk(b"JUNK", b"x" * 27) + chunk(b"LIST", b"INFOISFT\x05\0\0\0Lavf\0") + plain[12:36]
    after = chunk(b"id3 ", b"noise" * 99)
    assert await read(plain[:12] + body + chunk(b"data", pcm) + after) == pcm


async def test_a_missing_pad_byte_after_an_odd_chunk_is_forgiven() -> None:
    pcm = tone(0.1)
    plain = header(SPEECH, len(pcm))
    odd = chunk(b"LIST", b"odd", pad=b"")
    assert await read(plain[:12] + odd + plain[12:] + pcm) == pcm


async def test_a_file_over_four_gigabytes_says_its_size_elsewhere() -> None:
    pcm = tone(0.1)
    sizes = chunk(b"ds64", struct.pack("<QQQI", 2**33, len(pcm), 0, 0))
    plain = header(SPEECH)
    assert await read(b"RF64" + plain[4:12] + sizes + plain[12:] + pcm + b"after") == pcm


async def test_a_truncated_file_gives_what_is_there() -> None:
    pcm = tone(0.5)
    assert await read((header(SPEECH, len(pcm)) + pcm)[:-3001]) == pcm[:-3002]


async def test_floats_that_are_no_numbers_are_silence_and_too_loud_is_clipped() -> None:
    values = np.array([np.nan, np.inf, -np.inf, 7.0, 0.5], "<f4")
    assert list(samples(await read(file(3, 32, values.tobytes())))) == [0, 32767, -32768, 32767, 16384]


async def test_the_files_of_the_standard_library_are_read() -> None:
    target = io.BytesIO()
    with wave.open(target, "wb") as writer:
        writer.setparams((2, 3, 48_000, 0, "NONE", ""))
        writer.writeframes(bytes(48_000 * 6))
    assert len(await read(target.getvalue())) == 32_000


async def body(data: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


@pytest.mark.parametrize("size", [1, 7, 1000, 10**9])
async def test_how_a_body_is_cut_makes_no_difference(size: int) -> None:
    form = AudioFormat(22_050, 2, 2)
    pcm = tone(0.05, form)
    whole = header(form, len(pcm)) + pcm
    assert await read(body(whole, size)) == await read(whole)


async def test_a_file_is_read_from_disk(tmp_path: Path) -> None:
    pcm = tone(0.3)
    (tmp_path / "a.wav").write_bytes(header(SPEECH, len(pcm)) + pcm)
    assert await read(tmp_path / "a.wav") == pcm


async def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.wav", tmp_path):
        with pytest.raises(AudioError, match=str(path)):
            await read(path)


async def test_an_hour_is_read_as_a_stream() -> None:
    asked = 0

    async def hours() -> AsyncIterator[bytes]:
        nonlocal asked
        yield header(SPEECH)
        while True:
            asked += 1
            yield bytes(32_000)

    seconds = 0.0
    async with aclosing(speech(hours())) as chunks:
        async for part in chunks:
            seconds += part.seconds
            if seconds >= 60:
                break
    assert asked <= 61


async def test_reading_a_long_file_lets_others_work() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    await read(header(SPEECH) + bytes(32_000 * 60))
    task.cancel()
    assert turns > 50


BROKEN = {
    "empty": (b"", "the file is empty"),
    "too short": (b"RIF", "too short"),
    "text": (b"hello, this is no audio at all", "no RIFF header"),
    "FLAC": (b"fLaC\0\0\0\x22" + bytes(40), "FLAC file.*ffmpeg"),
    "MP3": (b"ID3\4" + bytes(40), "MP3 file.*ffmpeg"),
    "Ogg": (b"OggS" + bytes(40), "Ogg file"),
    "MP4": (b"\0\0\0\x20ftypM4A " + bytes(40), "MP4 file"),
    "big-endian": (b"RIFX\0\0\0\0WAVE" + bytes(40), "big-endian"),
    "no WAVE": (b"RIFF\0\0\0\0AVI " + bytes(40), "without WAVE"),
    "only a start": (b"RIFF\0\0\0\0WAVE", "before its audio"),
    "no data": (header(SPEECH, 0)[:36], "before its audio"),
    "no samples": (header(SPEECH, 0), "holds no audio"),
    "half a sample": (header(SPEECH, 1) + b"x", "holds no audio"),
    "no format": (b"RIFF\0\0\0\0WAVEdata\4\0\0\0abcd", "does not say how"),
    "short format": (b"RIFF\0\0\0\0WAVE" + chunk(b"fmt ", b"\1\0\1\0") + chunk(b"data", b"ab"), "too short"),
    "ADPCM": (file(2, 4, bytes(64)), "ADPCM.*ffmpeg"),
    "MP3 inside": (file(0x55, 16, bytes(64)), "MP3"),
    "unknown codec": (file(0x1234, 16, bytes(64)), "0x1234"),
    "no channels": (file(1, 16, bytes(64), channels=0), "0 channels"),
    "no rate": (file(1, 16, bytes(64), rate=0), "0 Hz"),
    "64-bit integers": (file(1, 64, bytes(64)), "64 bits"),
    "half floats": (file(3, 16, bytes(64)), "16 bits"),
    "an unknown GUID": (file(0xFFFE, 16, bytes(64), extra=bytes(24)), "extended header"),
    "endless pictures": (b"RIFF\0\0\0\0WAVELIST\xff\xff\xff\xff" + bytes(17 << 20), "first 16 MB"),
}


@pytest.mark.parametrize("kind", BROKEN)
async def test_what_cannot_be_read_says_what_to_do(kind: str) -> None:
    data, message = BROKEN[kind]
    with pytest.raises(AudioError, match=message):
        await read(data)


@pytest.mark.parametrize("path", files(), ids=title)
async def test_every_recording_is_read_or_refused_clearly(path: Path) -> None:
    if path.suffix == ".flac":
        with pytest.raises(AudioError, match="FLAC file, no WAV; convert it first: ffmpeg"):
            await read(path)
    elif path.name == "missing_wav_header.wav":
        with pytest.raises(AudioError, match="no RIFF header; raw samples need a header first: sox"):
            await read(path)
    else:
        heard = samples(await read(path))
        known = manifest().get(str(path.relative_to(OURS))) if path.is_relative_to(OURS) else None
        if known and known["format"] != "pcm_mulaw 16000 Hz 1 ch":
            assert len(heard) / 16_000 == pytest.approx(known["seconds"], abs=0.011)
        assert np.abs(heard).max() > 0
