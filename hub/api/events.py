"""`/api/events`: what happens, as server-sent events."""

from __future__ import annotations

import asyncio
import json

from aiohttp import web

from hub import events
from hub.api.answers import Rejected
from hub.api.hub import CONFIG, HUB, VIEWS
from hub.api.shapes import event_shape
from hub.api.writing import write
from hub.bus import View
from hub.config.words import near
from hub.events import Event, HubStopping


async def stream(request: web.Request) -> web.StreamResponse:
    """Stream events until the viewer leaves or the hub stops; `?restrict=` names the wanted kinds."""
    hub, config = request.app[HUB], request.app[CONFIG]
    kinds = wanted(request.query.get("restrict", ""))
    response = web.StreamResponse(
        headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    )
    with hub.bus.view(*kinds, size=config.viewer_events) as view:
        request.app[VIEWS].add(view)
        try:
            await response.prepare(request)
            await write(request, response, b": connected\n\n")
            await _follow(request, response, view)
        finally:
            request.app[VIEWS].discard(view)
    return response


async def _follow(request: web.Request, response: web.StreamResponse, view: View) -> None:
    clock, config = request.app[HUB].clock, request.app[CONFIG]
    while True:
        try:
            async with asyncio.timeout(config.heartbeat):
                event = await anext(view)
        except TimeoutError:
            await write(request, response, b": alive\n\n", config.viewer_timeout)
            continue
        data = json.dumps(event_shape(event, clock.now()), separators=(",", ":"), default=str)
        await write(
            request, response, f"event: {event.wire_name}\ndata: {data}\n\n".encode(), config.viewer_timeout
        )
        if isinstance(event, HubStopping):
            return


def wanted(names: str) -> tuple[type[Event], ...]:
    """Return the kinds of events with these names (comma between them); none means all."""
    if not names:
        return ()
    known = kinds()
    found = []
    for name in filter(None, map(str.strip, names.split(","))):
        if name not in known:
            raise Rejected(400, "unknown-event", f"there is no event '{name[:100]}'{near(name, known)}")
        found.append(known[name])
    return (*found, HubStopping)


def kinds() -> dict[str, type[Event]]:
    """Return every kind of event by its name on the wire."""
    every = (kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, Event))
    return {kind.wire_name: kind for kind in every if "wire_name" in vars(kind)}


ROUTES = (web.get("/api/events", stream),)
