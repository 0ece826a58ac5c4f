"""Waiting for one of several things."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any


async def first(*waits: asyncio.Future[Any] | Coroutine[Any, Any, Any], limit: float | None = None) -> None:
    """Return when the first of these is over, or after `limit` seconds; coroutines are ended then."""
    tasks = [wait if isinstance(wait, asyncio.Future) else asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task, wait in zip(tasks, waits, strict=True):
            if task is not wait:
                task.cancel()


async def unless(over: Callable[[], Awaitable[None]], work: Awaitable[None]) -> bool:
    """Do the work until it is done or `over()` returns; whether it was done. Raises what the work raises."""
    working = asyncio.ensure_future(work)
    ending = asyncio.ensure_future(over())
    try:
        await asyncio.wait((working, ending), return_when=asyncio.FIRST_COMPLETED)
    finally:
        ending.cancel()
        if not working.done():
            working.cancel()
            await asyncio.wait((working,))
    if working.cancelled():
        return False
    working.result()
    return True
