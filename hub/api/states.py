"""`/api/states` and `/api/things`: what is, and what there is."""

from __future__ import annotations

from aiohttp import web

from hub.api.answers import Rejected, answer
from hub.api.hub import HUB
from hub.api.shapes import state_shape, thing_shape
from hub.config.words import near


async def listed(request: web.Request) -> web.Response:
    """Return all states, sorted by entity."""
    states = sorted(request.app[HUB].states, key=lambda state: state.entity_id)
    return answer([state_shape(state) for state in states])


async def one(request: web.Request) -> web.Response:
    """Return the state of one entity."""
    states = request.app[HUB].states
    entity_id = request.match_info["entity_id"]
    state = states.get(entity_id)
    if state is None:
        hint = near(entity_id, (known.entity_id for known in states))
        raise Rejected(404, "unknown-entity", f"there is no entity '{entity_id[:100]}'{hint}")
    return answer(state_shape(state))


async def things(request: web.Request) -> web.Response:
    """Return the things of the house, sorted by id."""
    hub = request.app[HUB]
    found = sorted(hub.house.things.values(), key=lambda thing: thing.id)
    return answer([thing_shape(thing, hub.house, hub.states) for thing in found])


ROUTES = (
    web.get("/api/states", listed),
    web.get("/api/states/{entity_id}", one),
    web.get("/api/things", things),
)
