"""`/api/`: whether the hub runs, and reading its configuration anew."""

from __future__ import annotations

from aiohttp import web

from hub import __version__
from hub.api.answers import answer
from hub.api.hub import HUB


async def health(request: web.Request) -> web.Response:
    """Say that the hub runs."""
    hub = request.app[HUB]
    return answer(
        {
            "message": "API running.",
            "state": "RUNNING",
            "version": __version__,
            "name": hub.config.hub.name,
            "language": hub.config.hub.language,
            "pipelines": list(hub.pipelines),
        }
    )


async def reload(request: web.Request) -> web.Response:
    """Read the configuration anew; what is wrong with it comes back and nothing changes."""
    await request.app[HUB].reload()
    return answer({"message": "The configuration was read anew."})


ROUTES = (
    web.get("/api/", health),
    web.get("/api", health),
    web.post("/api/reload", reload),
)
