"""What was sent once and may have to be sent again, from the start."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from types import TracebackType
from typing import Generic, Self, TypeVar

_Item = TypeVar("_Item")
_MOST = 64
"""Items that are joined at a time."""


class Replay(Generic[_Item]):
    """Reads `items` in a task of its own, so that a reader that is cancelled tears no hole into them;
    every reader gets all of them. As long as one request, and as much memory.

    `join(items)` may make one of the first of those that lie ready, and says how many it took.
    """

    def __init__(
        self,
        items: AsyncIterator[_Item],
        join: Callable[[Sequence[_Item]], tuple[_Item, int]] = lambda items: (items[0], 1),
    ) -> None:
        self._source = items
        self._join = join
        self._items: list[_Item] = []
        self._is_over = False
        self._failure: BaseException | None = None
        self._grown = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._record(), name="replay")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._task.cancel()
        await asyncio.wait((self._task,))

    def play(self) -> Playback[_Item]:
        """Return an iterator over everything from the start, as it comes."""
        return Playback(self)

    async def at(self, place: int) -> tuple[_Item, int]:
        """Return what begins at that place, and where the next does; raises `StopAsyncIteration` or what
        the source raised."""
        while place >= len(self._items):
            if self._failure:
                raise self._failure
            if self._is_over:
                raise StopAsyncIteration
            await self._wait()
        item, taken = self._join(self._items[place : place + _MOST])
        return item, place + taken

    async def _wait(self) -> None:
        self._grown.clear()
        await self._grown.wait()

    async def _record(self) -> None:
        try:
            async for item in self._source:
                self._items.append(item)
                self._grown.set()
            self._is_over = True
        except BaseException as error:
            self._failure = error
            if not isinstance(error, Exception):
                raise
        finally:
            self._grown.set()


class Playback(Generic[_Item]):
    """One pass over all that was kept."""

    def __init__(self, replay: Replay[_Item]) -> None:
        self._replay = replay
        self._place = 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> _Item:
        item, self._place = await self._replay.at(self._place)
        return item
