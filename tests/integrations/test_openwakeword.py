"""openWakeWord hears its words as Piper says them, in a process of its own."""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from wyoming.client import AsyncClient

from hub.errors import EngineError, IntegrationError
from hub.stages.wake import WakeDetector
from hub.values.speech import Detection
from integrations import openwakeword, piper
from integrations.openwakeword.worker import Ears, Word, open_engine
from tests.integrations.speech import recording, say
from tests.recordings import OURS
from tests.remote import plain
from tests.remote.contexts import context

pytestmark = [pytest.mark.engines, pytest.mark.asyncio(loop_scope="module")]

PACKAGED = openwakeword.packaged_models()
SPOKEN = {"alexa": "Alexa.", "hey_jarvis": "Hey Jarvis.", "hey_mycroft": "Hey Mycroft."}
OTHERS = ("Okay Nabu.", "Turn on the kitchen lights.", "Hey Jerry.")
SECOND = bytes(32_000)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def spoken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What Piper makes of the words and of other sentences, a second of silence on both sides."""
    options, folder = piper.Options(noise_scale=0, noise_w=0), tmp_path_factory.mktemp("voice")
    async with piper.setup(options, context(folder, [], "voice")) as provides:
        assert provides.tts
        said = {text: await say(provides.tts, text) for text in (*SPOKEN.values(), *OTHERS)}
    return {text: SECOND + pcm + SECOND for text, pcm in said.items()}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[WakeDetector, str]]:
    """All packaged words, and hey_jarvis under two other names; where others may use them."""
    folder = tmp_path_factory.mktemp("words")
    (folder / "mine").mkdir()
    for kind, name in (("onnx", "hello_house"), ("tflite", "hello_garden")):
        shutil.copy(PACKAGED / f"hey_jarvis_v0.1.{kind}", folder / "mine" / f"{name}.{kind}")
    uri = f"unix://{folder}/open.sock"
    options = openwakeword.Options(models="mine", listen=uri)
    async with openwakeword.setup(options, context(folder, [], "words")) as provides:
        assert provides.wake
        yield provides.wake, uri


@pytest.fixture
def detector(opened: tuple[WakeDetector, str]) -> WakeDetector:
    return opened[0]


@pytest.fixture
def listening(opened: tuple[WakeDetector, str]) -> str:
    return opened[1]


async def _found(detector: WakeDetector, pcm: bytes, *words: str) -> list[Detection]:
    """Return what one stream finds."""

    def listen() -> list[Detection | None]:
        size = stream.frame_samples * 2
        found = [stream.process(pcm[start : start + size]) for start in range(0, len(pcm) - size + 1, size)]
        return [*found, *iter(stream.finish, None)]

    with closing(detector.open(words or detector.words)) as stream:
        return [detection for detection in await asyncio.to_thread(listen) if detection]


async def test_it_knows_the_packaged_words_and_those_of_the_folder(detector: WakeDetector) -> None:
    packaged = {"alexa", "hey_jarvis", "hey_mycroft", "hey_rhasspy", "timer", "weather"}
    assert set(detector.words) == {*packaged, "hello_house", "hello_garden"}


@pytest.mark.parametrize("word", SPOKEN)
async def test_a_word_that_piper_says_is_found_where_it_ends(
    detector: WakeDetector, spoken: dict[str, bytes], word: str
) -> None:
    pcm = spoken[SPOKEN[word]]
    (found,) = await _found(detector, pcm, *SPOKEN)
    assert found.word == word
    assert -0.5 < found.samples / 16_000 - (len(pcm) / 32_000 - 1) < 0.5


@pytest.mark.parametrize("text", OTHERS)
async def test_other_speech_is_no_wake_word(
    detector: WakeDetector, spoken: dict[str, bytes], text: str
) -> None:
    assert await _found(detector, spoken[text]) == []


async def test_only_the_words_that_are_listened_for_are_found(
    detector: WakeDetector, spoken: dict[str, bytes]
) -> None:
    pcm = spoken[SPOKEN["alexa"]] + spoken[SPOKEN["hey_jarvis"]]
    assert [found.word for found in await _found(detector, pcm, "alexa")] == ["alexa"]
    assert [found.word for found in await _found(detector, pcm, "alexa", "hey_jarvis")] == [
        "alexa",
        "hey_jarvis",
    ]


@pytest.mark.parametrize("name", ["hello_house", "hello_garden"])
async def test_a_word_of_the_folder_is_found_under_its_own_name(
    detector: WakeDetector, spoken: dict[str, bytes], name: str
) -> None:
    """One is an .onnx, the other a .tflite."""
    (found,) = await _found(detector, spoken[SPOKEN["hey_jarvis"]], name)
    assert found.word == name


async def test_eight_microphones_hear_at_the_same_time_and_not_each_other(
    detector: WakeDetector, spoken: dict[str, bytes]
) -> None:
    texts = [SPOKEN["alexa"], OTHERS[0], SPOKEN["hey_jarvis"], OTHERS[1]] * 2
    found = await asyncio.gather(*(_found(detector, spoken[text], *SPOKEN) for text in texts))
    assert [[one.word for one in each] for each in found] == [["alexa"], [], ["hey_jarvis"], []] * 2


async def test_any_wyoming_client_may_use_it(listening: str, spoken: dict[str, bytes]) -> None:
    (program,) = (await plain.info(listening)).wake
    assert (program.name, program.version) == ("openwakeword", "0.5.1")
    assert "hello house" in [model.phrase for model in program.models]
    async with AsyncClient.from_uri(listening) as client:
        await plain.send_audio(client, spoken[SPOKEN["hey_mycroft"]])
        event = await client.read_event()
    assert event
    assert (event.type, event.data["name"]) == ("detection", "hey_mycroft")


async def test_words_that_are_not_there_are_named(detector: WakeDetector) -> None:
    with pytest.raises(IntegrationError, match="no wake word 'computer'; there are alexa, hey_jarvis"):
        await _found(detector, b"", "computer")


def _ears(**options: Any) -> Ears:
    """Return the models without a process."""
    words = {word: str(file) for word, file in openwakeword.packaged_words(PACKAGED).items()}
    told = asdict(openwakeword.Options(**options)) | {"packaged": str(PACKAGED), "words": words}
    engine = open_engine(told)
    assert engine.detect
    ears: Ears = engine.detect.__self__  # type: ignore[attr-defined]
    return ears


async def test_patience_and_thresholds_are_those_of_the_options(spoken: dict[str, bytes]) -> None:
    pcm = spoken[SPOKEN["hey_jarvis"]]
    (quick,) = await _found(_ears(), pcm, "hey_jarvis")
    (slow,) = await _found(_ears(patience=4), pcm, "hey_jarvis")
    assert slow.samples == quick.samples + 3 * 1280
    assert await _found(_ears(patience=25), pcm, "hey_jarvis") == []
    assert await _found(_ears(thresholds={"alexa": 0.999}), pcm, "hey_jarvis") == [quick]
    assert [len(await _found(_ears(pause=p), pcm + pcm, "hey_jarvis")) for p in (0.1, 2.0, 30.0)] > [2, 2, 1]


async def test_it_judges_as_the_library_itself_does() -> None:
    """The same certainty for every 80 ms, from the moment on when both have forgotten how they began."""
    code = (
        "import sys, numpy, warnings; warnings.simplefilter('ignore')\n"
        "from openwakeword.model import Model\n"
        "pcm = numpy.frombuffer(sys.stdin.buffer.read(), numpy.int16)\n"
        "model = Model(wakeword_models=['hey jarvis'], inference_framework='onnx')\n"
        "frames = (pcm[i:i + 1280] for i in range(0, len(pcm) - 1279, 1280))\n"
        "print(*(float(model.predict(frame)['hey jarvis']) for frame in frames))"
    )
    pcm = 3 * SECOND + await recording(OURS / "pymicro-wakeword/hey_jarvis_2.wav") + SECOND
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdin=pipe, stdout=pipe)
    printed, _ = await process.communicate(pcm)
    theirs = [float(score) for score in printed.split()]
    ears = _ears()
    stream = ears.open(["hey_jarvis"])
    ours = []
    for start in range(0, len(pcm) - 2559, 2560):
        stream.process(pcm[start : start + 2560])
        ours.append(stream._words[0].judge(stream._features[None, -stream._words[0].length :]))
    assert max(theirs) > 0.9
    assert np.allclose(ours[32:], theirs[32:], atol=0.01)


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("broken.onnx", b"no model", "is no openWakeWord model"),
        ("broken.tflite", b"no model", "is no openWakeWord model"),
        ("silero.onnx", (PACKAGED / "silero_vad.onnx").read_bytes(), "is no openWakeWord model"),
        (
            "other.tflite",
            (PACKAGED / "embedding_model.tflite").read_bytes(),
            r"it takes \[1, 76, 32",
        ),
    ],
)
async def test_a_file_that_is_no_wake_word_is_named(
    tmp_path: Path, file: str, content: bytes, words: str
) -> None:
    path = tmp_path / file
    path.write_bytes(content)
    with pytest.raises(EngineError, match=f"{file}.*{words}"):
        Word("mine", path, 0.5)


async def test_a_broken_word_keeps_the_instance_from_opening_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    options = openwakeword.Options(models=".")
    with pytest.raises(IntegrationError, match=r"broken\.onnx is no openWakeWord model"):
        async with openwakeword.setup(options, context(tmp_path, [], "words")):
            pass


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"models": "nowhere"}, "models: there is no folder"),
        ({"models": "."}, "there are no wake words"),
        ({"thresholds": {"alexia": 0.4}}, "thresholds: there is no wake word 'alexia'; there are alexa"),
    ],
)
async def test_options_that_fit_nothing_are_told(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(IntegrationError, match=words):
        async with openwakeword.setup(openwakeword.Options(**options), context(tmp_path, [], "words")):
            pass


async def test_of_two_files_with_one_name_the_onnx_is_taken(tmp_path: Path) -> None:
    for kind in ("onnx", "tflite"):
        (tmp_path / f"word.{kind}").touch()
    assert openwakeword.own_words(str(tmp_path), tmp_path) == {"word": tmp_path / "word.onnx"}
