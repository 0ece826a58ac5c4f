"""microWakeWord hears its name in real recordings."""

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pymicro_wakeword
import pytest

from hub.errors import IntegrationError
from hub.stages.wake import WakeDetector
from integrations import microwakeword
from tests.integrations.speech import recording
from tests.recordings import OURS
from tests.remote.contexts import context

pytestmark = pytest.mark.engines
CLIPS = {
    "alexa": "pymicro-wakeword/alexa_1.wav",
    "hey_jarvis": "pymicro-wakeword/hey_jarvis_2.wav",
    "hey_mycroft": "pymicro-wakeword/hey_mycroft_1.wav",
    "okay_nabu": "pymicro-wakeword/okay_nabu_2.wav",
}
SPEECH = "azure-speech-samples/whatstheweatherlike.wav"


async def _open(folder: Path, **options: float | str) -> WakeDetector:
    chosen = microwakeword.Options(**options)  # type: ignore[arg-type]
    async with microwakeword.setup(chosen, context(folder, [])) as provides:
        assert provides.wake
        return provides.wake


async def _heard(detector: WakeDetector, *clips: str, words: tuple[str, ...] = tuple(CLIPS)) -> list[str]:
    """Return every word that one stream hears in the clips, a second of silence before each."""
    pcm = b"".join([bytes(32_000) + await recording(OURS / clip) for clip in clips]) + bytes(32_000)
    with closing(detector.open(words)) as stream:
        size = stream.frame_samples * 2
        found = [stream.process(pcm[start : start + size]) for start in range(0, len(pcm) - size, size)]
        found.append(stream.finish())
    return [detection.word for detection in found if detection]


@pytest.mark.parametrize("word", CLIPS)
async def test_each_word_is_heard_once_and_no_other(tmp_path: Path, word: str) -> None:
    detector = await _open(tmp_path)
    assert set(detector.words) == set(CLIPS)
    assert await _heard(detector, CLIPS[word]) == [word]


async def test_one_stream_hears_one_word_after_the_other(tmp_path: Path) -> None:
    assert await _heard(await _open(tmp_path), *CLIPS.values()) == list(CLIPS)


async def test_it_hears_only_the_words_it_listens_for_and_no_other_speech(tmp_path: Path) -> None:
    detector = await _open(tmp_path)
    assert await _heard(detector, CLIPS["alexa"], CLIPS["okay_nabu"], words=("okay_nabu",)) == ["okay_nabu"]
    assert await _heard(detector, SPEECH) == []


async def test_after_a_word_it_is_deaf_for_the_pause(tmp_path: Path) -> None:
    detector = await _open(tmp_path, pause=20)
    assert await _heard(detector, CLIPS["okay_nabu"], CLIPS["alexa"]) == ["okay_nabu"]


async def test_words_of_the_user_s_own_folder_join_the_shipped_ones(tmp_path: Path) -> None:
    shipped = Path(pymicro_wakeword.__file__).parent / "models"
    (tmp_path / "mine").mkdir()
    shutil.copy(shipped / "okay_nabu.json", tmp_path / "mine" / "hello_house.json")
    shutil.copy(shipped / "okay_nabu.tflite", tmp_path / "mine")
    detector = await _open(tmp_path, models="mine")
    assert set(detector.words) == {*CLIPS, "hello_house"}
    assert await _heard(detector, CLIPS["okay_nabu"], words=("hello_house",)) == ["hello_house"]


async def test_words_that_are_not_there_are_named(tmp_path: Path) -> None:
    detector = await _open(tmp_path)
    with pytest.raises(IntegrationError, match="there is no wake word 'computer'; there are alexa"):
        await _heard(detector, words=("computer",))
    with pytest.raises(IntegrationError, match="models: there is no folder"):
        await _open(tmp_path, models="nowhere")
    with pytest.raises(IntegrationError, match="there are no wake words"):
        await _open(tmp_path, models=".")
    (tmp_path / "bad.json").write_text('{"model": "none.tflite"}')
    with pytest.raises(IntegrationError, match=r"bad\.json is no microWakeWord model"):
        await _open(tmp_path, models=".")


def _own(folder: Path, name: str, **micro: float) -> None:
    """Copy a shipped model under another name, with other settings."""
    shipped = Path(pymicro_wakeword.__file__).parent / "models"
    described = json.loads((shipped / "okay_nabu.json").read_text())
    described["model"], described["wake_word"] = f"{name}.tflite", name
    described["micro"] |= micro
    (folder / f"{name}.json").write_text(json.dumps(described))
    shutil.copy(shipped / "okay_nabu.tflite", folder / f"{name}.tflite")


async def test_a_word_is_as_certain_as_its_model_or_its_option_says(tmp_path: Path) -> None:
    _own(tmp_path, "easy")
    _own(tmp_path, "hard", probability_cutoff=0.9999)
    heard = {}
    for options in ({}, {"cutoffs": {"hard": 0.85}}, {"cutoff": 0.999, "cutoffs": {"easy": 0.5}}):
        detector = await _open(tmp_path, models=".", **options)
        heard[str(options)] = [
            await _heard(detector, CLIPS["okay_nabu"], words=(word,)) for word in ("easy", "hard")
        ]
    assert list(heard.values()) == [[["easy"], []], [["easy"], ["hard"]], [["easy"], []]]


async def test_a_cutoff_for_a_word_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(IntegrationError, match="cutoffs: there is no wake word 'computer'; there are alexa"):
        await _open(tmp_path, cutoffs={"computer": 0.5})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda folder: (folder / "mine.tflite").write_bytes(b"no model" * 100),
            "is broken, or no wake word",
        ),
        (lambda folder: (folder / "mine.tflite").write_bytes(b""), "is broken, or no wake word"),
        (lambda folder: (folder / "mine.tflite").unlink(), "not beside it"),
        (lambda folder: (folder / "mine.json").write_text("{"), "no microWakeWord model"),
        (lambda folder: (folder / "mine.json").write_text("[]"), "does not say which .tflite"),
        (lambda folder: (folder / "mine.json").write_text('{"model": "mine.tflite"}'), "'micro'"),
    ],
)
async def test_a_broken_model_of_the_user_s_own_never_takes_the_hub_along(
    tmp_path: Path, change: Callable[[Path], object], words: str
) -> None:
    """The library would end the process that loads it."""
    _own(tmp_path, "mine")
    change(tmp_path)
    with pytest.raises(IntegrationError, match=rf"mine\.json is no microWakeWord model.*{words}|{words}"):
        await _open(tmp_path, models=".")


async def test_a_truncated_model_is_told(tmp_path: Path) -> None:
    _own(tmp_path, "mine")
    whole = (tmp_path / "mine.tflite").read_bytes()
    (tmp_path / "mine.tflite").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(IntegrationError, match=r"mine\.json is no microWakeWord model"):
        await _open(tmp_path, models=".")
