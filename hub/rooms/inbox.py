"""What a station is told, in order, and switches that its parts wait for."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

from hub.stages.satellite import Indication, Pressed, Released, StopPressed

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A wake word was heard, by the hub or by the satellite itself."""

    word: str
    engine: str | None
    """None: the satellite's own."""
    told: int
    """Samples of the microphone up to the moment that told."""
    level: float | None = None
    noise: float | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Spoke:
    """Somebody began to speak without a wake word."""

    position: int
    """Samples of the microphone before it."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """An indication stood longer than its table allows."""

    indication: Indication
    seconds: float


News = Heard | Spoke | Stuck | Pressed | Released | StopPressed
"""Everything that a station is told."""


class Inbox(Generic[_Item]):
    """Holds what has not been looked at; full, it drops the oldest. The event loop's thread only."""

    def __init__(self, most: int = 32) -> None:
        self._items: deque[_Item] = deque(maxlen=most)
        self._arrived = asyncio.Event()

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: _Item) -> None:
        """Take an item."""
        self._items.append(item)
        self._arrived.set()

    def clear(self) -> None:
        """Drop everything."""
        self._items.clear()

    async def filled(self) -> None:
        """Wait until there is an item."""
        while not self._items:
            self._arrived.clear()
            await self._arrived.wait()

    def take(self) -> _Item | None:
        """Return the oldest item, or None."""
        return self._items.popleft() if self._items else None


class Switch:
    """Something that is so or not, and can be waited for either way."""

    def __init__(self) -> None:
        self._on = asyncio.Event()
        self._off = asyncio.Event()
        self._off.set()

    def turn(self, is_on: bool) -> None:
        """Let it be so or not."""
        (self._off if is_on else self._on).clear()
        (self._on if is_on else self._off).set()

    def is_on(self) -> bool:
        """Whether it is so."""
        return self._on.is_set()

    async def on(self) -> None:
        """Wait until it is so."""
        await self._on.wait()

    async def off(self) -> None:
        """Wait until it is not."""
        await self._off.wait()
