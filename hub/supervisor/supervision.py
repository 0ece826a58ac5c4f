"""A child process that is started, watched, and started again; what it leaves behind is killed."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

from hub.errors import EngineTimeout, EngineUnavailable
from hub.supervisor import memory
from hub.supervisor.child import Child
from hub.supervisor.health import Health
from hub.supervisor.limits import ChildLimits
from hub.supervisor.remains import Remains
from hub.supervisor.running import Running

_POLL = 0.02
"""Seconds between two questions whether a child is ready."""
_GOING = 1.0
"""Seconds that a child which cannot be reached is given to end by itself."""
_GREW = 1.2
"""By how much a child has to grow or shrink before that is told again."""


class Supervisor:
    """Holds one child for as long as the block is open.

    `report(state, reason)` is called with `starting`, `ready`, `restarting`, `off`; the reason is why
    it ended last, None when nothing is wrong. It is called again with the same when `health` changed.
    """

    def __init__(self, child: Child, limits: ChildLimits, report: Callable[[str, str | None], None]) -> None:
        self.health = Health()
        """How it has been doing."""
        self.name = child.name
        self.limits = limits
        self._child = child
        self._report = report
        self._process: Running | None = None
        self._state = "starting"
        self._changed = asyncio.Event()
        self._is_off = False
        self._reason: str | None = None
        """Why it ended last; None when it is well."""
        self._condemned: str | None = None
        self._asked = 0
        """Requests that wait for it."""
        self._sign: asyncio.Timeout | None = None
        """Runs while it is asked for a sign of life."""
        self._patience = limits.sign
        """Seconds that it is given for that."""

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name=f"supervisor of {self._child.name}")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._task.cancel()
        await asyncio.wait((self._task,))

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        return self._process.pid if self._process else None

    @property
    def starts(self) -> int:
        """How often it became ready."""
        return self.health.starts

    async def first_start(self) -> None:
        """Return when the child is ready; raises `EngineUnavailable` at its first failure."""
        while self._state != "ready":
            if self._reason:
                raise EngineUnavailable(self._reason)
            await self._wait()

    async def ready(self, more_than: int = 0) -> None:
        """Return when the child is ready and was so `more_than` times before.

        Raises `EngineUnavailable` when it is off, or not back within `restart`.
        """
        try:
            async with asyncio.timeout(self.limits.restart):
                while not (self._state == "ready" and self.starts > more_than):
                    if self._is_off:
                        raise EngineUnavailable(f"'{self._child.name}' is off: {self._reason}")
                    await self._wait()
        except TimeoutError as error:
            reason = self._reason or "it is still starting"
            raise EngineUnavailable(f"'{self._child.name}' is not ready: {reason}") from error

    async def again(self, start: int) -> None:
        """Return when the child that had become ready `start` times may be asked again: at once if it
        has not ended, else when it is back; raises `EngineUnavailable` as `ready`."""
        await self._has_ended(start)
        await self.ready()

    async def why_ended(self, start: int) -> str | None:
        """Return why the child ended that had become ready `start` times; None: it has not."""
        return self.health.last_reason if await self._has_ended(start) else None

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Hold this while a request waits: one that is frozen is found out sooner then."""
        self._asked += 1
        try:
            self._hurry()
            yield
        finally:
            self._asked -= 1

    def worked(self) -> None:
        """Take note that it answered: earlier failures count no more."""
        if self.health.failures:
            self._know(failures=0)

    def kill(self, reason: str) -> None:
        """End the child and all it started at once; that is a failure."""
        self._condemned = self._condemned or reason
        if self._process:
            self._process.kill_all()

    async def _has_ended(self, start: int) -> bool:
        """Whether it is gone; one whose connection broke may be about to go."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_GOING):
                while self._state == "ready" and self.starts == start:
                    await self._wait()
        return not (self._state == "ready" and self.starts == start)

    async def _wait(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    async def _run(self) -> None:
        while True:
            self._tell("starting", self._reason)
            began = asyncio.get_running_loop().time()
            reason = await self._run_once()
            was_well = asyncio.get_running_loop().time() - began >= self.limits.cool_down
            failures = 1 if was_well and self._state == "ready" else self.health.failures + 1
            self.health = replace(
                self.health,
                crashes=self.health.crashes + 1,
                failures=failures,
                last_reason=reason,
                memory=None,
            )
            if failures < self.limits.failures:
                self._tell("restarting", reason)
                await asyncio.sleep(self.limits.pause * 2 ** (failures - 2) if failures > 1 else 0)
            else:
                times = f"{failures} failures in a row" if failures > 1 else "1 failure"
                self._tell("off", f"{reason} ({times})")
                await asyncio.sleep(self.limits.cool_down)

    def _tell(self, state: str, reason: str | None) -> None:
        self._state = state
        self._is_off = state == "off" or (self._is_off and state == "starting")
        if state == "ready":
            self.health = replace(self.health, starts=self.health.starts + 1)
        self._reason = reason
        self._changed.set()
        self._report(state, reason)

    def _know(self, **facts: int | None) -> None:
        """Take note of facts about its health and tell them."""
        self.health = replace(self.health, **facts)  # type: ignore[arg-type]  # numbers all
        self._report(self._state, self._reason)

    async def _run_once(self) -> str:
        """Run the child from start to end and return why it ended."""
        self._condemned = None
        killed_before = memory.kills()
        with self._noted() as remains:
            try:
                self._process = process = await self._start(remains)
            except OSError as error:
                return f"it cannot be started: {error.strerror}"
            watching = asyncio.create_task(self._watch(process), name=f"watch over {self._child.name}")
            try:
                await process.ended.wait()
            finally:
                watching.cancel()
                await self._end(process, remains)
                await asyncio.wait((watching,))
        return self._condemned or _why(process, killed_before) + memory.doubt(
            self.limits.memory, process.code, process.last_words
        )

    @contextmanager
    def _noted(self) -> Iterator[Remains]:
        """Note the child before it is there, so that no moment is left out, and until it is gone."""
        remains, record = Remains.fresh(), self._child.record
        if record:
            remains.keep(record)
        try:
            yield remains
        finally:
            with suppress(OSError):  # a note that stays is looked at by the next start, and does no harm
                if record:
                    record.unlink(missing_ok=True)

    async def _start(self, remains: Remains) -> Running:
        process = await Running.start(self._child, remains.environment)
        memory.restrain(process.pid, self.limits.memory)
        if self._child.record:
            remains.of(process.pid).keep(self._child.record)
        return process

    async def _watch(self, process: Running) -> None:
        """Say when it is ready, then look after it; kills it when either takes too long."""
        try:
            async with asyncio.timeout(self.limits.start):
                while not await self._child.is_ready():  # noqa: ASYNC110  another process has no Event
                    await asyncio.sleep(_POLL)
        except TimeoutError:
            self.kill(f"it was not ready within {self.limits.start:g} s")
            return
        self.health = replace(self.health, memory=memory.held(process.pid))
        self._tell("ready", None)
        while await self._is_alive():
            self._weigh(process.pid)

    async def _is_alive(self) -> bool:
        """Look once whether it lives; kills it when it does not."""
        await asyncio.sleep(self.limits.check)
        try:
            await self._give_sign()
        except (TimeoutError, EngineTimeout):
            self.kill(f"it gave no sign of life within {self._patience:g} s")
        except Exception as error:  # noqa: BLE001  whatever keeps it from answering
            await asyncio.sleep(_GOING)  # one that is about to end says better why
            self.kill(f"it gave no sign of life: {error}")
        else:
            return True
        return False

    async def _give_sign(self) -> None:
        self._patience = self.limits.sign
        async with asyncio.timeout(self._patience) as self._sign:
            try:
                self._hurry()
                await self._child.is_alive()
            finally:
                self._sign = None

    def _hurry(self) -> None:
        """Give one that somebody waits for less time for its sign of life."""
        if self._sign and self._asked and not self._sign.expired():
            soon = asyncio.get_running_loop().time() + self.limits.urgent
            if soon < (self._sign.when() or soon):
                self._patience = self.limits.urgent
                self._sign.reschedule(soon)

    def _weigh(self, pid: int) -> None:
        """Tell what it holds when that has changed much."""
        now, before = memory.held(pid), self.health.memory
        if now and (not before or not before / _GREW <= now <= before * _GREW):
            self._know(memory=now)

    async def _end(self, process: Running, remains: Remains) -> None:
        """Ask it to end, then kill it; kill in any case what it has started."""
        try:
            if not process.ended.is_set():
                process.ask_to_end()
                with suppress(TimeoutError):
                    await asyncio.wait_for(process.ended.wait(), self.limits.stop)
        finally:
            process.kill_all()
            self._process = None
        await process.ended.wait()
        await asyncio.to_thread(remains.end)
        await process.close(self.limits.stop)


def _why(process: Running, killed_before: int | None) -> str:
    """Return in words how the child ended."""
    code, last = process.code, process.last_words
    if code == -signal.SIGKILL:
        return memory.why_killed(killed_before, memory.kills())
    if code is not None and code < 0:
        return f"it was killed by {signal.Signals(-code).name}{last and f': {last}'}"
    return f"it ended with {code}: {last or 'it said nothing'}"
