"""What happens when a wish is granted: audit, event, the tool itself, event, audit."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hub.bounded import Overdue, within
from hub.bus import Bus
from hub.door.audit import Audit, Opened
from hub.door.chain import running
from hub.door.journal import JournalError
from hub.door.wish import Wish
from hub.errors import EarnestError, ThingsFailed
from hub.events import ToolCalled, ToolFinished
from hub.values.tool import Done, Outcome, Refused

_log = logging.getLogger(__name__)

CUT_OFF = "The hub stopped before it was done."


@dataclass(frozen=True, slots=True)
class End:
    """How a tool ended."""

    code: str | None = None
    """None when it went well."""
    result: Mapping[str, Any] | None = None
    failed: Mapping[str, str] = field(default_factory=dict)


class Deeds:
    """Runs wishes. Cancel only when the hub stops: a caller that is gone is no reason."""

    def __init__(self, bus: Bus, audit: Audit, tool_timeout: float) -> None:
        self._bus = bus
        self._audit = audit
        self._tool_timeout = tool_timeout

    async def run(self, wish: Wish) -> Outcome:
        """Do what is wished for, once its audit line is durable."""
        began = asyncio.get_running_loop().time()
        try:
            opened = await self._audit.open(wish)
        except JournalError as failed:
            return self._unaudited(wish, failed)
        except asyncio.CancelledError:
            self._audit.refuse(wish, "closing", "the hub stopped before it began")
            raise
        self._announce(wish)
        end = End("closing", None, {"": CUT_OFF})
        try:
            end = await self._end(wish)
        finally:
            self._close(wish, opened, end, asyncio.get_running_loop().time() - began)
        return Done(
            call=wish.call, targets=wish.targets, ok=not end.code, result=end.result, failed=end.failed
        )

    async def _end(self, wish: Wish) -> End:
        """Run the tool, with the wish's caller behind whatever it calls in turn."""
        limit = wish.tool.timeout or self._tool_timeout
        running.set(wish.caller)
        try:
            return End(result=await within(limit, _ran(wish), f"tool {wish.tool.name}"))
        except Overdue:
            late = f"{wish.tool.name} did not finish within {limit:g} seconds."
            return End("timeout", None, {"": late})
        except ThingsFailed as partly:
            return End(partly.code, partly.result, partly.failed)
        except EarnestError as failed:
            return End(failed.code, None, {"": str(failed) or f"{wish.tool.name} failed."})
        except Exception as broken:  # noqa: BLE001  whatever a tool does, its caller gets an answer
            trace = wish.mask.text("".join(traceback.format_exception(broken)))
            _log.error("%s failed\n%s", wish.tool.name, trace)
            return End("failed", None, {"": f"{wish.tool.name} failed."})

    def _unaudited(self, wish: Wish, failed: JournalError) -> Refused:
        reason = f"Nothing is done that cannot be written to the audit: {failed}."
        refused = Refused(call=wish.call, code=failed.code, reason=reason, targets=wish.targets)
        self.tell(refused, str(wish.caller))
        return refused

    def _announce(self, wish: Wish) -> None:
        self._bus.publish(
            ToolCalled(
                call_id=wish.call.id,
                tool=wish.tool.name,
                arguments=wish.shown,
                targets=wish.targets,
                caller=str(wish.caller),
                effect=wish.effect.label,
                turn=wish.call.turn,
            )
        )

    def _close(self, wish: Wish, opened: Opened | None, end: End, seconds: float) -> None:
        if opened:
            self._audit.close(opened, ok=not end.code, result=end.result, failed=end.failed, seconds=seconds)
        self._bus.publish(
            ToolFinished(
                call_id=wish.call.id,
                tool=wish.tool.name,
                targets=wish.targets,
                caller=str(wish.caller),
                ok=not end.code,
                code=end.code,
                reason=wish.mask.text(" ".join(end.failed.values())) or None,
                seconds=seconds,
                turn=wish.call.turn,
            )
        )

    def tell(self, refused: Refused, caller: str) -> None:
        """Publish that a call was refused."""
        self._bus.publish(
            ToolFinished(
                call_id=refused.call.id,
                tool=refused.call.tool,
                targets=refused.targets,
                caller=caller,
                ok=False,
                code=refused.code,
                reason=refused.reason,
                turn=refused.call.turn,
            )
        )


async def _ran(wish: Wish) -> Mapping[str, Any] | None:
    return await wish.tool.run(wish.call, wish.things)
