"""Wake words in another process, over real sockets: frames go out from a thread."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hub.errors import EngineError, EngineTimeout, EngineUnavailable, IntegrationError
from hub.remote.peer import Peer
from hub.remote.wake import RemoteWake, RemoteWakeStream
from hub.remote.wire import Event
from hub.values.speech import Detection
from tests.remote.scripted import QUICK, Client, Script, Server, serving, until

FRAME = bytes(2 * 1280)
WORDS = {"wake": [{"name": "waker", "models": [{"name": "okay_nabu"}, {"name": "alexa"}]}]}


@asynccontextmanager
async def listening(
    folder: Path, script: Script, *words: str, info: dict[str, Any] = WORDS, **limits: Any
) -> AsyncIterator[tuple[RemoteWakeStream, Server]]:
    """Open a stream at a server that does this."""
    quick = replace(QUICK, **limits)
    async with serving(folder, script, **info) as server, Peer(server.uri, quick) as peer:
        await peer.offer()
        with closing(RemoteWake(peer).open(words or ("okay_nabu",))) as stream:
            yield stream, server


async def judged(stream: RemoteWakeStream, frames: int) -> list[Detection | None]:
    """Hand silence over, off the loop."""
    return await asyncio.to_thread(lambda: [stream.process(FRAME) for _ in range(frames)])


async def found(stream: RemoteWakeStream) -> Detection:
    """Hand silence over until something is found."""
    while True:
        for detection in await judged(stream, 1):
            if detection:
                return detection


def at(chunk: int, name: str | None = "okay_nabu", stamp: Callable[[Any], Any] = lambda it: it) -> Script:
    """Return a server that finds a word in its chunk of that number, and nothing else."""

    async def script(client: Client) -> None:
        await client.until("audio-start")
        for _ in range(chunk):
            event = await client.until("audio-chunk", "audio-stop")
        await client.say("detection", name=name, timestamp=stamp(event.data.get("timestamp")))
        await client.until("never")

    return script


async def deaf(client: Client) -> None:
    """Find nothing."""
    await client.until("audio-stop")
    await client.say("not-detected")
    await client.until("never")


async def test_it_asks_for_its_words_and_then_sends_what_it_is_given(tmp_path: Path) -> None:
    async with listening(tmp_path, deaf, "alexa", "okay_nabu") as (stream, server):
        assert await judged(stream, 5) == [None] * 5
        assert await asyncio.to_thread(stream.finish) is None
        kinds = [event.type for event in server.busy[0].got]
        assert kinds == ["detect", "audio-start", *["audio-chunk"] * 5, "audio-stop"]
        assert server.busy[0].data("detect") == [{"names": ["alexa", "okay_nabu"]}]
        assert [event.payload for event in server.busy[0].got if event.payload] == [FRAME] * 5


async def test_a_word_is_told_with_its_place_in_the_audio(tmp_path: Path) -> None:
    async with listening(tmp_path, at(3)) as (stream, _):
        assert await found(stream) == Detection(word="okay_nabu", samples=3 * 1280)


@pytest.mark.parametrize("stamp", [None, 10**15, -1, "soon", True, 0.5])
async def test_a_server_with_stamps_of_its_own_is_late_at_most(tmp_path: Path, stamp: object) -> None:
    async with listening(tmp_path, at(2, stamp=lambda _: stamp)) as (stream, server):
        detection = await found(stream)
        sent = len(server.busy[0].data("audio-chunk"))
        assert 2 * 1280 <= detection.samples <= (sent + 30) * 1280


async def test_words_are_found_one_after_the_other(tmp_path: Path) -> None:
    async def script(client: Client) -> None:
        await client.until("audio-chunk")
        for name in ("okay_nabu", "alexa"):
            await client.say("detection", name=name)
        await client.until("never")

    async with listening(tmp_path, script, "okay_nabu", "alexa") as (stream, _):
        assert [(await found(stream)).word, (await found(stream)).word] == ["okay_nabu", "alexa"]


@pytest.mark.parametrize(
    ("name", "words", "word"),
    [
        (None, ["okay_nabu"], "okay_nabu"),
        ("ok_nabu_v0.1", ["okay_nabu"], "okay_nabu"),
        ("alexa", ["okay_nabu"], None),
        ("ok_nabu_v0.1", ["okay_nabu", "alexa"], None),
    ],
)
async def test_a_word_that_is_named_otherwise_is_taken_when_only_one_can_be_meant(
    tmp_path: Path, name: str | None, words: list[str], word: str | None
) -> None:
    async def script(client: Client) -> None:
        await client.until("audio-chunk")
        await client.say("detection", name=name)
        await client.until("audio-stop")
        await client.say("not-detected")

    async with listening(tmp_path, script, *words) as (stream, _):
        await judged(stream, 1)
        detection = await asyncio.to_thread(stream.finish)
        assert (detection and detection.word) == word


async def test_what_is_found_late_is_waited_for_at_the_end(tmp_path: Path) -> None:
    async def script(client: Client) -> None:
        stamps = [(await client.until("audio-chunk")).data["timestamp"] for _ in range(4)]
        await client.until("audio-stop")
        await client.say("detection", name="okay_nabu", timestamp=stamps[1])
        await client.until("never")

    async with listening(tmp_path, script, first=5, total=5) as (stream, _):
        assert await judged(stream, 4) == [None] * 4
        assert await asyncio.to_thread(stream.finish) == Detection(word="okay_nabu", samples=2 * 1280)
        assert await asyncio.to_thread(stream.finish) is None


async def test_a_server_that_never_says_whether_it_found_anything_is_told(tmp_path: Path) -> None:
    async def script(client: Client) -> None:
        await client.until("never")

    async with listening(tmp_path, script, verdict=0.1, first=5) as (stream, _):
        await judged(stream, 1)
        with pytest.raises(EngineTimeout, match=r"did not say within 0\.1 s whether it found anything"):
            await asyncio.to_thread(stream.finish)


async def test_a_server_that_leaves_is_an_engine_that_is_gone(tmp_path: Path) -> None:
    async def script(client: Client) -> None:
        await client.until("audio-chunk")

    async with listening(tmp_path, script) as (stream, _):
        with pytest.raises(EngineUnavailable, match=r"(closed|broke) the connection"):
            await found(stream)
        with pytest.raises(EngineUnavailable, match=r"(closed|broke) the connection"):
            await asyncio.to_thread(stream.finish)


async def test_a_server_that_takes_nothing_does_not_hold_the_hub(tmp_path: Path) -> None:
    """Audio waits for a while, never without bound."""

    async def script(client: Client) -> None:
        await client.until("detect")
        await asyncio.Event().wait()

    async with listening(tmp_path, script, ahead=1.0, stall=0.1) as (stream, server):
        with pytest.raises(EngineUnavailable, match="takes no audio any more"):
            await judged(stream, 100_000)
        assert stream._relay._waiting <= 2 * 16_000
        server.clients[-1].connection.close()
        for task in asyncio.all_tasks():
            if "script" in repr(task.get_coro()) or "welcome" in repr(task.get_coro()):
                task.cancel()


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (Event("error", {"text": "the model is broken"}), EngineError, "the model is broken"),
        (Event("detection", {"name": ["okay_nabu"]}), EngineTimeout, "did not say"),
    ],
)
async def test_what_a_server_says_instead(
    tmp_path: Path, answer: Event, kind: type[EngineError], words: str
) -> None:
    async def script(client: Client) -> None:
        await client.until("audio-chunk")
        await client.connection.write(answer)
        await client.until("never")

    async with listening(tmp_path, script, "okay_nabu", "alexa", verdict=0.1, first=5) as (stream, _):
        await judged(stream, 1)
        with pytest.raises(kind, match=words):
            await asyncio.to_thread(stream.finish)


async def test_rubbish_ends_the_stream_with_a_reason(tmp_path: Path) -> None:
    async def script(client: Client) -> None:
        await client.until("audio-chunk")
        client.raw(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await client.until("never")

    async with listening(tmp_path, script) as (stream, _):
        with pytest.raises(EngineError, match="does not speak Wyoming"):
            await found(stream)


async def test_closing_leaves_the_server_and_wakes_who_waits(tmp_path: Path) -> None:
    async def script(client: Client) -> None:
        await client.until("never")

    async with listening(tmp_path, script) as (stream, server):
        await judged(stream, 1)
        waiting = asyncio.create_task(asyncio.to_thread(stream.finish))
        await until(lambda: server.busy and server.busy[0].data("audio-stop"))
        stream.close()
        with pytest.raises(EngineUnavailable, match="is closed"):
            await waiting
        with pytest.raises(EngineUnavailable, match="is closed"):
            await judged(stream, 1)
        await asyncio.wait_for(server.left.wait(), 5)


async def test_words_that_the_server_does_not_have_are_named(tmp_path: Path) -> None:
    async with serving(tmp_path, deaf, **WORDS) as server, Peer(server.uri, QUICK) as peer:
        await peer.offer()
        detector = RemoteWake(peer)
        assert detector.words == ("okay_nabu", "alexa")
        words = "no wake word 'computer'; there are okay_nabu, alexa"
        with pytest.raises(IntegrationError, match=words), closing(detector.open(["computer"])):
            pass


async def test_a_server_that_has_no_wake_words_is_told(tmp_path: Path) -> None:
    async with listening(tmp_path, deaf, info={}) as (stream, _):
        with pytest.raises(EngineUnavailable, match="offers no wake words"):
            await asyncio.to_thread(stream.finish)


async def test_two_microphones_do_not_hear_each_other(tmp_path: Path) -> None:
    async def script(client: Client) -> None:
        while event := await client.until("audio-chunk", "audio-stop"):
            if event.type == "audio-stop":
                await client.say("not-detected")
            elif event.payload and any(event.payload):
                await client.say("detection", name="okay_nabu", timestamp=event.data["timestamp"])

    async with serving(tmp_path, script, **WORDS) as server, Peer(server.uri, QUICK) as peer:
        await peer.offer()
        detector = RemoteWake(peer)
        with closing(detector.open(["okay_nabu"])) as one, closing(detector.open(["okay_nabu"])) as other:
            await asyncio.to_thread(one.process, b"\1" * len(FRAME))
            await asyncio.to_thread(other.process, FRAME)
            heard = await asyncio.gather(asyncio.to_thread(one.finish), asyncio.to_thread(other.finish))
        assert list(heard) == [Detection(word="okay_nabu", samples=1280), None]


class _Keeper:
    """Starts the server again at once, or gives it up."""

    def __init__(self, most: int) -> None:
        self.starts = 1
        self._most = most

    async def ready(self, more_than: int = 0) -> None:
        if more_than >= self._most:
            raise EngineUnavailable("'words' is off: it failed too often")
        self.starts = max(self.starts, more_than + 1)


@pytest.mark.parametrize("starts", [2, 1])
async def test_a_server_of_ours_that_crashes_hears_the_last_seconds_again(
    tmp_path: Path, starts: int
) -> None:
    async def script(client: Client) -> None:
        stamps = [(await client.until("audio-chunk")).data["timestamp"] for _ in range(3)]
        if len(server.busy) == 1:
            return
        await client.say("detection", name="okay_nabu", timestamp=stamps[2])
        await client.until("never")

    async with serving(tmp_path, script, **WORDS) as server, Peer(server.uri, QUICK) as peer:
        await peer.offer()
        detector = RemoteWake(peer, keeper=_Keeper(starts))
        with closing(detector.open(["okay_nabu"])) as stream:
            if starts == 1:
                with pytest.raises(EngineUnavailable, match="'words' is off"):
                    await found(stream)
            else:
                assert await found(stream) == Detection(word="okay_nabu", samples=3 * 1280)
                assert server.busy[1].data("audio-chunk")[0]["timestamp"] == 80
