"""One entry under `integrations:` while the hub holds it: what it provides, and how it is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from hub.clock import Clock
from hub.engines.front import Front
from hub.engines.limits import EngineLimits
from hub.engines.queue import QueuedAsr, QueuedTts
from hub.health import Health
from hub.integration import IntegrationContext, Provides

_log = logging.getLogger(__name__)
_SLOTS = ("wake", "vad", "asr", "intents", "agent", "tts")

Setup = Callable[[Any, IntegrationContext], AbstractAsyncContextManager[Provides]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One entry under `integrations:`; equal entries need no reopening."""

    name: str
    type: str
    options: Any
    """The integration's own `Options`."""
    limits: EngineLimits
    setup: Setup = field(compare=False)


class Held:
    """An instance with the task that holds it.

    Its state is `opening`, `failed` (not open; tried again), `open`, or `failing`: open, but it says
    itself that it cannot work, or one of its engines is down. The event loop's thread only.
    """

    def __init__(self, instance: Instance, health: Health) -> None:
        self.instance = instance
        self.health = health
        self.closing = asyncio.Event()
        self.tried = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self.provides: Provides | None = None
        self.offered: list[Provides] = []
        self.reason = "it is still opening"
        """Why it is not open."""
        self._fronts: dict[str, Front] = {}
        self._trouble: str | None = None
        """What the open instance last said of itself."""
        self._shown: str | None = None
        self._clock = Clock()

    @property
    def slots(self) -> tuple[str, ...]:
        """What it provides at the moment, by the names of the slots of a pipeline."""
        there = (self.provides, *self.offered)
        return tuple(slot for slot in _SLOTS if any(getattr(one, slot, None) for one in there))

    @contextmanager
    def offering(self, more: Provides) -> Iterator[None]:
        """Provide this too for as long as the block lasts."""
        self.offered.append(more)
        self._offers_changed()
        try:
            yield
        finally:
            self.offered.remove(more)
            self._offers_changed()

    def opens(self) -> None:
        """Show that it is being opened."""
        self.health.show("opening")

    def failed(self, reason: str, retry_seconds: float) -> None:
        """Show that it could not be opened, and when it is tried again."""
        self.reason = reason
        self.health.forget()
        self.tried.set()
        self.health.show("failed", retry_seconds=retry_seconds, reason=reason)

    def tell(self, facts: Mapping[str, Any]) -> None:
        """Take facts of the instance; while its model is downloaded the hub's start does not wait for it."""
        self.health.tell(facts)
        model = facts.get("downloading")
        if self.provides is None and isinstance(model, Mapping):
            self.reason = f"its model '{model.get('model')}' is being downloaded ({model.get('percent')} %)"
            self.tried.set()

    @contextmanager
    def opened(self, provides: Provides, clock: Clock) -> Iterator[None]:
        """Provide this for as long as the block lasts; `clock` tells the time of the house."""
        self.provides, self._trouble, self._shown, self._clock = provides, None, None, clock
        self.tried.set()
        self._show()
        _log.info("integration '%s' is up", self.instance.name)
        try:
            yield
        finally:
            self.provides, self.reason = None, "it is closing"

    @contextmanager
    def fronted(self, provides: Provides) -> Iterator[Provides]:
        """Put the hub's own line in front of each engine, for as long as the block lasts."""
        name, limits = self.instance.name, self.instance.limits
        asr = QueuedAsr(name, provides.asr, limits, self._changed) if provides.asr else None
        tts = QueuedTts(name, provides.tts, limits, self._changed) if provides.tts else None
        mine: dict[str, Front] = {slot: front for slot, front in (("asr", asr), ("tts", tts)) if front}
        self._fronts |= mine
        try:
            yield replace(provides, asr=asr, tts=tts)
        finally:
            for slot, front in mine.items():
                front.cut()
                if self._fronts.get(slot) is front:
                    del self._fronts[slot]
            self.health.tell(dict.fromkeys(mine))

    async def finish(self, seconds: float) -> None:
        """Let requests that are under way go on for so long, then end them."""
        await asyncio.gather(*(front.close(seconds) for front in self._fronts.values()))

    def report(self, trouble: str | None) -> None:
        """Take the word of the open instance that it cannot work, and why; None: that it can again."""
        if self.provides is None or self._trouble == trouble:
            return
        self._trouble = trouble
        for front in tuple(self._fronts.values()):
            front.standing.told(trouble)
        self._judge()

    def _changed(self) -> None:
        """Show what has become of the engines' lines and standings."""
        if self.provides is not None:
            self.health.tell({slot: self._facts(front) for slot, front in self._fronts.items()})
            self._judge()

    def _offers_changed(self) -> None:
        if self.provides is not None:
            self._show()

    def _facts(self, front: Front) -> dict[str, Any]:
        facts, due = front.facts(), front.standing.due
        if due is not None:
            left = due - asyncio.get_running_loop().time()
            until = self._clock.now() + timedelta(seconds=left)
            facts["down_until"] = until.isoformat(timespec="seconds")
        return {key: value for key, value in facts.items() if value is not None}

    def _judge(self) -> None:
        """Show and log when the instance can no longer do its work, and when it can again."""
        reasons = [self._trouble, *(front.standing.why_down for front in self._fronts.values())]
        reason = next(filter(None, reasons), None)
        before, self._shown = self._shown, reason
        if reason == before:
            return
        if reason is None:
            _log.info("integration '%s' works again", self.instance.name)
        elif before is None:
            _log.warning("integration '%s' is in trouble: %s", self.instance.name, reason)
        self._show()

    def _show(self) -> None:
        slots = list(self.slots)
        if self._shown is None:
            self.health.show("open", provides=slots)
        else:
            self.health.show("failing", provides=slots, reason=self._shown)
