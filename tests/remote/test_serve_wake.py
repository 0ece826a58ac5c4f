"""A worker that hears wake words, seen by the reference client and by the hub's own."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from wyoming.client import AsyncClient
from wyoming.event import Event

from hub.errors import EngineError
from hub.remote.engine import Engine
from hub.remote.offer import Model, Offer, Program
from hub.remote.peer import Peer
from hub.remote.serve import Order, Workplace
from hub.remote.wake import RemoteWake
from hub.stages.wake import WakeStream
from hub.testing import ScriptedWake
from hub.values.speech import Detection, Hearing, Transcript
from tests.remote import plain

WORDS = tuple(Model(name=word, phrase=word.replace("_", " ")) for word in ("okay_nabu", "hey_jarvis"))
SCRIPT = ((0.5, "okay_nabu"), (1.0, "hey_jarvis"))


def _engine(wake: ScriptedWake, **more: Any) -> Engine:
    return Engine(offer=Offer(wake=(Program(name="waker", models=WORDS),)), detect=wake.open, **more)


@asynccontextmanager
async def _client(folder: Path, engine: Engine) -> AsyncIterator[tuple[AsyncClient, str]]:
    uri = f"unix://{folder}/w.sock"
    async with Workplace(Order(listen=(uri,)), engine), AsyncClient.from_uri(uri) as client:
        yield client, uri


async def test_it_says_which_words_it_knows(tmp_path: Path) -> None:
    async with _client(tmp_path, _engine(ScriptedWake())) as (_, uri):
        (program,) = (await plain.info(uri)).wake
    assert [(model.name, model.phrase) for model in program.models] == [
        ("okay_nabu", "okay nabu"),
        ("hey_jarvis", "hey jarvis"),
    ]


async def test_words_are_told_when_they_were_said(tmp_path: Path) -> None:
    wake = ScriptedWake(SCRIPT)
    async with _client(tmp_path, _engine(wake)) as (client, _):
        found = [event.data for event in await plain.listened(client, 2, answers=2)]
        assert found == [
            {"name": "okay_nabu", "timestamp": 600},
            {"name": "hey_jarvis", "timestamp": 1100},
        ]
        assert [event.type for event in await plain.listened(client, 0.2)] == ["not-detected"]
    assert wake.asked == [("okay_nabu", "hey_jarvis")] * 2
    assert all(stream.is_closed for stream in wake.streams)


async def test_only_the_words_that_are_asked_for_are_told(tmp_path: Path) -> None:
    async with _client(tmp_path, _engine(ScriptedWake(SCRIPT))) as (client, _):
        (event,) = await plain.listened(client, 2, "hey_jarvis")
        assert event.data["name"] == "hey_jarvis"
        (event,) = await plain.listened(client, 2, "computer")
        assert (event.type, event.data["text"]) == ("error", "there is no wake word 'computer'")
        (event,) = await plain.listened(client, 0.6, "okay_nabu")
        assert event.data["name"] == "okay_nabu"


@pytest.mark.parametrize("form", [{"rate": 48_000}, {"rate": 44_100, "channels": 2}, {"width": 4}])
async def test_any_form_of_audio_is_taken(tmp_path: Path, form: dict[str, int]) -> None:
    async with _client(tmp_path, _engine(ScriptedWake(SCRIPT[:1]))) as (client, _):
        (event,) = await plain.listened(client, 1, **form)
        assert event.data["name"] == "okay_nabu"


async def test_rubbish_is_told_once_and_the_client_may_go_on(tmp_path: Path) -> None:
    async with _client(tmp_path, _engine(ScriptedWake(SCRIPT[:1]))) as (client, _):
        for _ in range(3):
            await client.write_event(Event("audio-chunk", {"rate": -1}, b"12"))
        await client.write_event(Event("audio-stop"))
        events = await plain.listened(client, 1)
        assert [event.type for event in events] == ["error", "detection"] or [e.type for e in events] == [
            "error"
        ]
        events = await plain.listened(client, 1)
        assert [event.type for event in events if event.type == "detection"]


async def test_an_engine_that_fails_is_told_once(tmp_path: Path) -> None:
    class Broken:
        frame_samples = 1280

        def process(self, frame: bytes) -> None:
            raise EngineError("the model is broken")

        def finish(self) -> None: ...
        def close(self) -> None: ...

    def detect(words: Sequence[str]) -> WakeStream:
        return Broken()

    engine = Engine(offer=Offer(wake=(Program(name="waker", models=WORDS),)), detect=detect)
    async with _client(tmp_path, engine) as (client, _):
        told = [await plain.listened(client, 5) for _ in range(2)]
    assert [event.data["text"] for events in told for event in events] == ["the model is broken"] * 2


async def test_the_hub_hears_with_its_own_clock(tmp_path: Path) -> None:
    wake = ScriptedWake(SCRIPT)
    async with _client(tmp_path, _engine(wake)) as (_, uri), Peer(uri) as peer:
        await peer.offer()
        with closing(RemoteWake(peer).open(["hey_jarvis"])) as stream:
            frames = [asyncio.to_thread(stream.process, bytes(2560)) for _ in range(20)]
            found = [await frame for frame in frames] + [await asyncio.to_thread(stream.finish)]
    assert list(filter(None, found)) == [Detection(word="hey_jarvis", samples=13 * 1280)]


async def test_a_worker_may_hear_words_and_wake_words(tmp_path: Path) -> None:
    def hear(pcm: bytes, hearing: Hearing) -> list[Transcript]:
        return [Transcript(text=f"{len(pcm)} bytes")]

    engine = _engine(ScriptedWake(SCRIPT[:1]), hear=hear)
    async with _client(tmp_path, engine) as (client, _):
        assert (await plain.heard(client, bytes(32_000)))[-1].data["text"] == "32000 bytes"
        assert [event.type for event in await plain.listened(client, 1)] == ["detection"]
        assert (await plain.heard(client, bytes(320)))[-1].data["text"] == "320 bytes"
