"""A detector of voice activity in another process: it says 1 or 0, and what fails is said when asked."""

import asyncio
from contextlib import closing
from pathlib import Path

import pytest

from hub.errors import EngineError, EngineUnavailable
from hub.remote.peer import Peer
from hub.remote.vad import RemoteVad
from tests.remote.scripted import QUICK, Client, Script, serving

LOUD = b"\xff\x10" * 512
SILENT = bytes(1024)
INFO = {"asr": [{"name": "ears", "models": []}]}


async def _switching(client: Client) -> None:
    """Say that a voice starts and stops, after each chunk."""
    is_voice = False
    while event := await client.until("audio-chunk", "audio-stop"):
        if event.type == "audio-stop":
            return
        if is_voice != bool(event.payload and any(event.payload)):
            is_voice = not is_voice
            await client.say("voice-started" if is_voice else "voice-stopped", timestamp=None)
        await client.say("heartbeat")


async def _until(stream: object, frame: bytes, wanted: float) -> int:
    """Hand the frame over until the server's word for it is there; return how often that was."""
    for count in range(1, 2000):
        if await asyncio.to_thread(stream.process, frame) == wanted:  # type: ignore[attr-defined]
            return count
    raise AssertionError("never")


async def test_a_voice_starts_and_stops_and_starts(tmp_path: Path) -> None:
    async with serving(tmp_path, _switching, **INFO) as server, Peer(server.uri, QUICK) as peer:
        with closing(RemoteVad(peer).open()) as stream:
            assert stream.frame_samples == 512
            assert await asyncio.to_thread(stream.process, SILENT) == 0.0
            for frame, wanted in ((LOUD, 1.0), (SILENT, 0.0), (LOUD, 1.0)):
                await _until(stream, frame, wanted)
                assert await asyncio.to_thread(stream.process, frame) == wanted
        await server.left.wait()
        (client,) = server.busy
        assert client.got[0].type == "audio-start"
        assert client.data("audio-chunk")[0]["rate"] == 16_000


async def test_two_streams_do_not_know_of_each_other(tmp_path: Path) -> None:
    async with serving(tmp_path, _switching, **INFO) as server, Peer(server.uri, QUICK) as peer:
        with closing(RemoteVad(peer).open()) as one, closing(RemoteVad(peer).open()) as other:
            await _until(one, LOUD, 1.0)
            assert await asyncio.to_thread(other.process, SILENT) == 0.0


async def _gone(client: Client) -> None:
    await client.until("audio-chunk")


async def _failing(client: Client) -> None:
    await client.until("audio-chunk")
    await client.say("error", text="no model")


async def _rubbish(client: Client) -> None:
    await client.until("audio-chunk")
    client.raw(b"\0\1\2 what?\n")


@pytest.mark.parametrize(
    ("script", "error", "complaint"),
    [
        (_gone, EngineUnavailable, "."),
        (_failing, EngineError, "no model"),
        (_rubbish, EngineError, "does not speak Wyoming"),
    ],
)
async def test_what_goes_wrong_is_raised_where_frames_are_handed_over(
    tmp_path: Path, script: Script, error: type[EngineError], complaint: str
) -> None:
    async with serving(tmp_path, script, **INFO) as server, Peer(server.uri, QUICK) as peer:
        with closing(RemoteVad(peer).open()) as stream, pytest.raises(error, match=complaint):
            await _until(stream, SILENT, 0.5)


async def test_nobody_there_is_said_too(tmp_path: Path) -> None:
    async with Peer(f"unix://{tmp_path}/none", QUICK) as peer:
        with (
            closing(RemoteVad(peer).open()) as stream,
            pytest.raises(EngineUnavailable, match="No such file"),
        ):
            await _until(stream, SILENT, 0.5)
