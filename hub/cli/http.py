"""HTTP/1.1 as a verb needs it: one request on a unix socket, its answer as it comes, few imports.

The standard library's client costs a verb a fifth of its time: it brings TLS and mail along.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_PIECE = 65_536
"""Bytes that are sent or read at a time."""
_LONGEST = 16_384
"""Bytes of a line in the head of an answer."""
_MOST = 100
"""Lines in the head of an answer."""


class Answer:
    """An answer whose body has not been read yet. Reading raises `OSError` where it breaks off."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.status, self.reason = _status(_line(file))
        self._headers = _headers(file)

    def read(self) -> bytes:
        """Return the whole body."""
        return b"".join(self._pieces())

    def lines(self) -> Iterator[bytes]:
        """Give the body's lines as they come, without their ends."""
        rest = b""
        for piece in self._pieces():
            *whole, rest = (rest + piece).split(b"\n")
            yield from whole
        if rest:
            yield rest

    def _pieces(self) -> Iterator[bytes]:
        if self._headers.get("transfer-encoding", "").lower() == "chunked":
            while size := int(_line(self._file).partition(b";")[0], 16):
                yield from self._exactly(size)
                _line(self._file)
        elif "content-length" in self._headers:
            yield from self._exactly(int(self._headers["content-length"]))
        else:
            while piece := self._file.read(_PIECE):
                yield piece

    def _exactly(self, size: int) -> Iterator[bytes]:
        while size:
            piece = self._file.read(min(size, _PIECE))
            if not piece:
                raise ConnectionError("the answer breaks off")
            size -= len(piece)
            yield piece


@contextmanager
def asked(
    path: Path, method: str, target: str, body: bytes | int | None, kind: str, client: str
) -> Iterator[Answer]:
    """Ask at the socket and give the answer; a `body` that is a descriptor is sent while it is read.

    Raises `OSError`, and `ValueError` for what is no HTTP.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.connect(str(path))
        head = f"{method} {target} HTTP/1.1\r\nHost: earnest\r\nConnection: close\r\n"
        head += f"Earnest-Client: {client}\r\nContent-Type: {kind}\r\n"
        if isinstance(body, int):
            sock.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
            threading.Thread(target=_pour, args=(sock, body), daemon=True, name="recording").start()
        else:
            _send(sock, f"{head}Content-Length: {len(body or b'')}\r\n\r\n".encode() + (body or b""))
        with sock.makefile("rb") as file:
            yield Answer(file)


def _send(sock: socket.socket, request: bytes) -> None:
    """Send it all; a hub that does not want it all answers why and hangs up."""
    with suppress(BrokenPipeError, ConnectionResetError):
        sock.sendall(request)


def _pour(sock: socket.socket, recording: int) -> None:
    """Send the file in chunks until it ends or the hub has heard enough."""
    with suppress(OSError):
        while piece := os.read(recording, _PIECE):
            sock.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
        sock.sendall(b"0\r\n\r\n")


def _line(file: BinaryIO) -> bytes:
    line = file.readline(_LONGEST)
    if not line.endswith(b"\n"):
        raise ConnectionError("what answers is no hub" if line else "the answer breaks off")
    return line.strip()


def _status(line: bytes) -> tuple[int, str]:
    version, _, rest = line.decode("latin-1").partition(" ")
    status, _, reason = rest.partition(" ")
    if not version.startswith("HTTP/1.") or not status.isdecimal():
        raise ConnectionError("what answers is no hub")
    return int(status), reason


def _headers(file: BinaryIO) -> dict[str, str]:
    found: dict[str, str] = {}
    for _ in range(_MOST):
        line = _line(file).decode("latin-1")
        if not line:
            return found
        name, _, value = line.partition(":")
        found[name.strip().lower()] = value.strip()
    raise ConnectionError("the answer's head has no end")
