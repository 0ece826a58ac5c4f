"""A child process that is started, watched, and started again; what it leaves behind is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sysconfig
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from hub.errors import EngineUnavailable

_KEPT = ("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES")
"""What a child may know of the hub's environment; tokens and passwords are not among it."""
_POLL = 0.05
"""Seconds between two questions whether a child is ready."""
_LINES = 20
"""Lines kept of what a child prints."""
_LINE = 500
"""Characters kept of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildLimits:
    """Waits for a child process, in seconds."""

    start: float = 1800.0
    """From its start until it is ready; a first start may download a model."""
    stop: float = 3.0
    """From being asked to end until it is killed."""
    line: float = 120.0
    """Until a request is answered, or a sign of life; then it is killed."""
    check: float = 30.0
    """Between two questions whether it is alive."""
    failures: int = 3
    """Failures in a row, without an answered request between them, that turn it off."""
    pause: float = 0.5
    """Before the first new start; doubles with each failure."""
    restart: float = 20.0
    """How long a request waits for the new start of a child that crashed."""
    cool_down: float = 300.0
    """How long it stays off before it is tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """What to run, and how to know that it is well."""

    name: str
    command: Sequence[str]
    greeting: bytes = b""
    """Written to its standard input, which then stays open for as long as the hub lives."""
    is_ready: Callable[[], Awaitable[bool]]
    """Asked again and again after its start."""
    is_alive: Callable[[], Awaitable[object]]
    """Asked every `check` seconds; raises, or takes longer than `line`, when it is not."""
    environment: Mapping[str, str]


class Supervisor:
    """Holds one child for as long as the block is open.

    `report(state, reason)` is called with `starting`, `ready`, `restarting`, `off`; the reason is why
    it ended last, None when nothing is wrong.
    """

    def __init__(self, child: Child, limits: ChildLimits, report: Callable[[str, str | None], None]) -> None:
        self._child = child
        self._limits = limits
        self._report = report
        self._process: asyncio.subprocess.Process | None = None
        self._failures = 0
        self._changed = asyncio.Event()
        self._is_ready = False
        self._is_off = False
        self._starts = 0
        self._reason: str | None = None
        """Why it ended last; None when it is well."""
        self._condemned: str | None = None
        self._output: deque[str] = deque(maxlen=_LINES)

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
        return self._starts

    async def first_start(self) -> None:
        """Return when the child is ready; raises `EngineUnavailable` at its first failure."""
        while not self._is_ready:
            if self._reason:
                raise EngineUnavailable(self._reason)
            await self._wait()

    async def ready(self, more_than: int = 0) -> None:
        """Return when the child is ready and was so `more_than` times before.

        Raises `EngineUnavailable` when it is off, or not back within `restart`.
        """
        try:
            async with asyncio.timeout(self._limits.restart):
                while not (self._is_ready and self._starts > more_than):
                    if self._is_off:
                        raise EngineUnavailable(f"'{self._child.name}' is off: {self._reason}")
                    await self._wait()
        except TimeoutError as error:
            reason = self._reason or "it is still starting"
            raise EngineUnavailable(f"'{self._child.name}' is not ready: {reason}") from error

    def worked(self) -> None:
        """Take note that it answered: earlier failures count no more."""
        self._failures = 0

    def kill(self, reason: str) -> None:
        """End the child and all it started at once; that is a failure."""
        self._condemned = self._condemned or reason
        self._signal_group(signal.SIGKILL)

    async def _wait(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    async def _run(self) -> None:
        while True:
            self._tell("starting", self._reason)
            reason = await self._run_once()
            self._failures += 1
            if self._failures < self._limits.failures:
                self._tell("restarting", reason)
                await asyncio.sleep(self._limits.pause * 2 ** (self._failures - 1))
            else:
                self._tell("off", f"{reason} ({self._failures} failures in a row)")
                await asyncio.sleep(self._limits.cool_down)

    def _tell(self, state: str, reason: str | None) -> None:
        self._is_ready = state == "ready"
        self._is_off = state == "off" or (self._is_off and state == "starting")
        self._starts += self._is_ready
        self._reason = reason
        self._changed.set()
        self._report(state, reason)

    async def _run_once(self) -> str:
        """Run the child from start to end and return why it ended."""
        self._condemned = None
        self._output.clear()
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                *self._child.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                env=self._child.environment,
                start_new_session=True,
            )
        except OSError as error:
            return f"it cannot be started: {error.strerror}"
        reading = asyncio.create_task(self._read(process), name=f"output of {self._child.name}")
        watching = asyncio.create_task(self._watch(process), name=f"watch over {self._child.name}")
        try:
            await process.wait()
        finally:
            watching.cancel()
            await self._end(process, reading)
            await asyncio.wait((watching,))
        return self._condemned or self._why(process.returncode)

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """Say when it is ready, then look after it; kills it when either takes too long."""
        if process.stdin and self._child.greeting:
            process.stdin.write(self._child.greeting)
        try:
            async with asyncio.timeout(self._limits.start):
                while not await self._child.is_ready():  # noqa: ASYNC110  another process has no Event
                    await asyncio.sleep(_POLL)
        except TimeoutError:
            self.kill(f"it was not ready within {self._limits.start:g} s")
            return
        self._tell("ready", None)
        while True:
            await asyncio.sleep(self._limits.check)
            try:
                async with asyncio.timeout(self._limits.line):
                    await self._child.is_alive()
            except Exception:  # noqa: BLE001  whatever keeps it from answering
                self.kill(f"it gave no sign of life within {self._limits.line:g} s")
                return

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Keep the last lines of what it prints; the rest is dropped."""
        assert process.stdout
        rest = b""
        while block := await process.stdout.read(4096):
            *lines, rest = (rest + block).split(b"\n")
            rest = rest[-_LINE:]
            self._output += [line[-_LINE:].decode("utf-8", "replace") for line in lines if line.strip()]
        if rest.strip():
            self._output.append(rest.decode("utf-8", "replace"))

    async def _end(self, process: asyncio.subprocess.Process, reading: asyncio.Task[None]) -> None:
        """Ask it to end, then kill it; kill in any case what it has started."""
        try:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.terminate()
                with suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), self._limits.stop)
        finally:
            self._signal_group(signal.SIGKILL)
            self._process = None
        await process.wait()
        await asyncio.wait((reading,), timeout=self._limits.stop)
        reading.cancel()
        if process.stdin:
            process.stdin.close()

    def _signal_group(self, number: int) -> None:
        if self._process:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)

    def _why(self, code: int | None) -> str:
        last = self._output[-1].strip() if self._output else "it said nothing"
        if code is not None and code < 0:
            return f"it was killed by {signal.Signals(-code).name}"
        return f"it ended with {code}: {last}"


def safe_environment(**more: str) -> dict[str, str]:
    """Return what a child needs of our environment, without what is secret, and `more`."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith("LC_")}
    home = str(Path(__file__).parent.parent)
    if home != sysconfig.get_paths()["purelib"]:
        kept["PYTHONPATH"] = home
    return kept | {"PYTHONUNBUFFERED": "1"} | more
