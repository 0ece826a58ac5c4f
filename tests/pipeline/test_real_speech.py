"""Real speech, found by the real detector."""

import pytest

from hub.stages.vad import Vad
from hub.testing import ScriptedAsr
from hub.wav import speech
from integrations.silero_vad import packaged_model
from integrations.silero_vad.detector import SileroVad
from tests.pipeline.rig import Rig, acting
from tests.recordings import OURS, manifest

pytestmark = pytest.mark.engines
SPOKEN: dict[str, float] = {
    name: entry["vad_speech_seconds"]
    for name, entry in manifest().items()
    if name.endswith(".wav") and "vad_speech_seconds" in entry
}
"""Seconds of speech in each recording, as Silero measured it elsewhere."""


@pytest.fixture(scope="module")
def silero() -> Vad:
    return SileroVad.load(packaged_model())


@pytest.mark.parametrize("name", SPOKEN)
async def test_speech_in_a_recording_is_found_and_silence_is_not_speech(silero: Vad, name: str) -> None:
    asr = ScriptedAsr(["on"])
    rig = Rig({"vad": silero, "asr": asr}, sentences={"on": acting()})
    turn = await rig.run(audio=speech(OURS / name))
    spoken = SPOKEN[name]
    assert turn.failures == ()
    if spoken >= 0.4:
        assert turn.reason == "acted"
        assert len(asr.utterances[0]) / 32_000 >= 0.3
    elif spoken == 0:
        assert turn.reason == "no_speech"
