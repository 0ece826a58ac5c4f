"""Events of one client that wait while the engine works: bounded in number and in bytes."""

from __future__ import annotations

import asyncio
from collections import deque

from hub.remote.wire import Event


class Waiting:
    """Oldest first; whoever brings one more than there is room for waits, and it stays with the client."""

    def __init__(self, most: int, size: int) -> None:
        """`most` events and `size` bytes of payload may wait; one that is larger waits alone."""
        self._most = most
        self._size = size
        self._bytes = 0
        self._events: deque[Event] = deque()
        self._moved = asyncio.Condition()

    async def put(self, event: Event) -> None:
        """Let the event wait, once there is room for it."""
        size = len(event.payload or b"")
        async with self._moved:
            await self._moved.wait_for(lambda: not self._events or self._has_room(size))
            self._events.append(event)
            self._bytes += size
            self._moved.notify_all()

    async def get(self) -> Event:
        """Return the oldest event, once there is one."""
        async with self._moved:
            await self._moved.wait_for(lambda: self._events)
            event = self._events.popleft()
            self._bytes -= len(event.payload or b"")
            self._moved.notify_all()
            return event

    def _has_room(self, size: int) -> bool:
        return len(self._events) < self._most and self._bytes + size <= self._size
