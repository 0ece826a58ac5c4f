"""Wyoming on the wire: frames with a limit for every length and every wait.

A frame is `{"type", "data"?, "data_length"?, "payload_length"?}` and a newline, then `data_length`
bytes of JSON that are merged over `data`, then `payload_length` bytes. Unknown keys are skipped.
https://github.com/OHF-Voice/wyoming
"""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any
from urllib.parse import unquote, urlsplit

from wyoming.event import Event

from hub.errors import WireError
from hub.remote.limits import WireLimits

__all__ = ["Connection", "Event", "PeerGone", "dial", "listen_address", "text_of"]

_DEFAULT = WireLimits()
_LARGE = 64 * 1024
"""Bytes of JSON whose reading would hold up the event loop."""


class PeerGone(WireError):
    """The other side cannot be reached, or closed the connection when something was still to come."""


class Connection:
    """One connection, either side; `peer` names the other in errors."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        peer: str,
        limits: WireLimits = _DEFAULT,
    ) -> None:
        self.peer = peer
        self._reader = reader
        self._writer = writer
        self._limits = limits

    @property
    def is_open(self) -> bool:
        """Whether neither side has closed it, as far as is known."""
        return not (self._reader.at_eof() or self._writer.is_closing())

    async def read(self) -> Event | None:
        """Return the next event, or None when the other side has closed between two events.

        Raises `WireError` for rubbish, for a length over its limit and for half an event, `PeerGone`
        for an end in the middle.
        """
        timer: asyncio.Timeout | None = None
        try:
            first = await self._reader.read(1)
            if not first:
                return None
            async with asyncio.timeout(self._limits.half_event) as timer:
                return await self._rest(first)
        except asyncio.IncompleteReadError as error:
            raise PeerGone(f"{self.peer} closed the connection in the middle of an event") from error
        except OSError as error:
            # A time-out of the system has the same type: nobody confirms anything any more.
            if timer and timer.expired():
                raise WireError(f"{self.peer} stopped in the middle of an event") from error
            raise PeerGone(f"{self.peer} broke the connection: {_why(error)}") from error

    async def write(self, event: Event) -> None:
        """Send an event; raises `PeerGone` when the other side is gone or does not take it."""
        try:
            self._writer.write(_frame(event))
            async with asyncio.timeout(self._limits.send):
                await self._writer.drain()
        except TimeoutError as error:
            raise PeerGone(f"{self.peer} takes nothing any more") from error
        except OSError as error:
            raise PeerGone(f"{self.peer} broke the connection: {_why(error)}") from error

    def close(self) -> None:
        """Close it now; what the other side has not taken is dropped."""
        transport = self._writer.transport
        if transport.get_write_buffer_size():
            transport.abort()
        else:
            transport.close()

    async def _rest(self, first: bytes) -> Event:
        header = self._parse(await self._line(first))
        kind, data = header.get("type"), header.get("data")
        if not isinstance(kind, str):
            raise WireError(f"{self.peer} sent an event without a type")
        data_length = self._length(header, "data_length", self._limits.data)
        payload_length = self._length(header, "payload_length", self._limits.payload)
        merged = dict(data) if isinstance(data, dict) else {}
        if data_length:
            merged.update(await self._json(await self._reader.readexactly(data_length)))
        payload = await self._reader.readexactly(payload_length) if payload_length else None
        return Event(type=kind, data=merged, payload=payload)

    async def _line(self, first: bytes) -> bytes:
        if first == b"\n":
            return first
        try:
            return first + await self._reader.readuntil(b"\n")
        except asyncio.LimitOverrunError as error:
            raise WireError(f"{self.peer} sent a header of more than {self._limits.header} bytes") from error

    def _length(self, header: dict[str, Any], key: str, most: int) -> int:
        length = header.get(key) or 0
        if not isinstance(length, int) or isinstance(length, bool) or length < 0:
            raise WireError(f"{self.peer} sent a {key} that is no length")
        if length > most:
            raise WireError(f"{self.peer} sent a {key} of {length}; {most} are allowed")
        return length

    async def _json(self, raw: bytes) -> dict[str, Any]:
        return self._parse(raw) if len(raw) < _LARGE else await asyncio.to_thread(self._parse, raw)

    def _parse(self, raw: bytes) -> dict[str, Any]:
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise WireError(f"{self.peer} does not speak Wyoming: {raw[:40]!r} is no JSON") from error
        if not isinstance(value, dict):
            raise WireError(f"{self.peer} does not speak Wyoming: {raw[:40]!r} is no object")
        return value


async def dial(uri: str, connect: float, limits: WireLimits = _DEFAULT) -> Connection:
    """Open a connection within `connect` seconds; raises `PeerGone` with the reason."""
    kind, address = listen_address(uri)
    try:
        async with asyncio.timeout(connect):
            if kind == "unix":
                reader, writer = await asyncio.open_unix_connection(address[0], limit=limits.header)
            else:
                reader, writer = await asyncio.open_connection(*address, limit=limits.header)
                _keep_alive(writer, limits.silent)
    except TimeoutError as error:
        raise PeerGone(f"{uri} did not answer within {connect:g} s") from error
    except OSError as error:
        raise PeerGone(f"cannot reach {uri}: {_why(error)}") from error
    return Connection(reader, writer, uri, limits)


def listen_address(uri: str) -> tuple[str, tuple[Any, ...]]:
    """Return `("unix", (path,))` or `("tcp", (host, port))`; raises `WireError` for anything else."""
    try:
        parts = urlsplit(uri)
        if parts.scheme == "unix" and parts.path:
            return "unix", (unquote(parts.netloc + parts.path),)
        if parts.scheme == "tcp" and parts.hostname and parts.port:
            return "tcp", (parts.hostname, parts.port)
    except ValueError:
        pass
    raise WireError(f"{uri!r} is no address: write tcp://host:port or unix:///path")


def text_of(event: Event, peer: str, key: str = "text") -> str:
    """Return a text of the event that any encoding can carry; raises `WireError` if there is none."""
    text = event.data.get(key)
    if not isinstance(text, str):
        raise WireError(f"{peer} sent {event.type} without {key}")
    return text.encode("utf-8", "replace").decode()


def _frame(event: Event) -> bytes:
    header: dict[str, Any] = {"type": event.type, "version": "1.10.2"}
    data = json.dumps(event.data).encode() if event.data else b""
    if data:
        header["data_length"] = len(data)
    if event.payload:
        header["payload_length"] = len(event.payload)
    return b"".join((json.dumps(header).encode(), b"\n", data, event.payload or b""))


def _keep_alive(writer: asyncio.StreamWriter, seconds: float) -> None:
    """Let the system find out in `seconds` that the other machine is gone, whether data waits or not."""
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    pause = max(1, round(seconds / 4))
    for option, value in (
        ("TCP_KEEPIDLE", pause),
        ("TCP_KEEPINTVL", pause),
        ("TCP_KEEPCNT", 3),
        ("TCP_USER_TIMEOUT", round(seconds * 1000)),
    ):
        if hasattr(socket, option):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


def _why(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__
