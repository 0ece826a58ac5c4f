"""The integration provides what a server offers, and says when it is gone."""

from pathlib import Path

import pytest

from hub.errors import EngineUnavailable, IntegrationError
from hub.values.speech import Hearing
from integrations import wyoming
from tests.remote.contexts import context
from tests.remote.scripted import Client, asr, chunks, each, serving, tts, until


async def _answering(client: Client) -> None:
    if (await client.until("audio-stop", "synthesize")).type == "audio-stop":
        await client.say("transcript", text="Turn on the lights.")
    else:
        await client.sound(b"\1\0" * 100)


@pytest.mark.parametrize("info", [asr(), tts(), asr() | tts()])
async def test_what_the_server_offers_is_provided_and_works(tmp_path: Path, info: dict[str, object]) -> None:
    async with serving(tmp_path, _answering, **info) as server:
        options = wyoming.Options(uri=server.uri, model="tiny", voice="joe")
        async with wyoming.setup(options, context(tmp_path, [])) as provides:
            assert (provides.asr is not None) == ("asr" in info)
            assert (provides.tts is not None) == ("tts" in info)
            if provides.asr:
                async with provides.asr.transcribe(chunks(), Hearing()) as transcripts:
                    assert [item.text async for item in transcripts] == ["Turn on the lights."]
                assert server.busy[-1].data("transcribe")[0]["name"] == "tiny"
            if provides.tts:
                async with provides.tts.synthesize(each(["Yes."])) as sound:
                    assert [len(chunk.pcm) async for chunk in sound] == [200]
                assert server.busy[-1].data("synthesize")[0]["voice"] == {"name": "joe"}


async def test_nobody_there_is_a_reason_to_try_again(tmp_path: Path) -> None:
    for uri, complaint in ((f"unix://{tmp_path}/none", "No such file"), ("house:10300", "write tcp://")):
        with pytest.raises(IntegrationError, match=complaint):
            async with wyoming.setup(wyoming.Options(uri=uri), context(tmp_path, [])):
                pass


async def test_a_server_for_something_else_is_said_to_be_one(tmp_path: Path) -> None:
    async with serving(tmp_path, _answering, wake=[{"name": "ww"}]) as server:
        with pytest.raises(IntegrationError, match="offers neither speech recognition nor a voice"):
            async with wyoming.setup(wyoming.Options(uri=server.uri), context(tmp_path, [])):
                pass


async def test_a_server_that_goes_and_comes_back_is_reported_both_times(tmp_path: Path) -> None:
    async def hang_up(client: Client) -> None:
        await client.until("audio-start")

    said: list[str | None] = []
    async with serving(tmp_path, hang_up, **asr()) as server:
        options = wyoming.Options(uri=server.uri, check=0.02)
        async with wyoming.setup(options, context(tmp_path, said)) as provides:
            assert provides.asr
            with pytest.raises(EngineUnavailable):
                async with provides.asr.transcribe(chunks(), Hearing()) as transcripts:
                    await anext(transcripts)
            assert "the connection" in str(said[-1])
            await until(lambda: said[-1] is None)
