"""Serving the application on the control socket, from the first request to a bounded end."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

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
            access_log=None,
            auto_decompress=False,
            keepalive_timeout=config.idle_timeout,
            lingering_time=1.0,
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

    def connected() -> asyncio.Protocol:
        return server() if len(server.connections) < config.connections else _HangUp()

    return connected


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
