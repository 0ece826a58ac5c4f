"""What the hub puts in front of an engine: its line, its standing, and the requests that are under way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from hub.engines.deadline import Deadline
from hub.engines.limits import EngineLimits
from hub.engines.line import Line
from hub.engines.standing import Standing
from hub.errors import EngineUnavailable


class Front:
    """Shared by all requests to one engine."""

    def __init__(
        self, name: str, places: int, limits: EngineLimits, changed: Callable[[], None] | None = None
    ) -> None:
        """`changed()` is called whenever `facts` or the standing became another."""
        self.name = name
        self.limits = limits
        self.line = Line(name, places, limits, changed)
        self.standing = Standing(limits, changed)
        self._open: set[Deadline] = set()
        self._moved = asyncio.Event()
        self._rehearsal: asyncio.Task[None] | None = None
        self._is_closed = False

    def facts(self) -> dict[str, Any]:
        """Return counts of its work, for people."""
        return {**self.standing.facts(), "running": self.line.running, "waiting": self.line.waiting}

    @contextmanager
    def request(self) -> Iterator[Deadline]:
        """Hold a request: gives the deadline under which it waits, which closing cuts."""
        deadline = Deadline(f"'{self.name}'")
        if self._is_closed:
            raise self._closed()
        self._open.add(deadline)
        self.standing.asked()
        try:
            yield deadline
        finally:
            self._open.discard(deadline)
            self._moved.set()

    @property
    def may_be_tried(self) -> bool:
        """Whether it is down, has cooled down, and nobody tries it now."""
        return self.standing.may_be_tried and not (self._rehearsal and not self._rehearsal.done())

    def blame(self, error: Exception, began: float) -> None:
        """Take note of a failure that is the engine's fault, and not that of our closing."""
        if not self._is_closed:
            self.standing.failed(error, began)

    def attempt(self, rehearsal: Callable[[], Awaitable[None]]) -> None:
        """Run a rehearsal; nobody waits for it, and the standing takes note of how it ends."""
        self._rehearsal = asyncio.create_task(_quietly(rehearsal), name=f"rehearsal of {self.name}")

    async def close(self, seconds: float = 0.0) -> None:
        """Take no more requests; those under way may go on for `seconds` and are then cut."""
        self._is_closed = True
        if self._rehearsal:
            self._rehearsal.cancel()
            await asyncio.wait((self._rehearsal,))
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._open:
                    self._moved.clear()
                    await self._moved.wait()
        self.cut()

    def cut(self) -> None:
        """End all requests that are under way, and take no more."""
        self._is_closed = True
        if self._rehearsal:
            self._rehearsal.cancel()
        for deadline in self._open:
            deadline.cut(self._closed())

    def _closed(self) -> EngineUnavailable:
        return EngineUnavailable(f"'{self.name}' was closed")


async def _quietly(rehearsal: Callable[[], Awaitable[None]]) -> None:
    with suppress(Exception):
        await rehearsal()


def standing_of(engine: object) -> Standing | None:
    """Return what is known of an engine's work; None for one without a line."""
    standing = getattr(engine, "standing", None)
    return standing if isinstance(standing, Standing) else None
