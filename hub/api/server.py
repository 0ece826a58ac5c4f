"""Serving the application on the control socket, from the first request to a bounded end."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web

from hub.api.answers import answer, problem
from hub.api.application import application
from hub.api.config import ApiConfig
from hub.api.control import signposted, taken
from hub.api.hub import RUNNING, VIEWS, Hub
from hub.events import HubStopping

_log = logging.getLogger(__name__)
_CANCELLED_SECONDS = 1.0
"""How long a cancelled request may take to let go."""


@asynccontextmanager
async def serve(hub: Hub, config: ApiConfig, path: Path, owner: int | None = None) -> AsyncIterator[None]:
    """Serve `hub` on the control socket at `path` while the block is open, for its owner only.

    Raises `SocketTaken`. When it closes, requests that run may go on for `stop_timeout`.
    """
    app = application(hub, config, owner)
    with taken(path) as listener, signposted(hub.paths.data, path):
        runner = web.AppRunner(
            app,
            handler_cancellation=True,
            shutdown_timeout=_CANCELLED_SECONDS,
        )
        await runner.setup()
        try:
            async with _listening(runner, config, listener):
                _log.info("the API answers at %s", path)
                yield
                await _stop(app, config)
        finally:
            await runner.cleanup()
    _log.info("the API is closed")


@asynccontextmanager
async def _listening(
    runner: web.AppRunner, config: ApiConfig, listener: socket.socket
) -> AsyncIterator[None]:
    server = await asyncio.get_running_loop().create_unix_server(_limited(runner, config), sock=listener)
    try:
        yield
    finally:
        server.close()


def _limited(runner: web.AppRunner, config: ApiConfig) -> Callable[[], asyncio.Protocol]:
    """Make a protocol for each connection, and one that hangs up for those that are too many."""
    server = runner.server
    assert server is not None
    options: dict[str, Any] = {"access_log": None, "auto_decompress": False, "lingering_time": 1.0}
    options |= {"keepalive_timeout": config.idle_timeout}

    def connected() -> asyncio.Protocol:
        if len(server.connections) >= config.connections:
            return _HangUp()
        return _Connection(server, loop=asyncio.get_running_loop(), **options)

    return connected


class _Connection(web.RequestHandler):
    """One connection; what is no HTTP gets a failure in JSON and no place in the log."""

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer what could not be read as a request, or failed outside of its route."""
        if status >= 500 or request.writer.output_size:
            return super().handle_error(request, status, exc, message)
        _log.debug("a client sent what is no HTTP: %s", exc)
        response = answer(problem("bad-request", f"this is no HTTP request: {_first_line(message)}"), status)
        response.force_close()
        return response


def _first_line(message: str | None) -> str:
    lines = (message or "").strip().splitlines()
    return lines[0].rstrip(":")[:200] if lines else "it cannot be read"


class _HangUp(asyncio.Protocol):
    """Says that there are too many connections, and closes."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(
            b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n"
            b'{"code":"too-many-connections","message":"too many connections (api.connections)"}\n'
        )
        transport.close()


async def _stop(app: web.Application, config: ApiConfig) -> None:
    """End the streams of events, let requests finish for a while, then cancel them."""
    views, running = app[VIEWS], app[RUNNING]
    for view in views:
        view.put(HubStopping())
    if not running:
        return
    _, late = await asyncio.wait(set(running), timeout=config.stop_timeout)
    for task in late:
        task.cancel()
    if late:
        await asyncio.wait(late, timeout=_CANCELLED_SECONDS)
