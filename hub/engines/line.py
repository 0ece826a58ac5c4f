"""The line in front of an engine: committed work first, speculation only when nothing else is on."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from hub.engines.limits import EngineLimits
from hub.errors import EngineBusy


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a request stands in the line."""

    turn: str | None = None
    """A waiting request of the same turn gives way to a newer one; None: never."""
    speculative: bool = False
    """Only worked on while the engine has nothing else to do."""


COMMITTED = Place()
"""Somebody waits for the answer."""


@dataclass(slots=True, eq=False)
class _Waiter:
    place: Place
    turn: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Line:
    """Grants an engine's places in order. The event loop's thread only."""

    def __init__(
        self, name: str, places: int, limits: EngineLimits, changed: Callable[[], None] | None = None
    ) -> None:
        """`changed()` is called whenever `running` or `waiting` became another."""
        self._name = name
        self._changed = changed or (lambda: None)
        self._places = places
        self._limits = limits
        self._waiters: deque[_Waiter] = deque()
        self._running = 0

    @property
    def running(self) -> int:
        """Requests the engine works on now."""
        return self._running

    @property
    def waiting(self) -> int:
        """Requests that stand in line."""
        return len(self._waiters)

    async def enter(self, place: Place = COMMITTED) -> float:
        """Wait for a place and return the seconds that took; `leave` must follow.

        Raises `EngineBusy` when the line is full, patience ends, or a newer request of the same
        turn came.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        self._make_room(place)
        waiter = _Waiter(place)
        self._waiters.append(waiter)
        self._grant()
        try:
            if not waiter.turn.done():
                self._changed()
                await self._stand(waiter)
            waiter.turn.result()
        except BaseException:
            self._withdraw(waiter)
            raise
        finally:
            self._changed()
        return loop.time() - began

    def leave(self) -> None:
        """Give the place back."""
        self._running -= 1
        self._grant()
        self._changed()

    async def _stand(self, waiter: _Waiter) -> None:
        await asyncio.wait((waiter.turn,), timeout=self._limits.patience)
        if not waiter.turn.done():
            raise EngineBusy(f"'{self._name}' was busy for {self._limits.patience:g} s")

    def _make_room(self, place: Place) -> None:
        """Send away whom the newcomer replaces; raise `EngineBusy` if there still is no room."""
        for waiter in [w for w in self._waiters if place.turn is not None and w.place.turn == place.turn]:
            self._send_away(waiter, "a newer request of the same turn came")
        free = not self._running if place.speculative else self._running < self._places
        if free or len(self._waiters) < self._limits.waiting:
            return
        idle_talk = next((w for w in self._waiters if w.place.speculative), None)
        if place.speculative or idle_talk is None:
            raise EngineBusy(f"'{self._name}' is busy: {len(self._waiters)} requests wait already")
        self._send_away(idle_talk, "other work goes first")

    def _send_away(self, waiter: _Waiter, why: str) -> None:
        self._waiters.remove(waiter)
        if not waiter.turn.done():
            waiter.turn.set_exception(EngineBusy(f"'{self._name}' did not start this: {why}"))

    def _withdraw(self, waiter: _Waiter) -> None:
        """Undo what `enter` did for a waiter that goes without having been served."""
        if waiter in self._waiters:
            self._waiters.remove(waiter)
        elif waiter.turn.done() and not waiter.turn.exception():
            self.leave()

    def _grant(self) -> None:
        while self._running < self._places and (waiter := self._next()):
            self._waiters.remove(waiter)
            self._running += 1
            waiter.turn.set_result(None)

    def _next(self) -> _Waiter | None:
        for waiter in self._waiters:
            if not waiter.place.speculative:
                return waiter
        return self._waiters[0] if self._waiters and not self._running else None
