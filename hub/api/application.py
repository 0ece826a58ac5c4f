"""The application: its routes, and what every request goes through."""

from __future__ import annotations

import asyncio
import logging
import os

from aiohttp import web
from aiohttp.typedefs import Handler

from hub.api import conversation, doctor, events, health, services, states, tools, turns
from hub.api.answers import Rejected, answer, failure, problem, status_of
from hub.api.config import ApiConfig
from hub.api.hub import CONFIG, HUB, OWNER, RUNNING, VIEWS, Hub
from hub.api.peer import admit
from hub.api.writing import finish
from hub.errors import EarnestError

_log = logging.getLogger(__name__)
_STREAMS = (events.stream, turns.run, doctor.run)
"""They end by themselves and word their own failures once they have begun."""
_PARTS = (health, states, tools, services, events, turns, conversation, doctor)


def application(hub: Hub, config: ApiConfig, owner: int | None = None) -> web.Application:
    """Return the application for `hub`; `owner` is the user id it is for (the hub's own if None)."""
    app = web.Application(middlewares=[_guarded], client_max_size=config.body_limit)
    app[HUB] = hub
    app[CONFIG] = config
    app[OWNER] = os.geteuid() if owner is None else owner
    app[VIEWS] = set()
    app[RUNNING] = set()
    for part in _PARTS:
        app.add_routes(part.ROUTES)
    return app


@web.middleware
async def _guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Admit the owner, bound the time, and turn every failure into JSON."""
    task = asyncio.current_task()
    assert task is not None
    running = request.app[RUNNING]
    running.add(task)
    try:
        response = await _answered(request, handler)
        if isinstance(response, web.Response):
            await finish(request, response)
        return response
    except ConnectionError as error:
        _log.debug("a client has gone: %s", error)
        return web.Response(status=499, reason="Client Closed Request")
    finally:
        running.discard(task)


async def _answered(request: web.Request, handler: Handler) -> web.StreamResponse:
    limit = None if request.match_info.handler in _STREAMS else request.app[CONFIG].request_timeout
    try:
        admit(request)
        async with asyncio.timeout(limit):
            return await handler(request)
    except Rejected as error:
        return answer(problem(error.code, str(error)), error.status)
    except EarnestError as error:
        return answer(failure(error), status_of(error))
    except web.HTTPException as error:
        code = error.reason.lower().replace(" ", "-")
        return answer(problem(code, _explained(request, error)), error.status)
    except TimeoutError:
        return answer(problem("timeout", f"it took longer than {limit} s (api.request_timeout)"), 504)
    except ConnectionError:
        raise
    except Exception:  # noqa: BLE001  a bug at one request must not cost the client its answer
        _log.exception("%s failed", request.match_info.handler.__qualname__)
        return answer(problem("failed", "the hub failed at this request; its log says how"), 500)


def _explained(request: web.Request, error: web.HTTPException) -> str:
    path = request.path[:100]
    if isinstance(error, web.HTTPNotFound):
        return f"there is nothing at {path}"
    if isinstance(error, web.HTTPMethodNotAllowed):
        return f"{path} takes {', '.join(sorted(error.allowed_methods))}, not {request.method[:20]}"
    if isinstance(error, web.HTTPRequestEntityTooLarge):
        return f"the body is larger than {request.app[CONFIG].body_limit} bytes (api.body_limit)"
    return error.text or error.reason
