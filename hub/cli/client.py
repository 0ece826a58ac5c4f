"""The hub from outside: HTTP over its control socket, with the standard library alone."""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from hub.errors import EarnestError

_PIECE = 65_536
"""Bytes of a recording that are sent at a time."""

_STOPPING = "homeassistant_stop"
"""The last event of a hub that stops by itself."""


class HubGone(EarnestError):
    """The hub went away before it had answered."""

    code = "hub-gone"


class Declined(EarnestError):
    """The hub answered with a failure; `answer_code` is its stable code."""

    code = "declined"

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(str(answer.get("message") or "the hub gave no reason"))
        self.answer = answer
        self.answer_code = str(answer.get("code") or "failed")


class _Connection(http.client.HTTPConnection):
    """HTTP on a unix socket."""

    def __init__(self, path: Path, patience: float | None) -> None:
        super().__init__("earnest")
        self._path = path
        self._patience = patience

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self._patience)
        self.sock.connect(str(self._path))


class Client:
    """One hub, reached at its control socket.

    Waits as long as the hub takes, which has the limits, or `patience` seconds for each piece of an answer.
    """

    def __init__(self, path: Path, patience: float | None = None) -> None:
        self.path = path
        self._patience = patience

    def get(self, path: str) -> Any:
        """Return the JSON at `path`; raises `Declined` or `HubGone`."""
        return self._whole("GET", path, None)

    def post(self, path: str, value: Any = None) -> Any:
        """Post JSON and return the JSON answer; raises `Declined` or `HubGone`."""
        return self._whole("POST", path, value)

    def turn(self, value: dict[str, Any], query: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
        """Run a turn on what `value` says; yields its events, then its record."""
        body = json.dumps(value).encode()
        yield from self._lines("POST", _with_query("/api/turns", query), body, "application/json")

    def hear(self, recording: int, query: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Run a turn on the WAV in an open file; it is sent while the events come."""
        yield from self._lines("POST", _with_query("/api/turns", query), recording, "audio/wav")

    def lines(self, path: str) -> Iterator[dict[str, Any]]:
        """Post nothing and yield the answer's lines as they come."""
        yield from self._lines("POST", path, b"", "application/json")

    def events(self, query: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield what happens, until the hub stops; raises `HubGone` when it went without a word."""
        last: dict[str, Any] = {}
        with self._open("GET", _with_query("/api/events", query), None) as response:
            for line in _whole_lines(response):
                if line.startswith(b"data: "):
                    last = json.loads(line[6:])
                    yield last
        if last.get("event_type") != _STOPPING:
            raise HubGone("the hub went away")

    def _whole(self, method: str, path: str, value: Any) -> Any:
        body = None if value is None else json.dumps(value).encode()
        with self._open(method, path, body) as response:
            return json.loads(response.read())

    def _lines(self, method: str, path: str, body: bytes | int, kind: str) -> Iterator[dict[str, Any]]:
        with self._open(method, path, body, kind) as response:
            for line in _whole_lines(response):
                if line.strip():
                    yield json.loads(line)

    @contextmanager
    def _open(
        self, method: str, path: str, body: bytes | int | None, kind: str = "application/json"
    ) -> Iterator[http.client.HTTPResponse]:
        with closing(_Connection(self.path, self._patience)) as connection:
            try:
                _send(connection, method, path, body, kind)
                response = connection.getresponse()
                failed = _answer(response) if response.status >= 400 else None
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise HubGone(f"the hub at {self.path} does not answer: {_why(error)}") from error
            if failed is not None:
                raise Declined(failed)
            yield response


def _send(connection: _Connection, method: str, path: str, body: bytes | int | None, kind: str) -> None:
    connection.putrequest(method, path, skip_accept_encoding=True)
    connection.putheader("Earnest-Client", "cli")
    connection.putheader("Content-Type", kind)
    if isinstance(body, int):
        connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        threading.Thread(target=_pour, args=(connection.sock, body), daemon=True, name="recording").start()
        return
    connection.putheader("Content-Length", str(len(body or b"")))
    connection.endheaders(body or None)


def _pour(sock: socket.socket, recording: int) -> None:
    """Send the file in chunks until it ends or the hub has heard enough."""
    with suppress(OSError):
        while piece := os.read(recording, _PIECE):
            sock.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
        sock.sendall(b"0\r\n\r\n")


def _answer(response: http.client.HTTPResponse) -> dict[str, Any]:
    """Return a failure as the hub words it; from a stranger at the socket, what can be said of it."""
    raw = response.read()
    try:
        value = json.loads(raw)
    except ValueError:
        value = None
    if isinstance(value, dict) and "message" in value:
        return value
    return {"code": "failed", "message": f"the hub answered {response.status} {response.reason}"}


def _whole_lines(response: http.client.HTTPResponse) -> Iterator[bytes]:
    try:
        while line := response.readline():
            yield line
    except (OSError, http.client.HTTPException) as error:
        raise HubGone(f"the hub went away: {_why(error)}") from error


def _why(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def _with_query(path: str, query: dict[str, Any] | None) -> str:
    given = {key: value for key, value in (query or {}).items() if value not in (None, False, "")}
    return f"{path}?{urlencode(given)}" if given else path
