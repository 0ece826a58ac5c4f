"""Silero tells speech from everything else, in the hub, without any of faster-whisper."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from faster_whisper.vad import SileroVADModel

from hub.errors import IntegrationError
from hub.stages.vad import Vad
from integrations import silero_vad
from tests.integrations.speech import recording
from tests.recordings import OURS, manifest
from tests.remote.contexts import context

pytestmark = pytest.mark.engines
FRAME = 1024
CLIPS = [
    "azure-speech-samples/whatstheweatherlike.wav",
    "koala/noise.wav",
    "pymicro-wakeword/okay_nabu_2.wav",
]


@pytest.fixture
async def vad(tmp_path: Path) -> Vad:
    async with silero_vad.setup(silero_vad.Options(), context(tmp_path, [])) as provides:
        assert provides.vad
        return provides.vad


def _frames(pcm: bytes) -> list[bytes]:
    return [pcm[start : start + FRAME] for start in range(0, len(pcm) - FRAME + 1, FRAME)]


@pytest.mark.parametrize("name", CLIPS)
async def test_it_finds_as_much_speech_as_its_authors_do(vad: Vad, name: str) -> None:
    with closing(vad.open()) as stream:
        speech = [stream.process(frame) > 0.5 for frame in _frames(await recording(OURS / name))]
    assert sum(speech) * 0.032 == pytest.approx(manifest()[name]["vad_speech_seconds"], abs=0.15)


async def test_frame_by_frame_it_says_what_the_model_says_of_the_whole(vad: Vad) -> None:
    frames = _frames(await recording(OURS / CLIPS[0]))
    samples = np.frombuffer(b"".join(frames), np.int16).astype(np.float32) / 32_768
    whole = SileroVADModel(str(silero_vad.packaged_model()))(samples)
    with closing(vad.open()) as stream:
        assert np.allclose([stream.process(frame) for frame in frames], whole.ravel(), atol=1e-4)


async def test_silence_and_hum_are_no_speech(vad: Vad) -> None:
    hum = (b"\x00\x08" * 16 + b"\x00\xf8" * 16) * 16
    with closing(vad.open()) as stream:
        assert max(stream.process(frame) for frame in [bytes(FRAME)] * 50 + [hum] * 50) < 0.5


async def test_two_streams_share_nothing(vad: Vad) -> None:
    frames = _frames(await recording(OURS / CLIPS[0]))
    with closing(vad.open()) as alone:
        expected = [alone.process(frame) for frame in frames]
    with closing(vad.open()) as one, closing(vad.open()) as other:
        both = [(one.process(frame), other.process(bytes(FRAME))) for frame in frames]
    assert [first for first, _ in both] == expected
    assert max(second for _, second in both) < 0.5


async def test_a_frame_of_another_length_is_refused(vad: Vad) -> None:
    with closing(vad.open()) as stream:
        assert stream.frame_samples == 512
        with pytest.raises(ValueError, match="512 samples, not 160"):
            stream.process(bytes(320))


async def test_a_model_that_is_not_there_or_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "rubbish.onnx").write_bytes(b"no model")
    for model, complaint in (
        ("none.onnx", "there is no model at"),
        ("rubbish.onnx", "is no Silero VAD model"),
    ):
        with pytest.raises(IntegrationError, match=complaint):
            async with silero_vad.setup(silero_vad.Options(model=model), context(tmp_path, [])):
                pass


def test_it_starts_nothing_of_faster_whisper() -> None:
    code = (
        "import sys; from integrations.silero_vad import packaged_model;"
        "from integrations.silero_vad.detector import SileroVad; SileroVad.load(packaged_model());"
        "print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "onnxruntime" in done.stdout.split()
    assert not {"faster_whisper", "ctranslate2", "av", "huggingface_hub"} & set(done.stdout.split())
