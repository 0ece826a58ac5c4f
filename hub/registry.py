"""Instances of integrations: opened, held, opened again with growing pauses; one never stops another."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    ExitStack,
    contextmanager,
    nullcontext,
    suppress,
)
from dataclasses import dataclass
from typing import Annotated, Any

from voluptuous import Range

from hub.engines.queue import QueuedAsr, QueuedTts
from hub.errors import EarnestError, EngineUnavailable, IntegrationError
from hub.health import Health
from hub.house import House
from hub.instance import Held, Instance, Setup
from hub.integration import IntegrationContext, Provides
from hub.stages.agent import Agent
from hub.stages.intents import IntentRecognizer
from hub.stages.satellite import Satellite
from hub.stages.vad import Vad
from hub.stages.wake import WakeDetector
from hub.states import States
from hub.values.tool import Tool

__all__ = ["Instance", "Registry", "RegistryLimits", "Setup"]

_log = logging.getLogger(__name__)

AddTools = Callable[[Iterable[Tool]], AbstractContextManager[None]]
Connect = Callable[[str, Iterable[Satellite]], AbstractContextManager[None]]
"""`with connect(instance, satellites):` lets them be used for as long as the block is open."""
Offer = Callable[[Provides], AbstractContextManager[None]]
Report = Callable[[str | None], None]
Tell = Callable[[Mapping[str, Any]], None]
MakeContext = Callable[[str, Offer, Report, Tell], IntegrationContext]
"""`make(name, offer, report, health)` builds the context of the instance called `name`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryLimits:
    """Waits of opening and closing integrations, in seconds."""

    open_timeout: Annotated[float, Range(min=0.1)] = 1800.0
    """How long one attempt to open may take (a first start may download a model)."""
    start_wait: Annotated[float, Range(min=0)] = 30.0
    """How long the hub's start waits for instances that are still opening; they go on after it."""
    retry_first: Annotated[float, Range(min=0.1, max=3600)] = 1.0
    """Pause after the first failed attempt; it doubles each time."""
    retry_longest: Annotated[float, Range(min=0.1, max=86_400)] = 60.0
    """Longest pause between two attempts."""
    close_timeout: Annotated[float, Range(min=0)] = 5.0
    """How long an instance may take to close before it is cancelled."""
    leave_timeout: Annotated[float, Range(min=0)] = 2.0
    """How long the process may live on once the hub has stopped; then it ends, whatever still runs in it."""
    finish: Annotated[float, Range(min=0)] = 2.0
    """How long requests that are under way may go on when their instance is closed."""
    health_pause: Annotated[float, Range(min=0.05)] = 1.0
    """Least time between two writes of an instance's counts into its state."""


class Registry:
    """Holds all instances and finds the stages they provide, by the instance's name.

    `built_in` are the hub's own recognisers; the mapping is read anew at each use. `connect` takes the
    satellites; None: nobody uses any.
    """

    def __init__(
        self,
        *,
        house: House,
        states: States,
        add_tools: AddTools,
        context: MakeContext,
        limits: RegistryLimits,
        built_in: Mapping[str, IntentRecognizer] | None = None,
        connect: Connect | None = None,
    ) -> None:
        self._house = house
        self._states = states
        self._add_tools = add_tools
        self._context = context
        self._limits = limits
        self._built_in = built_in or {}
        self._connect = connect or _nobody
        self._held: dict[str, Held] = {}

    async def start(self, instances: Iterable[Instance]) -> None:
        """Open the instances side by side; returns when each was tried once, or after `start_wait`."""
        for instance in instances:
            self._hold(instance)
        waits = [asyncio.ensure_future(held.tried.wait()) for held in self._held.values()]
        if waits:
            _, late = await asyncio.wait(waits, timeout=self._limits.start_wait)
            for wait in late:
                wait.cancel()

    async def change(self, instances: Iterable[Instance]) -> None:
        """Close what is gone or has other options, open what is new; the rest stays as it is."""
        wanted = {instance.name: instance for instance in instances}
        stale = [held for name, held in self._held.items() if wanted.get(name) != held.instance]
        await self._close(stale)
        await self.start(instance for name, instance in wanted.items() if name not in self._held)

    async def close(self) -> None:
        """Close every instance, side by side."""
        await self._close(list(self._held.values()))

    def names(self, slot: str) -> tuple[str, ...]:
        """Names that may stand in a slot: its open providers, and instances not open yet."""
        found = [name for name, held in self._held.items() if held.provides is None or slot in held.slots]
        return (*self._built_in, *found) if slot == "intents" else tuple(found)

    def vad(self, name: str) -> Vad:
        """Return the instance's detector; raises `EngineUnavailable` with the reason."""
        found: Vad = self._stage(name, "vad")
        return found

    def wake(self, name: str) -> WakeDetector:
        """Return the instance's wake words; raises `EngineUnavailable` with the reason."""
        found: WakeDetector = self._stage(name, "wake")
        return found

    def asr(self, name: str) -> QueuedAsr:
        """Return the instance's recogniser behind its queue; raises `EngineUnavailable`."""
        found: QueuedAsr = self._stage(name, "asr")
        return found

    def tts(self, name: str) -> QueuedTts:
        """Return the instance's voice behind its queue; raises `EngineUnavailable`."""
        found: QueuedTts = self._stage(name, "tts")
        return found

    def agent(self, name: str) -> Agent:
        """Return the instance's agent; raises `EngineUnavailable` with the reason."""
        found: Agent = self._stage(name, "agent")
        return found

    def intents(self, name: str) -> IntentRecognizer:
        """Return a built-in recogniser or an instance's; raises `EngineUnavailable`."""
        if name in self._built_in:
            return self._built_in[name]
        found: IntentRecognizer = self._stage(name, "intents")
        return found

    def _stage(self, name: str, slot: str) -> Any:
        held = self._held.get(name)
        if held is None:
            raise EngineUnavailable(f"there is no integration '{name}'")
        if held.provides is None:
            raise EngineUnavailable(f"integration '{name}' is not open: {held.reason}")
        for provides in (held.provides, *held.offered):
            stage = getattr(provides, slot)
            if stage is not None:
                return stage
        raise EngineUnavailable(f"integration '{name}' ({held.instance.type}) provides no {slot}")

    def _hold(self, instance: Instance) -> None:
        health = Health(self._states, instance.name, instance.type, self._limits.health_pause)
        held = Held(instance, health)
        self._held[instance.name] = held
        held.task = asyncio.create_task(self._keep_open(held), name=f"integration {instance.name}")

    async def _keep_open(self, held: Held) -> None:
        """Open the instance and hold it until it is to close; after a failure, again and again."""
        pause, said = self._limits.retry_first, ""
        while not held.closing.is_set():
            held.opens()
            try:
                await self._open_and_hold(held)
                break
            except EarnestError as error:
                reason = str(error)
            except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001  its bug is its own
                reason = _told(error)
                _log.debug("integration '%s' failed", held.instance.name, exc_info=error)
            held.failed(reason, pause)
            if reason != said:
                _log.warning("integration '%s' is down: %s", held.instance.name, reason)
                said = reason
            with suppress(TimeoutError):
                await asyncio.wait_for(held.closing.wait(), pause)
            pause = min(pause * 2, self._limits.retry_longest)

    async def _open_and_hold(self, held: Held) -> None:
        instance = held.instance
        context = self._context(
            instance.name,
            lambda more: self._offer(held, more),
            held.report,
            held.tell,
        )
        async with AsyncExitStack() as stack:
            opening = stack.enter_async_context(instance.setup(instance.options, context))
            try:
                async with asyncio.timeout(self._limits.open_timeout):
                    provides = await opening
            except TimeoutError:
                raise IntegrationError(
                    f"did not open within {self._limits.open_timeout:g} s (limits.open_timeout)"
                ) from None
            with self._installed(held, provides) as installed, held.opened(installed, context.clock):
                await held.closing.wait()
                await held.finish(self._limits.finish)

    @contextmanager
    def _offer(self, held: Held, more: Provides) -> Iterator[None]:
        with self._installed(held, more) as installed, held.offering(installed):
            yield

    @contextmanager
    def _installed(self, held: Held, provides: Provides) -> Iterator[Provides]:
        """Bring the things and tools into the house; put the queues before the engines."""
        with ExitStack() as stack:
            stack.enter_context(self._house.bring(held.instance.name, provides.things))
            stack.enter_context(self._add_tools(provides.tools))
            fronted = stack.enter_context(held.fronted(provides))
            stack.enter_context(self._connect(held.instance.name, provides.satellites))
            yield fronted

    async def _close(self, stale: list[Held]) -> None:
        for held in stale:
            held.closing.set()
            if held.provides is None and held.task:
                held.task.cancel()  # what still opens, a download for instance, does not hold up the end
        tasks = [held.task for held in stale if held.task]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=self._limits.close_timeout)
            for task in late:
                _log.warning("%s did not close in time", task.get_name())
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=self._limits.close_timeout)
        for held in stale:
            self._held.pop(held.instance.name, None)
            held.health.remove()


def _nobody(_instance: str, _satellites: Iterable[Satellite]) -> AbstractContextManager[None]:
    return nullcontext()


def _told(error: BaseException) -> str:
    """Return what went wrong in one line; of a group of failures, each."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(dict.fromkeys(_told(one) for one in error.exceptions))
    if isinstance(error, EarnestError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
