"""A web server on this machine that publishes files, and does to them whatever a test asks for."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

from hub.models.published import Downloadable, RemoteFile

Kind = Literal[
    "status",
    "moved",
    "cut",
    "stall",
    "lie",
    "whole",
    "changed",
    "endless",
    "closed",
    "elsewhere",
    "unmarked",
    "packed",
    "stubborn",
    "shifted",
]

_OTHER = bytes(range(255, -1, -1))

READ = 1 << 20
"""Bytes that a client may have received and not yet read when the connection ends: it asks for them again."""


@dataclass(frozen=True, slots=True)
class Mishap:
    """What happens to one request: `stubborn` sends a piece of a file that has changed, whatever was asked
    of it, `shifted` one that begins elsewhere."""

    kind: Kind
    at: int = 0
    """Bytes of the body after which it happens; for `status` the status."""
    text: str = ""
    """The header that goes with it: Retry-After, Location."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came."""

    target: str
    headers: dict[str, str]


@dataclass(slots=True)
class Publisher:
    """Serves `files` by path; each request takes the next of `mishaps`."""

    files: dict[str, bytes]
    mishaps: list[Mishap] = field(default_factory=list)
    is_marked: bool = True
    """Whether files have an ETag."""
    commit: str = ""
    """Told as Hugging Face does, with the digests, when it is set."""
    small: str = ""
    """Told as the digest instead, as Hugging Face does of small files."""
    seen: list[Asked] = field(default_factory=list)
    on_request: Callable[[], None] = lambda: None
    url: str = ""
    stalled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a request hangs."""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Publisher]:
        """Serve while the block is open."""
        tasks: set[asyncio.Task[None]] = set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task
            tasks.add(task)
            try:
                with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                    await self._answer(reader, writer)
            finally:
                tasks.discard(task)
                writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            for task in list(tasks):
                task.cancel()
            if tasks:
                await asyncio.wait(tasks)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in head[1:] if line)}
        asked = Asked(head[0].split()[1], headers)
        self.seen.append(asked)
        self.on_request()
        mishap = self.mishaps.pop(0) if self.mishaps else Mishap("unmarked", -1)
        body = self.files.get(_path(asked.target))
        if mishap.kind == "closed":
            return
        if mishap.kind == "status":
            extra = {"Retry-After": mishap.text} if mishap.text else {}
            await _send(writer, mishap.at, extra, b"")
        elif mishap.kind in ("moved", "elsewhere"):
            told = self._told(body or b"") if mishap.kind == "moved" else {}
            await _send(writer, 302, {"Location": mishap.text, **told}, b"")
        elif body is None:
            await _send(writer, 404, {}, b"")
        else:
            await self._body(writer, asked, body, mishap)

    async def _body(self, writer: asyncio.StreamWriter, asked: Asked, body: bytes, mishap: Mishap) -> None:
        if mishap.kind in ("changed", "stubborn"):
            body = self.files[_path(asked.target)] = body.translate(_OTHER)
        etag = f'"{hashlib.md5(body).hexdigest()}"'
        start = 0
        wanted = asked.headers.get("range", "")
        is_same = asked.headers.get("if-range", etag) == etag or mishap.kind == "stubborn"
        if wanted and mishap.kind != "whole" and is_same:
            start = resumed_at(wanted)
            start -= start > 0 and mishap.kind == "shifted"
        headers = {"ETag": etag, **self._told(body)}
        if not self.is_marked or (mishap.kind == "unmarked" and mishap.at >= 0):
            del headers["ETag"]
        if mishap.kind == "packed":
            headers["Content-Encoding"] = "gzip"
        if start >= len(body) > 0:
            await _send(writer, 416, headers, b"")
            return
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        rest = body[start:]
        length = len(rest) + (mishap.at if mishap.kind == "lie" else 0)
        if mishap.kind == "endless":
            rest += bytes(1 << 16)
            await _send(writer, 206 if start else 200, headers, rest, length=None)
        elif mishap.kind in ("cut", "stall", "lie"):
            part = rest if mishap.kind == "lie" else rest[: mishap.at]
            await _send(writer, 206 if start else 200, headers, part, length=length)
            if mishap.kind == "stall":
                self.stalled.set()
                await asyncio.Event().wait()
        else:
            await _send(writer, 206 if start else 200, headers, rest)

    def _told(self, body: bytes) -> dict[str, str]:
        if not self.commit:
            return {}
        digest = self.small or hashlib.sha256(body).hexdigest()
        return {"X-Repo-Commit": self.commit, "X-Linked-Etag": f'"{digest}"'}


def resumed_at(wanted: str) -> int:
    """Return the byte from which a `Range` header wants the rest."""
    return int(wanted.removeprefix("bytes=").removesuffix("-"))


def _path(target: str) -> str:
    """Return the path; a proxy is asked for a whole address."""
    return "/" + target.split("://", 1)[-1].split("/", 1)[1] if "://" in target else target


async def _send(
    writer: asyncio.StreamWriter, status: int, headers: dict[str, str], body: bytes, length: int | None = -1
) -> None:
    """Send an answer; `length` -1 is the true one, None is none at all."""
    told = {"Connection": "close", **headers}
    if length is not None:
        told["Content-Length"] = str(len(body) if length == -1 else length)
    lines = [f"HTTP/1.1 {status} So", *(f"{name}: {value}" for name, value in told.items())]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    await writer.drain()


def published(name: str, files: dict[str, bytes], *, known: bool = True) -> Downloadable:
    """Return a model with these files at `https://models.test/<name>/`."""
    return Downloadable(
        name=name,
        files=tuple(
            RemoteFile(
                path=path,
                url=f"https://models.test/{name}/{path}",
                size=len(content),
                sha256=hashlib.sha256(content).hexdigest() if known else "",
            )
            for path, content in files.items()
        ),
    )


def publisher(name: str, files: dict[str, bytes], *mishaps: Mishap) -> Publisher:
    """Return the server of a model, to be opened."""
    return Publisher({f"/{name}/{path}": content for path, content in files.items()}, list(mishaps))
