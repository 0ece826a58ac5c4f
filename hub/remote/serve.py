"""What a `worker.py` calls to be a Wyoming server: for the hub that started it, and for anybody else.

Started by the hub, its standard input brings one line of JSON (an `Order`) and stays open for as long
as the hub lives. By hand: `python worker.py --listen tcp://127.0.0.1:10300 --options '{"model": "tiny.en"}'`.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

from hub.remote.engine import Bench, Engine
from hub.remote.limits import WireLimits
from hub.remote.visit import Visit
from hub.remote.wire import Connection, Event, PeerGone, listen_address

_log = logging.getLogger(__name__)

_OF_CLIENTS = WireLimits(data=256 * 1024)
"""Nothing that a client has to say is as long as a server's list of voices."""
_PR_SET_PDEATHSIG = 1
"""`prctl(2)`: the signal a process gets when its parent dies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a worker is told when it starts."""

    listen: tuple[str, ...]
    """Addresses to serve, `unix:///path` or `tcp://host:port`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The engine's own."""
    own: str | None = None
    """The hub's own address, which takes any number of connections."""
    call_seconds: float | None = None
    """A single call of the engine that takes longer ends the worker; None: never."""
    abandoned_seconds: float | None = None
    """So does one that goes on that long after its client has left; None: never."""
    audio_seconds: float = 120.0
    """The longest utterance that is taken."""
    clients: int = 32
    """Connections at the same time to each other address; one more is told so and closed."""

    def line(self) -> bytes:
        """Return it as the line that `read` understands."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def read(cls, line: bytes) -> Self:
        """Read an order."""
        raw = json.loads(line)
        return cls(**{**raw, "listen": tuple(raw["listen"])})


def serve(open_engine: Callable[[Mapping[str, Any]], Engine]) -> None:
    """Open the engine with the options of the order and serve it until told to stop.

    `open_engine` may take its time: the hub waits until the worker listens. Whatever it raises ends
    the worker, and the hub shows the last line of it. Nothing that is printed can disturb a client.
    """
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    os.umask(0o077)  # a socket made here is its owner's alone
    order = _order()
    engine = open_engine(order.options)
    asyncio.run(_serve(order, engine))
    # A call that hangs would keep an orderly exit waiting for its thread.
    sys.stderr.flush()
    os._exit(0)


def _order() -> Order:
    """Take the order from the command line, or from the hub, with which the worker then dies."""
    parser = argparse.ArgumentParser(description="A speech engine as a Wyoming server.")
    parser.add_argument("--listen", action="append", help="tcp://host:port or unix:///path")
    parser.add_argument("--options", type=json.loads, default={}, help="the engine's options, as JSON")
    given = parser.parse_args()
    if given.listen:
        return Order(listen=tuple(given.listen), options=given.options)
    _die_with_parent()
    line = sys.stdin.buffer.readline()
    if not line:
        parser.error("give --listen")
    threading.Thread(target=_watch_parent, args=(_own_input(),), name="parent", daemon=True).start()
    return Order.read(line)


def _own_input() -> int:
    """Return the hub's end for us alone: an engine that reads its input finds nothing there."""
    mine = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    return mine


def _die_with_parent() -> None:
    """Have the kernel end this process with its parent, even when an engine holds the interpreter."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _watch_parent(hub: int) -> None:
    while os.read(hub, 1024):
        pass
    os._exit(0)


async def _serve(order: Order, engine: Engine) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with Workplace(order, engine) as place:
        watching = asyncio.create_task(_watch_calls(place.bench, order), name="watch")
        await stopped.wait()
        watching.cancel()


async def _watch_calls(bench: Bench, order: Order) -> None:
    """End the worker when a call hangs: a thread cannot be stopped in any other way."""
    limits = [seconds for seconds in (order.call_seconds, order.abandoned_seconds) if seconds is not None]
    while limits:
        await asyncio.sleep(max(0.02, min(1.0, *limits) / 10))
        if order.call_seconds is not None and bench.longest >= order.call_seconds:
            _give_up(f"the engine gave no answer within {order.call_seconds:g} s")
        if order.abandoned_seconds is not None and bench.abandoned >= order.abandoned_seconds:
            _give_up(f"the engine went on for {order.abandoned_seconds:g} s after nobody waited for it")


def _give_up(why: str) -> None:
    sys.stderr.write(f"\n{why}\n")
    sys.stderr.flush()
    os._exit(3)


class Workplace:
    """Listens, and gives each client a `Visit`."""

    def __init__(self, order: Order, engine: Engine) -> None:
        self.bench = Bench(engine.concurrency)
        self._order = order
        self._engine = engine
        self._visits: dict[str, set[asyncio.Task[None]]] = {uri: set() for uri in order.listen}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        for uri in self._order.listen:
            server = await self._listen(uri)
            self._stack.callback(server.close)
        return self

    async def __aexit__(self, *exit_: Any) -> None:
        await self._stack.aclose()
        visits = [visit for visits in self._visits.values() for visit in visits]
        for visit in visits:
            visit.cancel()
        if visits:
            await asyncio.wait(visits)

    async def _listen(self, uri: str) -> asyncio.Server:
        kind, address = listen_address(uri)
        limit = _OF_CLIENTS.header
        welcome = partial(self._welcome, uri)
        if kind == "tcp":
            return await asyncio.start_server(welcome, *address, limit=limit)
        unlink = partial(Path(address[0]).unlink, missing_ok=True)
        unlink()
        self._stack.callback(unlink)
        return await asyncio.start_unix_server(welcome, address[0], limit=limit)

    def _welcome(self, uri: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visits, connection = self._visits[uri], Connection(reader, writer, "the client", _OF_CLIENTS)
        is_full = uri != self._order.own and len(visits) >= self._order.clients
        # A task of our own: asyncio's would print a traceback when it is cancelled at the end.
        visit = asyncio.create_task(_refuse(connection) if is_full else self._visit(connection))
        visits.add(visit)
        visit.add_done_callback(visits.discard)

    async def _visit(self, connection: Connection) -> None:
        await Visit(connection, self._engine, self.bench, self._order.audio_seconds).serve()


async def _refuse(connection: Connection) -> None:
    """Tell a client that it is one too many."""
    error = Event("error", {"text": "too many clients are connected", "code": "engine-busy"})
    with suppress(PeerGone):
        await connection.write(error)
    connection.close()
