"""Sound of several voices in one stream: one format, no click, the right pitch."""

import math
from array import array
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest

from hub.audio import AudioChunk, AudioFormat
from hub.errors import EngineError
from hub.pipeline.joint import Joint
from hub.resample.samples import floats, signed
from hub.testing import RecordingSpeaker, ScriptedTts, tone
from tests.pipeline.rig import Rig, telling

PIPER = AudioFormat(rate=22_050)
OTHERS = [
    AudioFormat(rate=16_000),
    AudioFormat(rate=48_000, channels=2),
    AudioFormat(rate=44_100, width=4),
    AudioFormat(rate=8_000, width=1),
    AudioFormat(rate=24_000, width=3, channels=2),
]


def _values(chunks: Iterable[AudioChunk]) -> np.ndarray:
    """Return the mean of the channels, -1 to 1."""
    chunks = list(chunks)
    form = chunks[0].format
    values = floats(b"".join(chunk.pcm for chunk in chunks), signed(form.width))
    mean: np.ndarray = values.reshape(-1, form.channels).mean(axis=1)
    return mean


def _hertz(values: np.ndarray, rate: int) -> float:
    """Return the loudest frequency."""
    spectrum = np.abs(np.fft.rfft(values * np.hanning(len(values))))
    return float(np.argmax(spectrum)) * rate / len(values)


def _tone(form: AudioFormat, seconds: float, hertz: int = 440) -> list[AudioChunk]:
    """Return a sine in that format, in pieces of 50 ms."""
    frames = round(seconds * form.rate)
    wave = [0.3 * math.sin(2 * math.pi * hertz * n / form.rate) for n in range(frames)]
    peak = 2 ** (8 * form.width - 1) - 1
    pcm = b"".join(
        round(value * peak).to_bytes(form.width, "little", signed=True) * form.channels for value in wave
    )
    size = round(0.05 * form.rate) * form.frame_bytes
    return [AudioChunk(pcm[start : start + size], form) for start in range(0, len(pcm), size)]


def _joined(first: list[AudioChunk], second: list[AudioChunk]) -> list[AudioChunk]:
    joint = Joint()
    given = [piece for chunk in first for piece in joint.through(chunk)]
    given += joint.cut()
    given += [piece for chunk in second for piece in joint.through(chunk)]
    return given + list(joint.end())


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("is_first", [True, False])
def test_two_voices_of_different_formats_are_one_stream_at_the_right_pitch(
    other: AudioFormat, is_first: bool
) -> None:
    one, two = (other, PIPER) if is_first else (PIPER, other)
    given = _joined(_tone(one, 1.0), _tone(two, 1.0))
    assert {chunk.format for chunk in given} == {one}
    assert sum(chunk.seconds for chunk in given) == pytest.approx(2.158, abs=0.005)
    values = _values(given)
    for start in (0.2, 1.4):
        part = values[round(start * one.rate) : round((start + 0.5) * one.rate)]
        assert _hertz(part, one.rate) == pytest.approx(440, abs=4)
        assert np.abs(part).max() == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize("cut", [0.9, 1.0005, 1.00114])
def test_where_one_voice_was_cut_off_there_is_no_click(cut: float) -> None:
    given = _joined(_tone(PIPER, cut), _tone(OTHERS[1], 0.5))
    steps = np.abs(np.diff(_values(given)))
    steepest = 0.3 * 2 * math.pi * 440 / PIPER.rate
    assert steps.max() <= steepest * 1.1


def test_one_voice_passes_as_it_came() -> None:
    joint, chunks = Joint(), _tone(PIPER, 0.5)
    given = [piece for chunk in chunks for piece in joint.through(chunk)] + list(joint.end())
    assert all(a is b for a, b in zip(given, chunks, strict=True))


def test_sound_that_never_began_needs_no_landing() -> None:
    joint = Joint()
    assert list(joint.cut()) == list(joint.end()) == []


def test_a_chunk_without_a_whole_frame_is_no_sound() -> None:
    joint = Joint()
    assert list(joint.through(AudioChunk(b"", PIPER))) == []
    assert list(joint.cut()) == []


@pytest.mark.virtual_time
async def test_the_speaker_gets_one_format_whoever_speaks() -> None:
    first = ScriptedTts(errors={1: EngineError("lost")})
    other = ScriptedTts(format=AudioFormat(rate=48_000, channels=1))
    rig = Rig({"tts": first, "other": other}, sentences={"tell": telling("Once. Upon a time.")})
    speaker = RecordingSpeaker()
    await rig.run(rig.pipeline(tts=("tts", "other")), text="tell", speaker=speaker)
    assert {chunk.format for chunk in speaker.chunks} == {first.format}
    whole = array("h", b"".join(chunk.pcm for chunk in speaker.chunks))
    steps = [abs(b - a) for a, b in pairwise(whole)]
    assert max(steps) < 32_767 * 0.3 * 2 * math.pi * 440 / 22_050 * 1.1


def test_the_scripted_tone_is_what_it_says() -> None:
    assert _hertz(_values([AudioChunk(tone(1.0, PIPER), PIPER)]), PIPER.rate) == pytest.approx(440, abs=2)
