"""What goes to an engine, with an eye on when."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Generic, Self, TypeVar

_Item = TypeVar("_Item")


class Watched(Generic[_Item]):
    """An iterator that tells when an item is asked for, given, when the last was given, and when
    there is none because its source failed."""

    def __init__(
        self,
        items: AsyncIterator[_Item],
        first: _Item | None = None,
        *,
        asked: Callable[[], None] | None = None,
        given: Callable[[], None] | None = None,
        ended: Callable[[], Awaitable[None]],
        failed: Callable[[Exception], None],
    ) -> None:
        self._items = items
        self._first = first
        self._asked = asked
        self._given = given
        self._ended = ended
        self._failed = failed

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> _Item:
        if self._asked:
            self._asked()
        item, self._first = self._first, None
        if item is None:
            item = await self._following()
        if self._given:
            self._given()
        return item

    async def _following(self) -> _Item:
        try:
            return await anext(self._items)
        except StopAsyncIteration:
            await self._ended()
            raise
        except Exception as error:
            self._failed(error)
            raise
