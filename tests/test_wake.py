"""From the wake word to the deed through real engines: Piper speaks, each detector wakes, Whisper hears."""

from array import array
from collections.abc import AsyncIterator

import psutil
import pytest
import pytest_asyncio

from hub.app import App, running
from hub.audio import AudioChunk
from hub.pipeline.context import TurnRequest
from hub.pipeline.turn import Turn
from hub.testing.fakes import RecordingSpeaker
from hub.values.session import Session
from hub.values.tool import Caller
from tests.integrations.speech import to_speech

pytestmark = [pytest.mark.engines, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

HOUSE = """\
integrations:
  words: {type: microwakeword}
  others: {type: openwakeword}
  silero: {type: silero_vad}
  whisper: {type: faster_whisper}
  voice: {type: piper, noise_scale: 0, noise_w: 0}
  demo_house: {type: demo}
pipelines:
  default: {vad: silero, asr: whisper, intents: [commands, home], tts: voice}
"""
ME = Session(id="wake", area="kitchen")
COMMAND = "Turn on the kitchen lights."
SECOND = bytes(32_000)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hub(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[App]:
    folder = tmp_path_factory.mktemp("house")
    (folder / "earnest.yaml").write_text(HOUSE, encoding="utf-8")
    async with running(folder, data_dir=folder / "data") as app:
        yield app


async def _spoken(hub: App, text: str) -> bytes:
    """Return what Piper makes of it, without the silence around it."""
    speaker = RecordingSpeaker(is_paced=False)
    asked = TurnRequest(session=ME, caller=Caller(("test",)), text=text, start="tts", speaker=speaker)
    assert (await hub.turn(asked)).reason == "said"
    samples = array("h", to_speech(b"".join(chunk.pcm for chunk in speaker.chunks), 22_050))
    loud = [place for place, value in enumerate(samples) if abs(value) > 300]
    return samples[loud[0] : loud[-1]].tobytes()


async def _heard(hub: App, pcm: bytes, wake: str) -> Turn:
    async def chunks() -> AsyncIterator[AudioChunk]:
        for start in range(0, len(pcm), 2048):
            yield AudioChunk(pcm[start : start + 2048])

    engine, _, word = wake.partition(":")
    caller = Caller(("voice:kitchen",))
    return await hub.turn(
        TurnRequest(session=ME, caller=caller, audio=chunks(), wake=engine, wake_words=(word,))
    )


@pytest.mark.parametrize(
    ("wake", "word", "pause"),
    [
        ("words:okay_nabu", "Okay Nabu,", 0),
        ("words:okay_nabu", "Okay Nabu,", 200),
        ("words:okay_nabu", "Okay Nabu,", 600),
        ("words:hey_mycroft", "Hey Mycroft,", 0),
        ("others:hey_jarvis", "Hey Jarvis,", 0),
        ("others:hey_jarvis", "Hey Jarvis,", 2000),
    ],
)
async def test_a_command_after_its_wake_word_is_heard_and_done(
    hub: App, wake: str, word: str, pause: int
) -> None:
    """However soon it comes, nothing of it is lost, and nothing of the wake word is in it."""
    said = await _spoken(hub, word)
    pcm = b"".join((SECOND, said, bytes(32 * pause), await _spoken(hub, COMMAND), SECOND))
    turn = await _heard(hub, pcm, wake)
    assert (turn.transcript or "").casefold() == COMMAND.casefold()
    assert (turn.reason, turn.record()["calls"][0]["tool"]) == ("acted", "light.turn_on")
    assert turn.wake
    assert turn.wake.word == wake.partition(":")[2]
    assert abs(turn.wake.offset - (1 + len(said) / 32_000)) < 0.3


@pytest.mark.parametrize("wake", ["words:okay_nabu", "others:hey_jarvis"])
async def test_a_command_without_the_wake_word_does_nothing(hub: App, wake: str) -> None:
    turn = await _heard(hub, SECOND + await _spoken(hub, COMMAND) + SECOND, wake)
    assert (turn.reason, turn.transcript, turn.outcomes) == ("no_wake_word", None, ())


async def test_a_detector_that_is_gone_is_told(hub: App) -> None:
    turn = await _heard(hub, SECOND, "nobody:okay_nabu")
    assert (turn.reason, turn.failures[0].stage) == ("failed", "wake")


async def test_a_detector_whose_process_was_killed_hears_the_next_word(hub: App) -> None:
    said = await _spoken(hub, "Hey Jarvis,")
    pcm = b"".join((SECOND, said, SECOND, await _spoken(hub, COMMAND), SECOND))
    processes = psutil.Process().children()
    (worker,) = (process for process in processes if "openwakeword/worker.py" in " ".join(process.cmdline()))
    worker.kill()
    turn = await _heard(hub, pcm, "others:hey_jarvis")
    assert (turn.reason, turn.wake and turn.wake.word) == ("acted", "hey_jarvis"), turn.failures
