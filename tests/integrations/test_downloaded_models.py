"""Real models, brought by the real command line from a mirror on this machine, heard and spoken with."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub.models.published import Downloadable, RemoteFile
from hub.models.verify import digests
from integrations import faster_whisper, piper
from integrations.faster_whisper.catalogue import CATALOGUE as WHISPERS
from integrations.piper.catalogue import CATALOGUE as VOICES
from tests.integrations.speech import hear, say, words
from tests.models.household import Household
from tests.models.publisher import READ, Mishap, Publisher, resumed_at
from tests.remote.contexts import context

pytestmark = pytest.mark.engines

SENTENCE = "Turn on the kitchen lights."
CUT = 40_000_000


def whisper() -> Publisher:
    """Return a mirror of tiny.en that breaks off in the middle of its weights."""
    tiny, place = WHISPERS.find("tiny.en"), WHISPERS.packaged()["tiny.en"]
    files = {file.url.split("huggingface.co")[1]: (place / file.path).read_bytes() for file in tiny.files}
    good = Mishap("unmarked")
    return Publisher(files, [good] * (len(files) - 1) + [Mishap("cut", CUT)])


def voice(place: Path) -> Downloadable:
    """Return the packaged voice under another name."""
    file = place / "en_US-joe-medium.onnx"
    return Downloadable(
        name="en_US-joey-medium",
        files=tuple(
            RemoteFile(
                path=f"en_US-joey-medium{end}",
                url=f"https://models.test/joey{end}",
                size=Path(f"{file}{end[5:]}").stat().st_size,
                sha256=digests(Path(f"{file}{end[5:]}"))[0],
            )
            for end in (".onnx", ".onnx.json")
        ),
    )


async def test_what_was_downloaded_is_heard_and_spoken_with(tmp_path: Path) -> None:
    packaged = VOICES.packaged()["en_US-joe-medium"]
    joey = voice(packaged)
    house = Household(tmp_path, (joey,))
    mirror = whisper()
    for end in (".onnx", ".onnx.json"):
        mirror.files[f"/joey{end}"] = (packaged / f"en_US-joe-medium{end}").read_bytes()
    async with mirror.serving():
        house.write(mirror.url)
        house.environ = {"HF_ENDPOINT": mirror.url}
        got = await house.run("models", "get", "--again", "tiny.en", "en_US-joey-medium")
        assert (got.code, got.err.count("100 %")) == (0, 2), got.err
        ranges = [asked.headers["range"] for asked in mirror.seen if "range" in asked.headers]
        assert [CUT - READ <= resumed_at(one) <= CUT for one in ranges] == [True], ranges
    verified = await house.run("models", "verify", "--json")
    assert [line["state"] for line in verified.lines] == ["whole", "whole"]
    models = house.place.parent
    ears = context(models.parent, [], "ears")
    assert (await faster_whisper.model_folder(faster_whisper.Options(), ears))[1] == (
        models / "faster_whisper" / "tiny.en"
    )
    speaking = piper.Options(
        voice=str(house.place / joey.name / f"{joey.name}.onnx"), noise_scale=0, noise_w=0
    )
    async with piper.setup(speaking, context(tmp_path, [], "voice")) as mouth:
        assert mouth.tts
        spoken = await say(mouth.tts, SENTENCE)
    async with faster_whisper.setup(faster_whisper.Options(), ears) as provides:
        assert provides.asr
        heard = await hear(provides.asr, spoken)
    assert words(heard.text) == words(SENTENCE)
