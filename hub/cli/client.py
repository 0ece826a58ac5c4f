"""The hub from outside: what it answers at its control socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from hub.cli.http import Answer, asked
from hub.errors import EarnestError


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


class Client:
    """One hub, reached at its control socket. Waits as long as the hub takes: it has the limits."""

    def __init__(self, path: Path) -> None:
        self.path = path

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
        """Yield what happens, until the hub stops."""
        with self._open("GET", _with_query("/api/events", query), None) as answer:
            for line in _whole_lines(answer):
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])

    def _whole(self, method: str, path: str, value: Any) -> Any:
        body = None if value is None else json.dumps(value).encode()
        with self._open(method, path, body) as answer:
            try:
                return json.loads(answer.read())
            except (OSError, ValueError) as error:
                raise HubGone(f"the hub went away: {_why(error)}") from error

    def _lines(self, method: str, path: str, body: bytes | int, kind: str) -> Iterator[dict[str, Any]]:
        with self._open(method, path, body, kind) as answer:
            for line in _whole_lines(answer):
                if line.strip():
                    yield json.loads(line)

    @contextmanager
    def _open(
        self, method: str, path: str, body: bytes | int | None, kind: str = "application/json"
    ) -> Iterator[Answer]:
        try:
            with ExitStack() as stack:
                answer = stack.enter_context(asked(self.path, method, path, body, kind, "cli"))
                failed = _failure(answer) if answer.status >= 400 else None
                unread = stack.pop_all()
        except (OSError, ValueError) as error:
            raise HubGone(f"the hub at {self.path} does not answer: {_why(error)}") from error
        with unread:
            if failed is not None:
                raise Declined(failed)
            yield answer


def _failure(answer: Answer) -> dict[str, Any]:
    """Return a failure as the hub words it; from a stranger at the socket, what can be said of it."""
    raw = answer.read()
    try:
        value = json.loads(raw)
    except ValueError:
        value = None
    if isinstance(value, dict) and "message" in value:
        return value
    return {"code": "failed", "message": f"the hub answered {answer.status} {answer.reason}"}


def _whole_lines(answer: Answer) -> Iterator[bytes]:
    try:
        yield from answer.lines()
    except (OSError, ValueError) as error:
        raise HubGone(f"the hub went away: {_why(error)}") from error


def _why(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def _with_query(path: str, query: dict[str, Any] | None) -> str:
    given = {key: value for key, value in (query or {}).items() if value not in (None, False, "")}
    return f"{path}?{urlencode(given)}" if given else path
