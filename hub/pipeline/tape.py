"""What comes piece by piece and may be read from its start, by several readers, while it still grows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Self, TypeVar

_Item = TypeVar("_Item")


class Tape(Generic[_Item]):
    """An utterance or an answer so far. Whoever writes bounds it; the event loop's thread only."""

    def __init__(self) -> None:
        self._items: list[_Item] = []
        self._is_over = False
        self._moved = asyncio.Event()
        self._at_end: list[Callable[[], None]] = []

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return self._is_over

    @property
    def items(self) -> tuple[_Item, ...]:
        """All pieces so far."""
        return tuple(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: _Item) -> None:
        """Add a piece."""
        self._items.append(item)
        self._wake()

    def end(self) -> None:
        """Say that nothing more comes."""
        if self._is_over:
            return
        self._is_over = True
        for call in self._at_end:
            call()
        self._wake()

    @contextmanager
    def when_over(self, call: Callable[[], None]) -> Iterator[None]:
        """Call `call` when nothing more comes, at once if it is so already; only inside the block."""
        if self._is_over:
            call()
        self._at_end.append(call)
        try:
            yield
        finally:
            self._at_end.remove(call)

    def read(self, start: int = 0) -> TapeReader[_Item]:
        """Read from the piece of that number, by default the first."""
        return TapeReader(self, start)

    async def filled(self) -> bool:
        """Wait for the first piece; False when it ended without any."""
        while not self._items and not self._is_over:
            await self._moved.wait()
        return bool(self._items)

    async def item(self, number: int) -> _Item:
        """Wait for a piece; raises `StopAsyncIteration` after the last."""
        while number >= len(self._items):
            if self._is_over:
                raise StopAsyncIteration
            await self._moved.wait()
        return self._items[number]

    def _wake(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()


class TapeReader(Generic[_Item]):
    """One reader's place."""

    def __init__(self, tape: Tape[_Item], start: int) -> None:
        self._tape = tape
        self._next = start

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> _Item:
        item = await self._tape.item(self._next)
        self._next += 1
        return item
