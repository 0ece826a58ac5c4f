import io
import wave
from pathlib import Path

import pytest

from hub.audio import SPEECH, AudioChunk, AudioFormat
from hub.errors import AudioError
from hub.testing import tone
from hub.wav import WavWriter, header, wav


@pytest.mark.parametrize(
    "form", [SPEECH, AudioFormat(22_050), AudioFormat(48_000, 3, 2), AudioFormat(8_000, 4)]
)
def test_what_is_written_is_read_back(form: AudioFormat) -> None:
    pieces = [AudioChunk(bytes(range(256))[: form.frame_bytes * 10], form) for _ in range(3)]
    with wave.open(io.BytesIO(wav(pieces))) as reader:
        assert (reader.getframerate(), reader.getsampwidth(), reader.getnchannels()) == (
            form.rate,
            form.width,
            form.channels,
        )
        assert reader.readframes(100) == b"".join(piece.pcm for piece in pieces)


def test_eight_bit_samples_become_unsigned() -> None:
    with wave.open(io.BytesIO(wav([AudioChunk(b"\x80\0\x7f", AudioFormat(8_000, 1))]))) as reader:
        assert reader.readframes(3) == b"\0\x80\xff"


def test_a_file_on_disk_has_its_sizes(tmp_path: Path) -> None:
    path = tmp_path / "reply.wav"
    with path.open("wb") as file, WavWriter(file) as writer:
        writer.write(AudioChunk(tone(0.5)))
        writer.write(AudioChunk(tone(0.25)))
    with wave.open(str(path)) as reader:
        assert reader.getnframes() == 12_000
    assert path.stat().st_size == 44 + 24_000


def test_a_reply_without_audio_is_an_empty_file() -> None:
    with wave.open(io.BytesIO(wav([]))) as reader:
        assert reader.getnframes() == 0


def test_another_format_in_the_same_file_is_refused() -> None:
    with pytest.raises(AudioError, match="does not fit"):
        wav([AudioChunk(b"ab"), AudioChunk(b"ab", AudioFormat(8_000))])


def test_the_header_of_a_stream_leaves_its_size_open() -> None:
    assert header(SPEECH)[40:] == b"\xff\xff\xff\xff"
    assert len(header(SPEECH)) == 44
