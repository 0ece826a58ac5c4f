"""Wyoming servers that follow a script, over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from hub.audio import AudioChunk, AudioFormat
from hub.remote.limits import RemoteLimits, WireLimits
from hub.remote.sound import audio_chunk, audio_start, audio_stop
from hub.remote.wire import Connection, Event, PeerGone

QUICK = RemoteLimits(connect=2, describe=2, first=0.2, gap=0.2, total=0.5, wire=WireLimits(half_event=0.1))
VOICE = AudioFormat(rate=22_050)
Script = Callable[["Client"], Awaitable[None]]


class Client:
    """One connection as the scripted server sees it; `got` is everything that came."""

    def __init__(self, connection: Connection, server: Server) -> None:
        self.connection = connection
        self.got: list[Event] = []
        self._server = server

    async def until(self, *kinds: str) -> Event:
        """Read until an event of one of these kinds; answers `describe` on the way."""
        while event := await self.connection.read():
            if event.type == "describe":
                await self.connection.write(Event("info", self._server.info))
                continue
            self.got.append(event)
            if event.type in kinds:
                return event
        raise PeerGone("the hub left")

    async def say(self, kind: str, **data: Any) -> None:
        """Send an event."""
        await self.connection.write(Event(kind, data))

    async def sound(self, *pieces: bytes, form: AudioFormat = VOICE) -> None:
        """Send audio: a start, the pieces, a stop."""
        await self.connection.write(audio_start(form))
        for pcm in pieces:
            await self.connection.write(audio_chunk(AudioChunk(pcm, form)))
        await self.connection.write(audio_stop())

    def raw(self, rubbish: bytes) -> None:
        """Send bytes as they are."""
        self.connection._writer.write(rubbish)

    def data(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of every event of a kind."""
        return [event.data for event in self.got if event.type == kind]


class Server:
    """Runs `script` for every connection and then closes it."""

    def __init__(self, uri: str, info: dict[str, Any], script: Script) -> None:
        self.uri = uri
        self.info = info
        self.script = script
        self.clients: list[Client] = []
        self.left = asyncio.Event()
        """Set when a client has left before its script was through."""

    @property
    def busy(self) -> list[Client]:
        """Connections that carried a request."""
        return [client for client in self.clients if client.got]

    async def welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = Client(Connection(reader, writer, "the hub"), self)
        self.clients.append(client)
        try:
            await self.script(client)
        except PeerGone:
            self.left.set()
        finally:
            client.connection.close()


async def until(true: Callable[[], object], seconds: float = 20.0) -> None:
    """Let the others run until it is so."""
    async with asyncio.timeout(seconds):
        for _ in iter(lambda: bool(true()), True):
            await asyncio.sleep(0)


async def replaced(server: Server, info: dict[str, Any], is_seen: Callable[[], bool]) -> None:
    """Make another server of it, which closes the connections that lie idle, and wait until that is seen."""
    server.info = info
    while not is_seen():
        before = len(server.clients)
        for client in server.clients:
            client.connection.close()
        # One that was just being opened is closed the next time.
        await until(lambda: is_seen() or len(server.clients) > before + 3)  # noqa: B023  it is awaited here


@asynccontextmanager
async def serving(folder: Path, script: Script, **info: Any) -> AsyncIterator[Server]:
    """Serve on a unix socket in the folder; `info` is what the server says of itself."""
    path = folder / f"{id(script)}.sock"
    server = Server(f"unix://{path}", info, script)
    listening = await asyncio.start_unix_server(server.welcome, path)
    try:
        yield server
    finally:
        # A connection that is accepted while the server closes is lost by asyncio, with a warning.
        for _ in range(20):
            await asyncio.sleep(0)
        listening.close()
        for client in server.clients:
            client.connection.close()


def asr(streams: bool = False, *languages: str) -> dict[str, Any]:
    """Return an `info` with a recogniser."""
    models = [{"name": "tiny", "languages": list(languages), "installed": True}]
    return {"asr": [{"name": "ears", "models": models, "supports_transcript_streaming": streams}]}


def tts(streams: bool = False) -> dict[str, Any]:
    """Return an `info` with a voice."""
    voices = [{"name": "joe", "languages": ["en_US"], "speakers": None}]
    return {"tts": [{"name": "mouth", "voices": voices, "supports_synthesize_streaming": streams}]}


async def chunks(seconds: float = 0.2, error: Exception | None = None) -> AsyncIterator[AudioChunk]:
    """Give an utterance in pieces of 20 ms."""
    for _ in range(round(seconds * 50)):
        yield AudioChunk(bytes(640))
    if error:
        raise error


async def each(items: Iterable[str]) -> AsyncIterator[str]:
    """Give the sentences one by one."""
    for item in items:
        yield item
