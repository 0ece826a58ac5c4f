"""The one door: `Toolbox.call` is the only way to do anything."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType, TracebackType
from typing import Self

from hub.bus import Bus
from hub.door.admission import Admission
from hub.door.audit import Audit
from hub.door.chain import joined
from hub.door.deed import CUT_OFF, Deeds
from hub.door.limits import DoorLimits
from hub.door.policy import Policy
from hub.door.targets import Targets
from hub.door.wish import Wish
from hub.errors import IntegrationError
from hub.house import House
from hub.values.tool import Caller, Done, Effect, Outcome, Refused, Tool, ToolCall

_log = logging.getLogger(__name__)


class Toolbox:
    """All tools of the house and the one way to use them; `async with` it: closing waits for what runs.

    What a tool does goes on when its caller is cancelled: it ends by itself or at its timeout.
    """

    def __init__(
        self,
        *,
        house: House,
        bus: Bus,
        audit: Audit,
        policy: Policy,
        limits: DoorLimits | None = None,
    ) -> None:
        self._limits = limits or DoorLimits()
        self._tools: dict[str, Tool] = {}
        self._admission = Admission(self._tools, Targets(house), policy, self._limits)
        self._deeds = Deeds(bus, audit, self._limits.tool_timeout)
        self._audit = audit
        self._running: set[asyncio.Task[None]] = set()
        self._is_closing = False

    @property
    def tools(self) -> Mapping[str, Tool]:
        """By name."""
        return MappingProxyType(self._tools)

    @contextmanager
    def add(self, tools: Iterable[Tool]) -> Iterator[None]:
        """Let the tools be there for as long as the block is open."""
        mine: list[str] = []
        try:
            for tool in tools:
                if tool.name in self._tools:
                    raise IntegrationError(f"there is a tool '{tool.name}' already")
                self._tools[tool.name] = tool
                mine.append(tool.name)
            yield
        finally:
            for name in mine:
                del self._tools[name]

    def judge_by(self, policy: Policy) -> None:
        """Let a reloaded policy hold from the next call on."""
        self._admission.policy = policy

    def weigh(self, call: ToolCall, caller: Caller) -> Effect | Refused:
        """Return what the call would do, or why it would be refused; does nothing and tells nobody."""
        wish = self._admission.understand(call, joined(caller))
        if isinstance(wish, Refused):
            return wish
        return self._admission.judge(wish) or wish.effect

    async def call(self, call: ToolCall, caller: Caller) -> Outcome:
        """Do it and say how it went, or say why not; a caller that is cancelled only stops waiting."""
        caller = joined(caller)
        wish = self._granted(call, caller)
        if isinstance(wish, Refused):
            self._deeds.tell(wish, str(caller))
            return wish
        answer: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        deed = asyncio.create_task(self._do(wish, answer), name=f"tool {wish.tool.name}")
        self._running.add(deed)
        deed.add_done_callback(self._running.discard)
        return await answer

    async def _do(self, wish: Wish, answer: asyncio.Future[Outcome]) -> None:
        """Do what is wished for and answer, if anybody still waits; cancelled only when the hub stops."""
        outcome: Outcome = Done(call=wish.call, targets=wish.targets, ok=False, failed={"": CUT_OFF})
        try:
            outcome = await self._deeds.run(wish)
        finally:
            if not answer.done():
                answer.set_result(outcome)

    def _granted(self, call: ToolCall, caller: Caller) -> Wish | Refused:
        if self._is_closing:
            return Refused(call=call, code="closing", reason="The hub is stopping.")
        if len(self._running) >= self._limits.most_running:
            reason = f"{len(self._running)} calls are running already; try again in a moment."
            return Refused(call=call, code="busy", reason=reason)
        wish = self._admission.understand(call, caller)
        if isinstance(wish, Refused):
            return wish
        refused = self._admission.judge(wish)
        if refused is None:
            return wish
        self._audit.refuse(wish, refused.code, refused.reason)
        return refused

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Refuse what comes now, wait a named time for what runs, then cancel it."""
        self._is_closing = True
        if self._running:
            await asyncio.wait(self._running, timeout=self._limits.close_wait)
        for deed in self._running:
            deed.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=self._limits.close_wait)
        for deed in self._running:
            _log.error("%s does not end", deed.get_name())
