"""Every recording goes through reading, segmentation and a turn."""

from array import array
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import pytest

from hub.testing import ScriptedAsr
from hub.wav import speech
from tests.pipeline.rig import Rig, acting, parts_of
from tests.recordings import OURS, files, manifest, title


@dataclass
class Loudness:
    """Voice activity by loudness alone; keeps no state between frames."""

    threshold: int = 300
    """Mean absolute sample value that counts as certain speech."""
    frame_samples: int = 512

    def open(self) -> "Loudness":
        return self

    def process(self, frame: bytes) -> float:
        samples = array("h", frame)
        return min(sum(map(abs, samples)) / len(samples) / self.threshold, 1.0)

    def close(self) -> None: ...


async def whole(path: Path) -> bytes:
    async with aclosing(speech(path)) as chunks:
        return b"".join([chunk.pcm async for chunk in chunks])


@pytest.mark.parametrize("path", files(), ids=title)
async def test_a_recording_goes_through_a_turn(path: Path) -> None:
    asr = ScriptedAsr(["on"])
    rig = Rig({"vad": Loudness(), "asr": asr}, sentences={"on": acting()})
    turn = await rig.run(audio=speech(path))
    parts_of(turn)
    assert rig.names[-1] == "run-end"
    if path.suffix == ".flac" or path.name == "missing_wav_header.wav":
        assert (turn.reason, turn.failures[0].code) == ("failed", "audio-unreadable")
        assert "convert it first" in turn.reply or "need a header first" in turn.reply
        return
    assert turn.failures == ()
    if turn.reason == "no_speech":
        assert asr.utterances == []
    else:
        assert turn.reason == "acted"
        assert asr.utterances[0] in await whole(path)


@pytest.mark.parametrize("path", [path for path in files() if path.is_relative_to(OURS)], ids=title)
async def test_a_recording_as_one_utterance_is_heard_whole(path: Path) -> None:
    asr = ScriptedAsr(["on"])
    turn = await Rig({"asr": asr}).run(audio=speech(path), end="asr")
    if turn.reason == "failed":
        assert path.suffix == ".flac" or path.name == "missing_wav_header.wav"
    else:
        assert asr.utterances == [await whole(path)]


def test_where_every_recording_comes_from_is_written_down() -> None:
    ours = {str(path.relative_to(OURS)) for path in files() if path.is_relative_to(OURS)}
    assert ours == set(manifest())
    assert all(entry["repo"] and entry["licence"] for entry in manifest().values())
    assert sum((OURS / name).stat().st_size for name in ours) < 8_000_000
