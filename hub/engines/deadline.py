"""A time limit that can move while somebody waits under it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from hub.errors import EngineError, EngineTimeout

_Result = TypeVar("_Result")


class Deadline:
    """Starts, stops and starts anew; `keep` raises `EngineTimeout` when it is over."""

    def __init__(self, who: str) -> None:
        self._who = who
        self._what = ""
        self._due: float | None = None
        self._timer: asyncio.Timeout | None = None
        self._cut: EngineError | None = None

    def start(self, seconds: float, what: str, limit: float | None = None) -> None:
        """Count `seconds` from now; `what` did not happen in time, for instance `gave no sound`.

        They are what is left of `limit`, which the error names, if that began before.
        """
        self._what = f"{what} within {limit or seconds:.3g} s"
        self._set(asyncio.get_running_loop().time() + seconds)

    def stop(self) -> None:
        """Do not count."""
        self._set(None)

    def cut(self, error: EngineError) -> None:
        """Let every wait under it end now with this error, whatever else is due."""
        self._cut = error
        self._set(asyncio.get_running_loop().time())

    async def keep(self, work: Awaitable[_Result]) -> _Result:
        """Return what `work` returns, or cancel it and raise `EngineTimeout` when time is up."""
        timer = asyncio.timeout_at(self._due)
        self._timer = timer
        try:
            async with timer:
                return await work
        except TimeoutError as error:
            if not timer.expired():
                raise
            if self._cut:
                raise self._cut from error
            raise EngineTimeout(f"{self._who} {self._what}", self._what) from error
        finally:
            self._timer = None

    def _set(self, due: float | None) -> None:
        if self._cut:
            due = asyncio.get_running_loop().time()
        self._due = due
        if self._timer and not self._timer.expired():
            self._timer.reschedule(due)
