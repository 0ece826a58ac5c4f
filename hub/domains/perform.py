"""One action on many things at once: each answers or fails for itself."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

from hub.bounded import CutShort, Overdue, within
from hub.errors import EarnestError, ThingsFailed
from hub.values.thing import Perform, Thing
from hub.values.tool import ToolCall

_log = logging.getLogger(__name__)

Answer = Mapping[str, Any] | None
Work = Coroutine[Any, Any, Answer]
Bounded = Callable[[float, Work, str], Awaitable[Answer]]


async def perform(
    action: str, call: ToolCall, things: tuple[Thing, ...], patience: float
) -> Mapping[str, Any] | None:
    """Return what the things answered, by id, or None; raises `ThingsFailed` with what each could not do."""
    if len(things) == 1:
        ends = [await _one(action, call, things[0], patience, _in_this_task)]
    else:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_one(action, call, thing, patience, within)) for thing in things]
        ends = [task.result() for task in tasks]
    pairs = list(zip(things, ends, strict=True))
    answers = {thing.id: answer for thing, (answer, _) in pairs if answer is not None} or None
    failed = {thing.id: failure for thing, (_, failure) in pairs if failure}
    if failed:
        raise ThingsFailed(failed, answers)
    return answers


async def _one(
    action: str, call: ToolCall, thing: Thing, patience: float, bounded: Bounded
) -> tuple[Mapping[str, Any] | None, str | None]:
    """Return the thing's answer, or the sentence why there is none."""
    if thing.perform is None:
        return None, f"'{thing.name}' cannot be controlled."
    try:
        performing = _performed(thing.perform, action, call)
        return await bounded(patience, performing, f"{action} of {thing.id}"), None
    except Overdue:
        return None, f"'{thing.name}' did not answer within {patience:g} seconds."
    except EarnestError as failed:
        return None, str(failed) or f"'{thing.name}' failed."
    except Exception as broken:  # noqa: BLE001  the others still have their answer
        where = "".join(traceback.format_tb(broken.__traceback__))
        _log.error("%s failed in %s: %s\n%s", thing.id, action, type(broken).__name__, where)
        return None, f"'{thing.name}' failed."


async def _in_this_task(seconds: float, work: Work, name: str) -> Answer:
    """As `within`, with a task less for the common case; the tool's own limit holds whatever `work` does."""
    clock = asyncio.timeout(seconds)
    try:
        async with clock:
            return await work
    except (TimeoutError, SystemExit) as error:
        if isinstance(error, TimeoutError) and clock.expired():
            raise Overdue(f"{name} did not end within {seconds:g} s") from error
        raise CutShort(f"it ended itself ({type(error).__name__})") from error


async def _performed(perform: Perform, action: str, call: ToolCall) -> Mapping[str, Any] | None:
    return await perform(action, call.arguments)
