"""Answers in JSON, and failures as `{"code", "message"}` with the status that fits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from hub.errors import (
    AudioError,
    ConfigError,
    EarnestError,
    EngineBusy,
    EngineError,
    EngineTimeout,
    EngineUnavailable,
    WireError,
)

_STATUS: Mapping[type[EarnestError], int] = {
    AudioError: 400,
    ConfigError: 400,
    EngineBusy: 503,
    EngineUnavailable: 503,
    EngineTimeout: 504,
    EngineError: 502,
    WireError: 502,
}


class Rejected(Exception):
    """A request that cannot be done as it is, with the HTTP status that says so."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def line(value: Any) -> bytes:
    """Return `value` as one line of JSON."""
    return json.dumps(value, separators=(",", ":"), default=str).encode() + b"\n"


def answer(value: Any, status: int = 200) -> web.Response:
    """Return `value` as a JSON response."""
    return web.Response(body=line(value), status=status, content_type="application/json", charset="utf-8")


def problem(code: str, message: str, **more: Any) -> dict[str, Any]:
    """Return a failure in the one form all of them have."""
    return {"code": code, "message": message, **more}


def failure(error: EarnestError) -> dict[str, Any]:
    """Return an error of the hub in that form; a configuration's with all its problems."""
    if isinstance(error, ConfigError):
        from hub.events import plain

        return problem(error.code, str(error), problems=plain(error.problems))
    return problem(error.code, str(error))


def status_of(error: EarnestError) -> int:
    """Return the HTTP status of an error of the hub."""
    return next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), 500)
