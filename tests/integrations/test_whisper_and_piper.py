"""Piper speaks and Whisper hears, each in its own process, for the hub and for anybody."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import pytest_asyncio
from wyoming.client import AsyncClient

from hub.audio import AudioChunk
from hub.errors import EarnestError, EngineError, IntegrationError
from hub.stages.asr import Asr
from hub.stages.tts import Tts
from hub.values.speech import Hearing
from integrations import faster_whisper, piper
from tests.integrations.speech import ENGLISH, frames, hear, recording, say, to_speech, words
from tests.processes import lives
from tests.recordings import OURS, manifest
from tests.remote import plain
from tests.remote.contexts import context
from tests.remote.scripted import until

pytestmark = [pytest.mark.engines, pytest.mark.asyncio(loop_scope="module")]

SENTENCES = (
    "Turn on the kitchen lights.",
    "Close the garage door.",
    "What is the temperature outside?",
    "Lock the front door.",
)
PHRASES = ("Add milk to my shopping list", "Turn on the kitchen lights", "Shopping list", "Kitchen")


@dataclass(frozen=True, slots=True)
class Engines:
    asr: Asr
    tts: Tts
    ears: str
    """Where Whisper listens for others."""
    mouth: str
    """Where Piper listens for others."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engines(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Engines]:
    folder = tmp_path_factory.mktemp("run")
    ears, mouth = f"unix://{folder}/ears.sock", f"unix://{folder}/mouth.sock"
    hearing = faster_whisper.Options(listen=ears)
    speaking = piper.Options(listen=mouth, noise_scale=0, noise_w=0)
    async with AsyncExitStack() as stack:
        asr, tts = await asyncio.gather(
            stack.enter_async_context(faster_whisper.setup(hearing, context(folder, [], "whisper"))),
            stack.enter_async_context(piper.setup(speaking, context(folder, [], "voice"))),
        )
        assert asr.asr
        assert tts.tts
        yield Engines(asr.asr, tts.tts, ears, mouth)


@pytest.mark.parametrize("sentence", SENTENCES)
async def test_what_piper_says_whisper_hears(engines: Engines, sentence: str) -> None:
    heard = await hear(engines.asr, await say(engines.tts, sentence))
    assert words(heard.text) == words(sentence)
    assert heard.language == "en"
    assert 0.5 < (heard.confidence or 0) <= 1
    assert 0 <= (heard.no_speech or 0) < 0.3


async def test_what_whisper_mishears_it_hears_right_when_it_knows_the_house(engines: Engines) -> None:
    told = Hearing(language="en-US", phrases=PHRASES)
    heard = await hear(engines.asr, await say(engines.tts, "Add milk to my shopping list."), told)
    assert words(heard.text) == "add milk to my shopping list"


async def test_a_house_of_a_thousand_names_still_fits_the_prompt(engines: Engines) -> None:
    told = Hearing(language="en", phrases=(*PHRASES, *(f"Ceiling lamp number {n}" for n in range(1000))))
    heard = await hear(engines.asr, await say(engines.tts, "Close the garage door."), told)
    assert words(heard.text) == "close the garage door"


async def test_two_sentences_have_a_pause_between_them_and_none_after(engines: Engines) -> None:
    one, two = await say(engines.tts, "Yes."), await say(engines.tts, "No.")
    both = await say(engines.tts, "Yes.", "No.")
    assert abs(len(both) - len(one) - len(two) - 0.2 * 32_000) < 64


async def test_silence_has_no_words(engines: Engines) -> None:
    assert (await hear(engines.asr, bytes(64_000))).text == ""
    assert (await hear(engines.asr, b"")).text == ""


async def test_a_language_the_model_does_not_know_is_said_and_the_worker_stays(engines: Engines) -> None:
    with pytest.raises(EngineError, match=r"^the model 'tiny.en' does not know the language 'de'$"):
        await hear(engines.asr, bytes(64_000), Hearing(language="de"))


async def test_real_recordings_are_heard_as_they_were_elsewhere(engines: Engines) -> None:
    named = ["pymicro-wakeword/alexa_1.wav", "pymicro-wakeword/hey_jarvis_2.wav"]
    for name in named:
        heard = await hear(engines.asr, await recording(OURS / name))
        assert words(heard.text) == words(manifest()[name]["tiny_en"])


async def test_whisper_serves_a_plain_client(engines: Engines) -> None:
    (program,) = (await plain.info(engines.ears)).asr
    (model,) = program.models
    assert (program.name, model.name, model.languages, model.installed) == (
        "faster-whisper",
        "tiny.en",
        ["en"],
        True,
    )
    assert program.version
    assert program.attribution.url.startswith("https://")
    async with AsyncClient.from_uri(engines.mouth) as mouth:
        sound = plain.pcm(await plain.spoken(mouth, "Add milk to my shopping list."))
    async with AsyncClient.from_uri(engines.ears) as ears:
        (answer,) = await plain.heard(ears, sound, rate=22_050, terms=PHRASES)
        assert words(answer.data["text"]) == "add milk to my shopping list"
        (answer,) = await plain.heard(ears, bytes(32_000))
        assert answer.data["text"] == ""


async def test_piper_serves_a_plain_client(engines: Engines) -> None:
    (program,) = (await plain.info(engines.mouth)).tts
    (voice,) = program.voices
    assert (voice.name, voice.languages, voice.speakers) == ("en_US-joe-medium", ["en_US"], None)
    assert program.version
    assert program.supports_synthesize_streaming
    async with AsyncClient.from_uri(engines.mouth) as client:
        pieces = await plain.spoken_in_pieces(client, ["The light", " is on. It", " is late."])
        assert [event.type for event in pieces].count("audio-start") == 2
        (error,) = await plain.spoken(client, "Hello", voice="en_GB-alan-medium")
        assert "there is no voice 'en_GB-alan-medium' here" in error.data["text"]
        whole = await plain.spoken(client, "The light is on.", voice="en_US-joe-medium")
    heard = await hear(engines.asr, to_speech(plain.pcm(whole), 22_050))
    assert words(heard.text) == "the light is on"


async def test_whisper_that_is_killed_while_somebody_speaks_is_asked_again_and_answers(
    engines: Engines,
) -> None:
    sound = await say(engines.tts, "Turn on the kitchen lights.")

    async def spoken() -> AsyncIterator[AudioChunk]:
        number = 0
        async for chunk in frames(sound):
            yield chunk
            number += 1
            if number == 20:
                _worker("faster_whisper").kill()

    async with engines.asr.transcribe(spoken(), ENGLISH) as transcripts:
        heard = [transcript async for transcript in transcripts][-1]
    assert words(heard.text) == "turn on the kitchen lights"


async def test_piper_that_is_killed_before_it_spoke_is_asked_again_and_speaks(engines: Engines) -> None:
    voice = _worker("piper")
    voice.kill()
    await until(lambda: not lives(voice))
    assert len(await say(engines.tts, "Turn on the kitchen lights.")) > 32_000


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("../elsewhere", "model '../elsewhere' is no folder with a CTranslate2 Whisper model"),
        ("models", "model 'models' is no folder .* has no model.bin, config.json, tokenizer.json"),
        ("smal", "knows no model 'smal'; did you mean 'small'"),
    ],
)
async def test_a_model_that_is_none_is_named_with_what_is_needed(
    tmp_path: Path, model: str, said: str
) -> None:
    (tmp_path / "models").mkdir()
    with pytest.raises(EarnestError, match=said):
        async with faster_whisper.setup(faster_whisper.Options(model=model), context(tmp_path, [])):
            pass


async def test_a_model_folder_with_rubbish_in_it_says_what_the_library_says(tmp_path: Path) -> None:
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (tmp_path / name).write_text("{}")
    options = faster_whisper.Options(model=str(tmp_path))
    with pytest.raises(IntegrationError, match="it ended with 1: "):
        async with faster_whisper.setup(options, context(tmp_path, [])):
            pass


@pytest.mark.parametrize(
    ("voice", "said"),
    [
        ("en_GB-alan-mediun", "knows no voice 'en_GB-alan-mediun'; did you mean 'en_GB-alan-medium'"),
        ("voices/none.onnx", r"voice 'voices/none.onnx' is no Piper voice's .onnx .*none.onnx is not there"),
    ],
)
async def test_a_voice_that_is_none_is_named_with_what_is_needed(
    tmp_path: Path, voice: str, said: str
) -> None:
    with pytest.raises(EarnestError, match=said):
        async with piper.setup(piper.Options(voice=voice), context(tmp_path, [])):
            pass


async def test_a_speaker_that_a_voice_does_not_have_is_said(tmp_path: Path) -> None:
    with pytest.raises(IntegrationError, match="there is no speaker 'Ann'"):
        async with piper.setup(piper.Options(speaker="Ann"), context(tmp_path, [])):
            pass


def _worker(name: str) -> psutil.Process:
    """Return the process of the integration's worker."""
    children = psutil.Process().children()
    return next(child for child in children if f"integrations/{name}/worker.py" in " ".join(child.cmdline()))
