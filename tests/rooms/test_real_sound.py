"""Rooms with real sound: microWakeWord, Silero VAD, recordings of people."""

import random
from array import array
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hub.audio import SPEECH
from hub.events import WakeWordYielded
from hub.rooms.config import SatelliteConfig
from hub.testing import ScriptedAsr
from hub.testing.fleet import ScriptedSatellite
from integrations import microwakeword, silero_vad
from tests.integrations.speech import recording
from tests.recordings import OURS
from tests.remote.contexts import context
from tests.rooms.rig import WAKE, Building

pytestmark = [pytest.mark.engines, pytest.mark.virtual_time]
NAME = OURS / "pymicro-wakeword" / "okay_nabu_2.wav"
COMMAND = OURS / "azure-speech-samples" / "whatstheweatherlike.wav"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Building]:
    """Two rooms with real detectors."""
    configs = {name: SatelliteConfig(source=name, wake=WAKE) for name in ("near", "far")}
    own = context(tmp_path, [])
    async with (
        microwakeword.setup(microwakeword.Options(), own) as wake,
        silero_vad.setup(silero_vad.Options(), own) as vad,
        Building(configs).open() as building,
    ):
        building.engines |= {"words": wake.wake, "vad": vad.vad, "asr": ScriptedAsr(["stop it"])}
        yield building


def noisy(pcm: bytes, gain: float, seed: int) -> bytes:
    """Return the sound softer or louder, in a room that is never quite silent."""
    chance = random.Random(seed)
    return array("h", (int(value * gain) + chance.randint(-12, 12) for value in array("h", pcm))).tobytes()


async def test_the_nearer_of_two_rooms_hears_its_name_and_all_of_the_command(house: Building) -> None:
    command = await recording(COMMAND)
    said = bytes(64_000) + await recording(NAME) + bytes(9_600) + command + bytes(64_000)
    for name, gain, seed in (("far", 0.15, 1), ("near", 0.8, 2)):
        toy = ScriptedSatellite(house.tongue, name)
        house.connect(toy, name)
        await house.until("standby", name)
        toy.hear(noisy(said, gain, seed))
    await house.talked("near")
    assert [request.session.satellite for request in house.requests] == ["near"]
    assert [turn.reason for turn in house.turns] == ["answered"]
    assert {(event.satellite, event.winner) for event in house.of(WakeWordYielded)} == {("far", "near")}
    assert house.words("far") == ["unavailable", "standby"]
    (heard,) = house.engines["asr"].utterances
    utterance = house.turns[0].utterance
    assert utterance is not None
    assert utterance.ended_by == "silence"
    assert SPEECH.seconds(len(heard)) >= 0.9 * (SPEECH.seconds(len(command)) - 0.5)
