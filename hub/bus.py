"""The bus: viewers may lose events and are told so; followers are called in order and lose none."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

from hub.events import Event, EventsLost

_log = logging.getLogger(__name__)

Follower = Callable[[Event], None]


class View:
    """One viewer's bounded queue, read with `async for`; it loses the oldest and says how many."""

    def __init__(self, kinds: tuple[type[Event], ...], size: int) -> None:
        self._kinds = kinds
        self._size = size
        self._events: deque[Event] = deque()
        self._lost = 0
        self._arrived = asyncio.Event()

    def put(self, event: Event) -> None:
        """Keep the event if this viewer wants its kind."""
        if not isinstance(event, self._kinds):
            return
        if len(self._events) >= self._size:
            self._events.popleft()
            self._lost += 1
        self._events.append(event)
        self._arrived.set()

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        while not self._events:
            self._arrived.clear()
            await self._arrived.wait()
        if self._lost:
            lost, self._lost = self._lost, 0
            return EventsLost(count=lost)
        return self._events.popleft()


class Bus:
    """Carries every event of the hub. All methods are for the event loop's thread."""

    def __init__(self) -> None:
        self._views: list[View] = []
        self._followers: list[tuple[tuple[type[Event], ...], Follower]] = []

    def publish(self, event: Event) -> None:
        """Call the followers in order, then hand the event to the viewers. Never waits."""
        for kinds, follower in tuple(self._followers):
            if isinstance(event, kinds):
                try:
                    follower(event)
                except Exception:  # noqa: BLE001  one bad follower must not cost the others their event
                    _log.exception("a follower of %s failed", event.wire_name)
        for view in self._views:
            view.put(event)

    @contextmanager
    def view(self, *kinds: type[Event], size: int = 256) -> Iterator[View]:
        """Watch events of these kinds (all if none is named) for as long as the block is open."""
        view = View(kinds or (Event,), size)
        self._views.append(view)
        try:
            yield view
        finally:
            self._views.remove(view)

    @contextmanager
    def follow(self, follower: Follower, *kinds: type[Event]) -> Iterator[None]:
        """Call `follower` with every event of these kinds, in order and at once."""
        entry = (kinds or (Event,), follower)
        self._followers.append(entry)
        try:
            yield
        finally:
            self._followers.remove(entry)
