"""A voice in another process, whatever that process does."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hub.audio import AudioChunk, AudioFormat
from hub.errors import EngineError, EngineTimeout, EngineUnavailable
from hub.remote.choice import Wish
from hub.remote.peer import Peer
from hub.remote.stages import RemoteTts
from tests.remote.scripted import QUICK, VOICE, Client, Script, each, serving, tts, until

SENTENCES = ("The light is on.", "  ", "Anything else?")


async def _speak(
    peer: Peer, sentences: AsyncIterator[str] | None = None, language: str | None = None
) -> list[AudioChunk]:
    async with RemoteTts(peer).synthesize(sentences or each(SENTENCES), language) as sound:
        return [chunk async for chunk in sound]


def _pcm(text: str) -> bytes:
    """Return what our servers say for a text: as many samples as it has letters."""
    return len(text.strip()).to_bytes(2, "little") * 10


async def _plain(client: Client) -> None:
    """Speak the first text of a connection and ignore all others, as wyoming-piper does after a stream."""
    request = await client.until("synthesize")
    await client.sound(_pcm(request.data["text"]), b"", _pcm("x"))
    await client.until("never")


async def _streaming(client: Client) -> None:
    """Speak each piece of text as it comes."""
    await client.until("synthesize-start")
    while (event := await client.until("synthesize-chunk", "synthesize-stop")).type == "synthesize-chunk":
        await client.sound(_pcm(event.data["text"]))
    await client.say("synthesize-stopped")


async def test_a_plain_server_gets_each_sentence_on_a_connection_of_its_own(tmp_path: Path) -> None:
    async with serving(tmp_path, _plain, **tts()) as server, Peer(server.uri) as peer:
        sound = await _speak(peer)
    assert [client.data("synthesize")[0]["text"] for client in server.busy] == [
        "The light is on.",
        "Anything else?",
    ]
    assert [chunk.pcm for chunk in sound] == [
        _pcm("The light is on."),
        _pcm("x"),
        _pcm("Anything else?"),
        _pcm("x"),
    ]
    assert {chunk.format for chunk in sound} == {VOICE}


async def test_a_streaming_server_gets_them_on_one_each_with_its_end(tmp_path: Path) -> None:
    async with serving(tmp_path, _streaming, **tts(True)) as server, Peer(server.uri) as peer:
        sound = await _speak(peer)
    (client,) = server.busy
    assert [event.type for event in client.got] == [
        "synthesize-start",
        "synthesize-chunk",
        "synthesize-chunk",
        "synthesize-stop",
    ]
    assert client.data("synthesize-chunk") == [
        {"text": "The light is on.\n\n"},
        {"text": "Anything else?\n\n"},
    ]
    assert [chunk.pcm for chunk in sound] == [_pcm("The light is on."), _pcm("Anything else?")]


@pytest.mark.parametrize(("script", "streams"), [(_plain, False), (_streaming, True)])
async def test_the_first_sentence_is_heard_before_the_second_is_written(
    tmp_path: Path, script: Script, streams: bool
) -> None:
    heard = asyncio.Event()

    async def written() -> AsyncIterator[str]:
        yield "One moment."
        await heard.wait()
        yield "Done."

    async with (
        serving(tmp_path, script, **tts(streams)) as server,
        Peer(server.uri, QUICK) as peer,
        RemoteTts(peer).synthesize(written()) as sound,
    ):
        assert (await anext(sound)).pcm == _pcm("One moment.")
        heard.set()
        assert _pcm("Done.") in [chunk.pcm async for chunk in sound]


async def test_a_writer_who_thinks_longer_than_any_limit_is_waited_for(tmp_path: Path) -> None:
    async def written() -> AsyncIterator[str]:
        yield "One moment."
        thought = asyncio.get_running_loop().time() + 2 * QUICK.total
        await until(lambda: asyncio.get_running_loop().time() > thought)
        yield "Done."

    async with serving(tmp_path, _streaming, **tts(True)) as server, Peer(server.uri, QUICK) as peer:
        assert [chunk.pcm for chunk in await _speak(peer, written())] == [_pcm("One moment."), _pcm("Done.")]


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    ("wish", "speaker", "language", "asked"),
    [
        (Wish(model="joe"), "3", "en", {"name": "joe", "speaker": "3"}),
        (Wish(), None, "en-US", {"language": "en_US"}),
        (Wish(), None, "en", {"language": "en_US"}),
        (Wish(), None, "de", {"language": "de"}),
        (Wish(), None, None, {}),
    ],
)
async def test_voice_and_language_are_asked_for(
    tmp_path: Path,
    streams: bool,
    wish: Wish,
    speaker: str | None,
    language: str | None,
    asked: dict[str, str],
) -> None:
    script = _streaming if streams else _plain
    async with serving(tmp_path, script, **tts(streams)) as server, Peer(server.uri) as peer:
        async with RemoteTts(peer, wish, speaker).synthesize(each(["Hi."]), language) as sound:
            assert [chunk async for chunk in sound]
        (client,) = server.busy
        assert client.got[0].data["voice"] == asked


@pytest.mark.parametrize("streams", [False, True])
async def test_nothing_to_say_is_no_sound(tmp_path: Path, streams: bool) -> None:
    script = _streaming if streams else _plain
    async with serving(tmp_path, script, **tts(streams)) as server, Peer(server.uri) as peer:
        assert await _speak(peer, each(["", " \n"])) == []


async def _failing(client: Client) -> None:
    await client.until("synthesize", "synthesize-chunk")
    await client.say("error", text="no such voice")


async def _gone(client: Client) -> None:
    await client.until("synthesize", "synthesize-chunk")


async def _silent(client: Client) -> None:
    await client.until("never")


async def _other_format(client: Client) -> None:
    await client.until("synthesize", "synthesize-stop")
    await client.sound(_pcm("x"))
    await client.sound(_pcm("x"), form=AudioFormat(rate=16_000))
    await client.until("never")


async def _impossible_format(client: Client) -> None:
    await client.until("synthesize", "synthesize-stop")
    await client.say("audio-chunk", rate=0, width=2, channels=1)
    client.raw(b'{"type": "audio-chunk", "data": {"rate": 0, "width": 2}, "payload_length": 1}\n1')
    await client.until("never")


async def _stalling(client: Client) -> None:
    await client.until("synthesize", "synthesize-stop")
    await client.say("audio-start", rate=22_050, width=2, channels=1)
    await client.until("never")


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    ("script", "kind", "complaint"),
    [
        (_failing, EngineError, "^no such voice$"),
        (_gone, EngineUnavailable, "(closed|broke) the connection"),
        (_silent, EngineTimeout, "within 0.2 s"),
        (_stalling, EngineTimeout, "gave no more of its answer"),
        (_impossible_format, EngineError, "without a proper rate"),
    ],
)
async def test_whatever_goes_wrong_is_told_apart(
    tmp_path: Path, script: Script, kind: type[EngineError], complaint: str, streams: bool
) -> None:
    async with serving(tmp_path, script, **tts(streams)) as server, Peer(server.uri, QUICK) as peer:
        with pytest.raises(kind, match=complaint) as caught:
            await _speak(peer)
    assert type(caught.value) is kind


async def test_sound_that_changes_its_format_in_one_answer_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path, _other_format, **tts(True)) as server, Peer(server.uri, QUICK) as peer:
        with pytest.raises(EngineError, match="changed its audio format"):
            await _speak(peer)


async def test_a_server_without_a_voice_is_unavailable(tmp_path: Path) -> None:
    async with serving(tmp_path, _plain, asr=[]) as server, Peer(server.uri) as peer:
        with pytest.raises(EngineUnavailable, match="offers no voice"):
            await _speak(peer)


async def test_an_answer_that_is_cut_off_closes_the_connection(tmp_path: Path) -> None:
    async with serving(tmp_path, _streaming, **tts(True)) as server, Peer(server.uri) as peer:

        async def endless() -> AsyncIterator[str]:
            while True:
                yield "And on."
                await asyncio.sleep(0)

        async with RemoteTts(peer).synthesize(endless()) as sound:
            await anext(sound)
        await asyncio.wait_for(server.left.wait(), 2)
