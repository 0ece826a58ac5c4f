"""A Wyoming satellite that a test plays: a server on this machine that one hub may own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from wyoming.event import Event, async_read_event, async_write_event

CHUNK = 2048


class ScriptedDevice:
    """Listens on a port of its own; keeps everything that its owner sends."""

    def __init__(self, **about: Any) -> None:
        self.about = {
            "name": "kitchen box",
            "installed": True,
            "attribution": {"name": "", "url": ""},
            **about,
        }
        self.seen: list[Event] = []
        self.answers_pings = True
        self.port = 0
        self.owners = 0
        self.is_taken = False
        """Whether another hub has it."""
        self._owner: asyncio.StreamWriter | None = None
        self._changed = asyncio.Condition()
        self._all: set[asyncio.StreamWriter] = set()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[ScriptedDevice]:
        """Listen, on the same port each time."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for writer in tuple(self._all):
                writer.transport.abort()
            await server.wait_closed()

    def reboot(self) -> None:
        """Lose every connection at once."""
        for writer in tuple(self._all):
            writer.transport.abort()

    async def say(self, kind: str, data: dict[str, Any] | None = None, payload: bytes | None = None) -> None:
        """Send an event to the owner."""
        assert self._owner
        await async_write_event(Event(kind, data or {}, payload), self._owner)

    async def hear(self, pcm: bytes) -> None:
        """Send sound, all at once, in small chunks."""
        for start in range(0, len(pcm), CHUNK):
            about = {"rate": 16_000, "width": 2, "channels": 1, "timestamp": 123_456_789_012}
            await self.say("audio-chunk", about, pcm[start : start + CHUNK])

    async def raw(self, data: bytes) -> None:
        """Send any bytes to the owner."""
        assert self._owner
        self._owner.write(data)
        await self._owner.drain()

    def kinds(self) -> list[str]:
        """Return what the owner sent besides pings, sounds in one."""
        kinds = [event.type for event in self.seen if event.type not in ("ping", "describe")]
        return [kind for at, kind in enumerate(kinds) if at == 0 or kinds[at - 1] != kind]

    async def until(self, kind: str, count: int = 1) -> Event:
        """Wait until the owner has sent so many of a kind; returns the last."""
        async with asyncio.timeout(20), self._changed:
            while len(found := [event for event in self.seen if event.type == kind]) < count:
                await self._changed.wait()
        return found[-1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._all.add(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while event := await async_read_event(reader):
                if not await self._take(event, writer):
                    break
        self._all.discard(writer)
        if self._owner is writer:
            self._owner = None
        writer.close()

    async def _take(self, event: Event, writer: asyncio.StreamWriter) -> bool:
        if event.type == "describe":
            await async_write_event(Event("info", {"satellite": self.about}), writer)
            return True
        if self.is_taken:
            return False
        if self._owner is None:
            self._owner, self.owners = writer, self.owners + 1
        if event.type == "ping" and self.answers_pings:
            await async_write_event(Event("pong", event.data), writer)
        async with self._changed:
            self.seen.append(event)
            self._changed.notify_all()
        if event.type == "audio-stop":
            await async_write_event(Event("played"), writer)
        return True
