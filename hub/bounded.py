"""Other people's code under a time limit that holds, whatever it does with its cancellation."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")
_LETTING_GO = 1.0
"""Seconds in which what was cancelled may end; then nobody waits for it any more."""


class Overdue(Exception):
    """The limit is over; the work was cancelled."""


class CutShort(Exception):
    """The work ended itself: it was cancelled from within, or called `sys.exit`."""


async def within(seconds: float, work: Coroutine[Any, Any, _Result], name: str) -> _Result:
    """Return what `work` returns, or raise what it raises; `name` is its own in the log.

    Raises `Overdue` after `seconds`, even when the work swallows its cancellation, and `CutShort` when it
    ends in a way that would end its caller too.
    """
    task = asyncio.create_task(_kept(work), name=name)
    try:
        await asyncio.wait((task,), timeout=seconds)
    except asyncio.CancelledError:
        await _let_go(task)
        raise
    if not task.done():
        await _let_go(task)
        raise Overdue(f"{name} did not end within {seconds:g} s")
    if task.cancelled():
        raise CutShort(f"{name} was cancelled from within")
    return task.result()


async def _kept(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Keep what would end the event loop inside the task."""
    try:
        return await work
    except (SystemExit, KeyboardInterrupt) as error:
        raise CutShort(f"it called for the end of the hub ({type(error).__name__})") from error


async def _let_go(task: asyncio.Task[Any]) -> None:
    """Cancel the task and wait for it a moment, no longer."""
    task.cancel()
    await asyncio.wait((task,), timeout=_LETTING_GO)
    if not task.done():
        _log.error("%s does not end although it was cancelled; the hub goes on without it", task.get_name())
