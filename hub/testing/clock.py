"""An event loop whose time jumps to the next timer, so that a test of waits takes no time."""

from __future__ import annotations

import asyncio
import selectors
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, TypeVar, TypeVarTuple, Unpack

START = 1_000.0
"""Seconds on a virtual clock when its loop is made; not zero, which would hide wrong defaults."""
PATIENCE = 10.0
"""Real seconds after which a loop that waits for nothing at all is called stuck."""

_Ts = TypeVarTuple("_Ts")
_T = TypeVar("_T")


class StuckLoop(RuntimeError):
    """Every task waits for something that can never happen."""


class _Selector(selectors.DefaultSelector):
    """Waits for the real world only while something out there can still answer."""

    def __init__(self, patience: float) -> None:
        super().__init__()
        self.now = START
        self._patience = patience
        self.working: Callable[[], bool] = lambda: False
        """Whether threads of the loop's executors are at work; time stands still meanwhile."""
        self.outside: Callable[[], bool] = lambda: False
        """Whether sockets, pipes, processes or foreign threads are open; time is real meanwhile."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready; with nothing ready, jump to the next timer or wait for real."""
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if self.outside():
            return self._wait(timeout, real=True)
        if self.working():
            return self._wait(timeout, real=False)
        if timeout is None:
            return self._last_hope()
        self.now += timeout
        return ready

    def _wait(self, timeout: float | None, *, real: bool) -> list[tuple[selectors.SelectorKey, int]]:
        before = time.monotonic()
        ready = super().select(timeout)
        if real or not ready:
            self.now += max(time.monotonic() - before, 0.0 if ready else timeout or 0.0)
        return ready

    def _last_hope(self) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(self._patience)
        if not ready:
            raise StuckLoop("no timer, thread, socket or process is left that could wake a task")
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop on virtual time: it jumps to the next timer whenever nothing else can happen.

    While a thread of an executor works, time stands still (unless the work outlasts the next
    timer); while a connection, a pipe, a child process or a foreign thread is open, it runs at the
    pace of the real clock. Servers that only listen, inside the test, do not count.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self._watched = _Selector(patience)
        self._futures: set[asyncio.Future[Any]] = set()
        self._executors: weakref.WeakSet[Executor] = weakref.WeakSet()
        self._processes: weakref.WeakSet[asyncio.SubprocessTransport] = weakref.WeakSet()
        self._servers: weakref.WeakSet[asyncio.Server] = weakref.WeakSet()
        self._strangers = frozenset(threading.enumerate())
        super().__init__(self._watched)
        self._own = frozenset(self._watched.get_map())
        self._watched.working = lambda: bool(self._futures)
        self._watched.outside = self._is_outside_open

    def time(self) -> float:
        """Return the virtual time, in seconds."""
        return self._watched.now

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[_Ts]], _T], *args: *_Ts
    ) -> asyncio.Future[_T]:
        """Run in a thread; time stands still until the loop has the answer."""
        future = super().run_in_executor(executor, func, *args)
        used = executor or getattr(self, "_default_executor", None)
        if used is not None:
            self._executors.add(used)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return future

    async def subprocess_exec(self, *args: Any, **kwargs: Any) -> Any:
        """Start a process; time is real while it lives."""
        transport, protocol = await super().subprocess_exec(*args, **kwargs)
        self._processes.add(transport)
        return transport, protocol

    async def create_server(self, *args: Any, **kwargs: Any) -> Any:
        """Listen; a listening socket alone does not hold the time."""
        server = await super().create_server(*args, **kwargs)
        self._servers.add(server)
        return server

    async def create_unix_server(self, *args: Any, **kwargs: Any) -> Any:
        """Listen on a unix socket; a listening socket alone does not hold the time."""
        server = await super().create_unix_server(*args, **kwargs)
        self._servers.add(server)
        return server

    def _is_outside_open(self) -> bool:
        listening = {sock.fileno() for server in self._servers for sock in server.sockets}
        if set(self._watched.get_map()) - self._own - listening:
            return True
        if any(process.get_returncode() is None for process in self._processes):
            return True
        pooled = {thread for pool in self._executors for thread in getattr(pool, "_threads", ())}
        return any(thread not in pooled and thread not in self._strangers for thread in threading.enumerate())
