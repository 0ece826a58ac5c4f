"""What servers in the wild do that no description of Wyoming has, and a machine that vanishes."""

from __future__ import annotations

import asyncio
import errno
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hub.audio import AudioChunk, AudioFormat
from hub.errors import EngineBusy, EngineError
from hub.remote.limits import WireLimits
from hub.remote.offer import Offer
from hub.remote.peer import Peer
from hub.remote.stages import RemoteAsr, RemoteTts
from hub.remote.wire import Connection, Event, PeerGone, dial
from hub.values.speech import Hearing
from tests.remote.scripted import QUICK, Client, Script, asr, chunks, each, serving, tts, until

ROOT = Path(__file__).parents[2]


async def _hear(folder: Path, script: Script, streams: bool = False) -> list[str]:
    async with (
        serving(folder, script, **asr(streams)) as server,
        Peer(server.uri, QUICK) as peer,
        RemoteAsr(peer).transcribe(chunks(), Hearing()) as transcripts,
    ):
        return [item.text async for item in transcripts]


async def _speak(folder: Path, script: Script, streams: bool = False) -> bytes:
    async with (
        serving(folder, script, **tts(streams)) as server,
        Peer(server.uri, QUICK) as peer,
        RemoteTts(peer).synthesize(each(["Hello."])) as sound,
    ):
        return b"".join([chunk.pcm async for chunk in sound])


async def test_a_transcript_may_come_before_the_audio_is_over(tmp_path: Path) -> None:
    over = asyncio.Event()

    async def hasty(client: Client) -> None:
        await client.until("audio-chunk")
        await client.say("transcript", text="stop")

    async def endless() -> AsyncIterator[AudioChunk]:
        yield AudioChunk(bytes(640))
        await over.wait()

    async with (
        serving(tmp_path, hasty, **asr()) as server,
        Peer(server.uri, QUICK) as peer,
        RemoteAsr(peer).transcribe(endless(), Hearing()) as transcripts,
    ):
        assert (await anext(transcripts)).text == "stop"


@pytest.mark.parametrize(
    "order",
    [
        ("transcript-chunk", "transcript-start", "transcript"),
        ("transcript-stop", "transcript-chunk", "transcript"),
        ("transcript-chunk", "transcript"),
    ],
)
async def test_events_in_a_wrong_order_are_taken_for_what_they_are(
    tmp_path: Path, order: tuple[str, ...]
) -> None:
    async def muddled(client: Client) -> None:
        await client.until("audio-stop")
        for kind in order:
            await client.say(kind, text="on")

    assert await _hear(tmp_path, muddled, streams=True) == ["on", "on"]


@pytest.mark.parametrize("version", [None, "0.9", "99.0.0", 7])
async def test_the_version_in_a_header_says_nothing(tmp_path: Path, version: Any) -> None:
    async def other(client: Client) -> None:
        await client.until("audio-stop")
        header = {"type": "transcript", "version": version, "data": {"text": "on"}, "hop": 3}
        client.raw(json.dumps(header).encode() + b"\n")

    assert await _hear(tmp_path, other) == ["on"]


async def test_text_beside_ascii_comes_as_it_is_and_what_is_no_text_is_said(tmp_path: Path) -> None:
    async def raw(client: Client) -> None:
        await client.until("audio-stop")
        client.raw('{"type": "transcript", "data": {"text": "Küche 🍳"}}\n'.encode())

    async def broken(client: Client) -> None:
        await client.until("audio-stop")
        client.raw('{"type": "transcript", "data": {"text": "Küche"}}\n'.encode("latin-1"))

    assert await _hear(tmp_path, raw) == ["Küche 🍳"]
    with pytest.raises(EngineError, match="does not speak Wyoming"):
        await _hear(tmp_path, broken)


async def test_a_server_that_asks_whether_we_are_there_is_let_talk(tmp_path: Path) -> None:
    async def pinging(client: Client) -> None:
        await client.say("ping", text="are you there?")
        await client.until("audio-stop")
        await client.say("ping")
        await client.say("transcript", text="on")

    assert await _hear(tmp_path, pinging) == ["on"]


async def test_sound_may_come_in_one_huge_chunk_or_with_empty_ones_and_stamped_as_it_likes(
    tmp_path: Path,
) -> None:
    huge = bytes(5_000_000)

    async def generous(client: Client) -> None:
        await client.until("synthesize")
        await client.sound(b"", huge, b"")

    async def stamped(client: Client) -> None:
        await client.until("synthesize")
        form = {"rate": 22_050, "width": 2, "channels": 1, "timestamp": time.monotonic_ns()}
        await client.connection.write(Event("audio-chunk", form, b"\1\0"))  # no audio-start either
        await client.say("audio-stop", timestamp="late")

    assert await _speak(tmp_path, generous) == huge
    assert await _speak(tmp_path, stamped) == b"\1\0"


async def _odd(client: Client) -> None:
    await client.until("synthesize")
    await client.connection.write(
        Event("audio-chunk", {"rate": 22_050, "width": 2, "channels": 1}, b"\1\0\1")
    )
    await client.until("never")


async def _mute(client: Client) -> None:
    await client.until("synthesize")
    await client.connection.write(Event("audio-chunk", {}, bytes(400)))
    await client.until("never")


@pytest.mark.parametrize(
    ("script", "complaint"),
    [(_odd, "ends in the middle of a sample"), (_mute, "without a proper rate")],
)
async def test_sound_that_is_none_is_said(tmp_path: Path, script: Script, complaint: str) -> None:
    with pytest.raises(EngineError, match=complaint):
        await _speak(tmp_path, script)


async def test_a_streaming_answer_that_changes_its_form_is_refused(tmp_path: Path) -> None:
    async def changing(client: Client) -> None:
        await client.until("synthesize-stop")
        for rate in (22_050, 16_000):
            await client.sound(bytes(400), form=AudioFormat(rate))
        await client.say("synthesize-stopped")

    with pytest.raises(EngineError, match="changed its audio format"):
        await _speak(tmp_path, changing, streams=True)


def test_voices_may_be_called_models() -> None:
    info = Event("info", {"tts": [{"name": "p", "models": [{"name": "joe", "languages": ["en"]}]}]})
    assert Offer.read(info).tts[0].models[0].name == "joe"


async def test_a_spare_connection_is_made_anew_at_each_look(tmp_path: Path) -> None:
    async def idle(client: Client) -> None:
        await client.until("never")

    async with serving(tmp_path, idle, **asr()) as server, Peer(server.uri, QUICK) as peer:
        await peer.offer()
        await peer.look()
        await server.left.wait()
        assert len(server.clients) == 2
        assert server.clients[1].got == [], "it is not asked again while all is well"


async def test_a_server_that_was_replaced_while_nobody_asked_is_asked_anew_before_its_next_request(
    tmp_path: Path,
) -> None:
    async def live(client: Client) -> None:
        await client.until("audio-stop")
        await client.say("transcript", text="on")

    async with serving(tmp_path, live, **asr(False)) as server, Peer(server.uri, QUICK) as peer:
        assert not (await peer.offer()).asr[0].streams
        server.info = asr(True)
        server.clients[0].connection.close()
        await until(lambda: peer._spare and not peer._spare.is_open)
        async with RemoteAsr(peer).transcribe(chunks(), Hearing()) as transcripts:
            assert [item.text async for item in transcripts] == ["on"]
        assert (await peer.offer()).asr[0].streams


async def test_the_system_is_told_how_long_a_machine_may_be_silent() -> None:
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        connection = await dial(f"tcp://{host}:{port}", 5, WireLimits(silent=8.0))
        sock = connection._writer.get_extra_info("socket")
        told = [
            sock.getsockopt(socket.IPPROTO_TCP, option)
            for option in (socket.TCP_USER_TIMEOUT, socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL)
        ]
        connection.close()
    assert told == [8000, 2, 2]


async def test_a_time_out_of_the_system_is_a_peer_that_is_gone_not_half_an_event() -> None:
    reader = asyncio.StreamReader()
    reader.feed_data(b"{")
    connection = Connection(reader, None, "the server")  # type: ignore[arg-type]  # nothing is written
    reading = asyncio.create_task(connection.read())
    await asyncio.sleep(0)
    reader.set_exception(TimeoutError(errno.ETIMEDOUT, "Connection timed out"))
    with pytest.raises(PeerGone, match="broke the connection: Connection timed out"):
        await reading


async def test_a_server_that_has_too_many_clients_is_busy_and_not_broken(tmp_path: Path) -> None:
    async def full(client: Client) -> None:
        await client.until("audio-start")
        await client.say("error", text="too many clients are connected", code="engine-busy")

    with pytest.raises(EngineBusy, match="too many clients"):
        await _hear(tmp_path, full)


def can_be_alone() -> bool:
    """Whether this machine lets us have a network of our own."""
    alone = ["unshare", "-rn", "true"]
    is_there = all(map(shutil.which, ("unshare", "ip")))
    return is_there and subprocess.run(alone, check=False, capture_output=True).returncode == 0


if can_be_alone():

    def test_a_machine_that_vanishes_without_a_word_is_noticed_in_the_middle_of_a_request() -> None:
        """In a network of its own, whose only link goes down: nobody says that nobody is there."""
        code = (
            f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r}); runpy.run_module('tests.remote.vanished')"
        )
        alone = ["unshare", "-rn", sys.executable, "-c", code]
        done = subprocess.run(alone, check=False, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert report["error"] == "EngineUnavailable"
        assert "timed out" in report["text"]
        assert report["seconds"] < 5, "long before the limit of the answer"
        assert report["look"] == "EngineUnavailable"
