"""Writing to readers that may be slow, gone or stuck."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from aiohttp import web

from hub.api.hub import CONFIG


async def write(
    request: web.Request, response: web.StreamResponse, piece: bytes, patience: float | None = None
) -> None:
    """Send a piece; a reader that does not make room for it in time is let go (`ConnectionResetError`)."""
    await _patiently(request, response.write(piece), patience or request.app[CONFIG].write_timeout)


async def finish(request: web.Request, response: web.StreamResponse) -> None:
    """Send the rest of a response and its end, with the same patience."""
    await response.prepare(request)
    await _patiently(request, response.write_eof(), request.app[CONFIG].write_timeout)


async def _patiently(request: web.Request, writing: Coroutine[Any, Any, None], patience: float) -> None:
    try:
        async with asyncio.timeout(patience):
            await writing
    except TimeoutError:
        if request.transport is not None:
            request.transport.abort()
        raise ConnectionResetError(f"the reader took nothing for {patience:g} s") from None
