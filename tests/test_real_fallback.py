"""Chains with real engines: a machine that is not there, that dies in mid-sentence, that comes back;
and an answer that two voices of different formats share."""

import asyncio
import re
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from hub.app import App, running
from hub.audio import AudioChunk, AudioFormat
from hub.errors import EngineUnavailable
from hub.events import StateChanged
from hub.pipeline.context import TurnRequest
from hub.pipeline.turn import Turn
from hub.resample import converted
from hub.stages.tts import Tts
from hub.testing import RecordingSpeaker
from hub.values.session import Session
from hub.values.tool import Caller
from tests.pipeline.rig import Rig, telling
from tests.remote.box import HEARD

pytestmark = [pytest.mark.engines, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]
ROOT = Path(__file__).parents[1]
WIDE = AudioFormat(rate=48_000, channels=2)
HOUSE = """
hub: {name: Home}
limits: {retry_first: 0.1, retry_longest: 0.2, health_pause: 0.1}
integrations:
  gpu_box: {type: wyoming, uri: "tcp://127.0.0.1:%d", check: 0.1}
  whisper: {type: faster_whisper, model: tiny.en}
  voice: {type: piper}
pipelines:
  default: {asr: [gpu_box, whisper], tts: voice}
  local: {asr: whisper, tts: voice}
"""


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def port() -> int:
    return _free_port()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hub(tmp_path_factory: pytest.TempPathFactory, port: int) -> AsyncIterator[App]:
    folder = tmp_path_factory.mktemp("config")
    (folder / "earnest.yaml").write_text(HOUSE % port, encoding="utf-8")
    async with running(folder, data_dir=tmp_path_factory.mktemp("data")) as app:
        yield app


@asynccontextmanager
async def _box(port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    box = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.remote.box", str(port), stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    try:
        await _says(box, "ready")
        yield box
    finally:
        if box.returncode is None:
            box.kill()
        await box.wait()


async def _says(box: asyncio.subprocess.Process, word: str) -> None:
    assert box.stdout
    async with asyncio.timeout(30):
        while (await box.stdout.readline()).strip() != word.encode():
            pass


async def _becomes(hub: App, word: str) -> None:
    changed = asyncio.Event()
    with hub.bus.follow(lambda _: changed.set(), StateChanged):
        async with asyncio.timeout(30):
            while (state := hub.states.get("integration.gpu_box")) is None or state.state != word:
                changed.clear()
                await changed.wait()


async def _spoken(hub: App, text: str) -> list[AudioChunk]:
    speaker = RecordingSpeaker(is_paced=False)
    await hub.turn(_asked(text=text, start="tts", speaker=speaker))
    return [chunk async for chunk in converted(_each(speaker.chunks))]


def _asked(**more: object) -> TurnRequest:
    session, caller = Session(id="me"), Caller(("cli:test",))
    return TurnRequest(**{"session": session, "caller": caller, **more})  # type: ignore[arg-type]


async def _each(chunks: list[AudioChunk]) -> AsyncIterator[AudioChunk]:
    for chunk in chunks:
        yield chunk


async def _heard(hub: App, chunks: AsyncIterator[AudioChunk], pipeline: str = "default") -> Turn:
    return await hub.turn(_asked(audio=chunks, end="asr", pipeline=pipeline))


def _words(turn: Turn) -> str:
    return " ".join(re.findall("[a-z]+", (turn.transcript or "").lower()))


def _failed(turn: Turn) -> list[tuple[str | None, str]]:
    return [(failure.engine, failure.code) for failure in turn.failures]


async def test_a_machine_that_is_away_dies_and_comes_back_is_stood_in_for_by_whisper(
    hub: App, port: int
) -> None:
    said = await _spoken(hub, "Turn on the kitchen lamp.")
    await _becomes(hub, "failed")
    away = await _heard(hub, _each(said))
    assert (_words(away), away.engines["asr"]) == ("turn on the kitchen lamp", "whisper")
    assert _failed(away) == [("gpu_box", "engine-unavailable")]

    async with _box(port) as box:
        await _becomes(hub, "open")
        there = await _heard(hub, _each(said))
        assert (there.transcript, there.engines["asr"], there.failures) == (HEARD, "gpu_box", ())
        await _says(box, "chunk")

        async def until_the_box_is_dead() -> AsyncIterator[AudioChunk]:
            for number, chunk in enumerate(said):
                if number == len(said) // 2:
                    await _says(box, "chunk")
                    box.kill()
                    await box.wait()
                yield chunk

        died = await _heard(hub, until_the_box_is_dead())
    assert (_words(died), died.engines["asr"]) == ("turn on the kitchen lamp", "whisper")
    assert _failed(died) == [("gpu_box", "engine-unavailable")]
    await _becomes(hub, "failing")
    after = await _heard(hub, _each(said))
    assert (_words(after), _failed(after)) == ("turn on the kitchen lamp", [("gpu_box", "engine-down")])

    async with _box(port):
        await _becomes(hub, "open")
        back = await _heard(hub, _each(said))
        assert (back.transcript, back.engines["asr"], back.failures) == (HEARD, "gpu_box", ())


class Voice:
    """Piper in any format; dies with the sentence of that number."""

    def __init__(self, tts: Tts, form: AudioFormat, dies: int | None = None) -> None:
        self._tts = tts
        self._form = form
        self._dies = dies

    @asynccontextmanager
    async def synthesize(
        self, sentences: AsyncIterator[str], language: str | None = None
    ) -> AsyncIterator[AsyncIterator[AudioChunk]]:
        """Speak the sentences."""
        yield self._sound(sentences, language)

    async def _sound(self, sentences: AsyncIterator[str], language: str | None) -> AsyncIterator[AudioChunk]:
        number = -1
        async for sentence in sentences:
            number += 1
            if number == self._dies:
                raise EngineUnavailable("killed")
            async with self._tts.synthesize(_one(sentence), language) as chunks:
                async for chunk in converted(chunks, self._form):
                    yield AudioChunk(chunk.pcm, chunk.format, number)


async def _one(sentence: str) -> AsyncIterator[str]:
    yield sentence


PIPER = AudioFormat(rate=22_050)


@pytest.mark.parametrize(("one", "two"), [(PIPER, WIDE), (AudioFormat(rate=16_000), PIPER)])
async def test_what_two_voices_say_is_understood_as_one(hub: App, one: AudioFormat, two: AudioFormat) -> None:
    piper = hub.registry.tts("voice")
    story = "The kitchen lamp is on. The front door is locked. The temperature is twenty degrees."
    rig = Rig({"one": Voice(piper, one, dies=1), "two": Voice(piper, two)}, {"tell": telling(story)})
    speaker = RecordingSpeaker(is_paced=False)
    turn = await rig.run(rig.pipeline(tts=("one", "two")), text="tell", speaker=speaker)
    assert (turn.engines["tts"], _failed(turn)) == ("two", [("one", "engine-unavailable")])
    assert {chunk.format for chunk in speaker.chunks} == {one}
    heard = await _heard(hub, converted(_each(speaker.chunks)), "local")
    words = _words(heard)
    assert "kitchen lamp is on" in words
    assert "front door is locked" in words
    assert words.count("front door") == words.count("temperature") == 1
