"""The integration provides what a server offers, follows it when that changes, and says when it is gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from hub.errors import EngineUnavailable, IntegrationError
from hub.integration import Provides
from hub.values.session import Session
from hub.values.speech import Hearing
from integrations import wyoming
from tests.remote.contexts import context, stage
from tests.remote.scripted import Client, Server, asr, chunks, each, replaced, serving, tts, until

LOUD = b"\xff\x10" * 1280
WORDS = {"wake": [{"name": "oww", "models": [{"name": "okay_nabu", "languages": [], "phrase": "OK Nabu"}]}]}
MIND = {"intent": [{"name": "mind", "models": []}]}
TALKER = {"handle": [{"name": "talker", "models": [], "supports_handled_streaming": True}]}
LAST = {
    "transcribe": "audio-stop",
    "detect": "audio-chunk",
    "synthesize": "synthesize",
    "recognize": "recognize",
    "transcript": "transcript",
    "audio-start": "audio-chunk",
}
"""By the first event of a request: when it is answered."""


async def answering(client: Client) -> None:
    """Answer a request of any kind."""
    first = await client.until(*LAST)
    if LAST[first.type] != first.type:
        await client.until(LAST[first.type])
    match first.type:
        case "transcribe":
            await client.say("transcript", text="Turn on the lights.")
        case "detect":
            await client.say("detection", name="okay_nabu", timestamp=None)
            await client.until("audio-stop")
        case "synthesize":
            await client.sound(b"\1\0" * 100)
        case "recognize":
            await client.say("not-recognized", text="Pardon?")
        case "transcript":
            await client.say("handled", text="Very good.")
        case "audio-start":
            await client.say("voice-started")
            await client.until("audio-stop")


@asynccontextmanager
async def opened(
    folder: Path, server: Server, **options: Any
) -> AsyncIterator[tuple[list[Provides], list[str | None]]]:
    """Hold an instance open; its list of offers and that of its reports change with it."""
    offered: list[Provides] = []
    said: list[str | None] = []
    given = wyoming.Options(uri=server.uri, **options)
    async with wyoming.setup(given, context(folder, said, offered=offered)):
        yield offered, said


def slots(offered: list[Provides]) -> list[str]:
    """Return the names of the slots that are provided."""
    return sorted(
        each.name for each in fields(Provides) for provides in offered if getattr(provides, each.name)
    )


@pytest.mark.parametrize(
    ("info", "provided"),
    [
        (asr(), ["asr"]),
        (tts(), ["tts"]),
        (WORDS, ["wake"]),
        (MIND, ["intents"]),
        (TALKER, ["agent"]),
        (asr() | tts() | WORDS | MIND | TALKER, ["agent", "asr", "intents", "tts", "wake"]),
    ],
)
async def test_what_the_server_offers_is_provided(
    tmp_path: Path, info: dict[str, object], provided: list[str]
) -> None:
    async with serving(tmp_path, answering, **info) as server:
        async with opened(tmp_path, server) as (offered, _):
            assert slots(offered) == provided
        assert offered == []


async def test_every_kind_works(tmp_path: Path) -> None:
    info = asr() | tts() | WORDS | MIND | TALKER
    async with (
        serving(tmp_path, answering, **info) as server,
        opened(tmp_path, server, vad=True) as (offered, _),
    ):
        async with stage(offered, "asr").transcribe(chunks(), Hearing()) as transcripts:
            assert [item.text async for item in transcripts] == ["Turn on the lights."]
        async with stage(offered, "tts").synthesize(each(["Yes."])) as sound:
            assert [len(chunk.pcm) async for chunk in sound] == [200]
        miss = await stage(offered, "intents").recognize("Blub", Session(id="s"))
        assert (miss.code, miss.reply) == ("no-match", "Pardon?")
        async with stage(offered, "agent").answer("Blub", Session(id="s")) as pieces:
            assert [piece async for piece in pieces] == ["Very good."]
        with closing(stage(offered, "vad").open()) as stream:
            while await asyncio.to_thread(stream.process, LOUD[:1024]) < 1.0:
                pass
        with closing(stage(offered, "wake").open(["okay_nabu"])) as stream:
            found = None
            while found is None:
                found = await asyncio.to_thread(stream.process, LOUD)
            assert found.word == "okay_nabu"


async def test_a_model_a_voice_and_a_language_are_asked_for(tmp_path: Path) -> None:
    named: dict[str, Any] = {"model": "tiny", "voice": "joe", "speaker": "2"}
    async with (
        serving(tmp_path, answering, **(asr(False, "en") | tts())) as server,
        opened(tmp_path, server, **named) as (offered, _),
    ):
        async with stage(offered, "asr").transcribe(chunks(), Hearing()) as transcripts:
            assert [item async for item in transcripts]
        assert server.busy[-1].data("transcribe")[0]["name"] == "tiny"
        async with stage(offered, "tts").synthesize(each(["Yes."])) as sound:
            assert [chunk async for chunk in sound]
        assert server.busy[-1].data("synthesize")[0]["voice"] == {"name": "joe", "speaker": "2"}


async def test_two_instances_use_two_models_of_one_server(tmp_path: Path) -> None:
    models = [{"name": name, "languages": ["en"]} for name in ("tiny", "base")]
    info = {"asr": [{"name": "ears", "models": models}]}
    async with serving(tmp_path, answering, **info) as server:
        for model in ("tiny", "base"):
            async with (
                opened(tmp_path, server, model=model) as (offered, _),
                stage(offered, "asr").transcribe(chunks(), Hearing()) as transcripts,
            ):
                assert [item async for item in transcripts]
        assert [client.data("transcribe")[0]["name"] for client in server.busy] == ["tiny", "base"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"model": "tinny"}, "has no model 'tinny'; did you mean 'tiny'?"),
        ({"voice": "amy"}, "has no voice 'amy'; there is joe"),
        ({"program": "nose"}, "has no program 'nose'; there is ears"),
        ({"language": "xx"}, "has no language 'xx'; there is en"),
    ],
)
async def test_a_name_that_nobody_there_has_is_said_with_what_there_is(
    tmp_path: Path, options: dict[str, str], complaint: str
) -> None:
    async with serving(tmp_path, answering, **(asr(False, "en") | tts())) as server:
        with pytest.raises(IntegrationError) as caught:
            async with opened(tmp_path, server, **options):
                pass
    assert complaint in str(caught.value)


async def test_a_program_is_the_only_one_that_counts(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, answering, **(asr() | tts())) as server,
        opened(tmp_path, server, program="mouth") as (offered, _),
    ):
        assert slots(offered) == ["tts"]


async def test_nobody_there_is_a_reason_to_try_again(tmp_path: Path) -> None:
    with pytest.raises(IntegrationError, match="No such file"):
        async with wyoming.setup(wyoming.Options(uri=f"unix://{tmp_path}/none"), context(tmp_path, [])):
            pass


async def test_a_server_that_never_says_what_it_is_is_given_up(tmp_path: Path) -> None:
    async def silent(client: Client) -> None:
        while await client.connection.read():
            pass

    async with serving(tmp_path, silent) as server:
        with pytest.raises(IntegrationError, match=r"did not answer describe within 0.1 s"):
            async with opened(tmp_path, server, describe=0.1):
                pass


async def test_a_server_for_something_else_is_said_to_be_one(tmp_path: Path) -> None:
    async with serving(tmp_path, answering, snd=[{"name": "speaker"}]) as server:
        with pytest.raises(IntegrationError, match="offers nothing that a pipeline could use"):
            async with opened(tmp_path, server):
                pass


async def test_a_server_that_goes_and_comes_back_is_reported_both_times(tmp_path: Path) -> None:
    async def hang_up(client: Client) -> None:
        await client.until("audio-start")

    async with (
        serving(tmp_path, hang_up, **asr()) as server,
        opened(tmp_path, server, check=0.02) as (offered, said),
    ):
        with pytest.raises(EngineUnavailable):
            async with stage(offered, "asr").transcribe(chunks(), Hearing()) as transcripts:
                await anext(transcripts)
        assert "the connection" in str(said[-1])
        await until(lambda: said[-1] is None)


async def test_what_a_server_offers_comes_and_goes_with_it(tmp_path: Path) -> None:
    """A server that is replaced closes its idle connections; that is seen at the next look."""
    async with (
        serving(tmp_path, answering, **(asr() | tts())) as server,
        opened(tmp_path, server, check=0.02) as (offered, said),
    ):
        kept = stage(offered, "tts")
        for info, provided in (
            (tts() | MIND, ["intents", "tts"]),
            ({"snd": [{"name": "x"}]}, []),
            (asr(), ["asr"]),
        ):
            await replaced(server, info, lambda: slots(offered) == provided)  # noqa: B023  it is awaited here
            if "tts" in provided:
                assert stage(offered, "tts") is kept, "what is still offered is not touched"
            if not provided:
                await until(lambda: "offers nothing" in str(said[-1]))


async def test_a_model_that_is_gone_is_trouble_until_it_is_back(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, answering, **asr()) as server,
        opened(tmp_path, server, check=0.02, model="tiny") as (offered, said),
    ):
        other = {"asr": [{"name": "ears", "models": [{"name": "large"}]}]}
        await replaced(server, other, lambda: "has no model 'tiny'; there is large" in str(said[-1]))
        assert slots(offered) == []
        await replaced(server, asr(), lambda: slots(offered) == ["asr"])
        assert said[-1] is None
