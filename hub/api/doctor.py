"""`/api/doctor`: every check of the hub, one line each, as it is made."""

from __future__ import annotations

from contextlib import aclosing

from aiohttp import web

from hub.api.answers import line
from hub.api.examination import examined
from hub.api.hub import HUB
from hub.api.writing import write
from hub.events import plain


async def run(request: web.Request) -> web.StreamResponse:
    """Examine the hub; it takes as long as its engines do."""
    response = web.StreamResponse(
        headers={"Content-Type": "application/x-ndjson", "Cache-Control": "no-store"}
    )
    await response.prepare(request)
    async with aclosing(examined(request.app[HUB])) as checks:
        async for check in checks:
            await write(request, response, line(plain(check)))
    await response.write_eof()
    return response


ROUTES = (web.post("/api/doctor", run),)
