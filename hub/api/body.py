"""Bodies of requests: bounded in size and time, checked against a dataclass."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, TypeVar

from aiohttp import web

from hub.api.answers import Rejected
from hub.api.hub import CONFIG
from hub.config.schema import arguments

_Body = TypeVar("_Body")


async def mapping(request: web.Request) -> Mapping[str, Any]:
    """Return the JSON object in the body; an empty body is an empty object. Raises `Rejected`."""
    limit = request.app[CONFIG].body_timeout
    try:
        async with asyncio.timeout(limit):
            raw = await request.read()
    except TimeoutError:
        message = f"the body did not come within {limit:g} s (api.body_timeout)"
        raise Rejected(408, "body-timeout", message) from None
    value = parsed(raw) if raw.strip() else {}
    if not isinstance(value, dict):
        raise Rejected(400, "bad-body", "the body is no JSON object")
    return value


def parsed(raw: bytes) -> Any:
    """Return the JSON value in `raw`; raises `Rejected` with where it breaks."""
    try:
        text = raw.decode("utf-8")
        value = json.loads(text)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeError:
        raise Rejected(400, "bad-body", "the body is not UTF-8") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Rejected(400, "bad-body", f"the body is no JSON: {error.msg} ({where})") from None
    except (ValueError, RecursionError):
        raise Rejected(400, "bad-body", "the body is no JSON the hub reads: too deep or too big") from None
    return value


def checked(cls: type[_Body], values: Mapping[str, Any]) -> _Body:
    """Return `values` as `cls`; raises `Rejected` with what is wrong and a near match."""
    try:
        return cls(**arguments(cls, values))
    except (ValueError, TypeError) as error:
        raise Rejected(400, "bad-body", str(error)) from None


def sentence(request: web.Request, text: str) -> str:
    """Return the text a turn may begin with; raises `Rejected` for an empty or endless one."""
    limit = request.app[CONFIG].text_limit
    if not text.strip():
        raise Rejected(400, "no-text", "there is no text to understand")
    if len(text) > limit:
        raise Rejected(413, "text-too-long", f"a sentence has at most {limit} characters (api.text_limit)")
    return text
