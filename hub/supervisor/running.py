"""A child while it runs: what it says, and its end.

A protocol instead of `asyncio.subprocess.Process`, whose `wait` also waits until everything that the child
has started has closed the pipes.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Self

from hub.supervisor.child import Child

_LINES = 20
"""Lines kept of what a child prints."""
_LINE = 500
"""Characters kept of a line."""


class Running(asyncio.SubprocessProtocol):
    """One run of a child in a session of its own."""

    _transport: asyncio.SubprocessTransport

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        """Set when the child is gone, whoever else still holds its output."""
        self._silent = asyncio.Event()
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._rest = b""

    @classmethod
    async def start(cls, child: Child, more: Mapping[str, str]) -> Self:
        """Start the child with `more` in its environment and greet it; raises `OSError`."""
        _, running = await asyncio.get_running_loop().subprocess_exec(
            cls,
            *child.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**child.environment, **more},
            start_new_session=True,
        )
        running._greet(child.greeting)
        return running

    @property
    def pid(self) -> int:
        """The child's process id, which is its group's as well."""
        return self._transport.get_pid()

    @property
    def code(self) -> int | None:
        """How it ended, as `subprocess` tells it; None while it runs."""
        return self._transport.get_returncode()

    @property
    def last_words(self) -> str:
        """The last line that it printed; empty when it said nothing."""
        return self._lines[-1] if self._lines else ""

    def ask_to_end(self) -> None:
        """Send SIGTERM to the child alone."""
        with suppress(ProcessLookupError):
            self._transport.terminate()

    def kill_all(self) -> None:
        """Send SIGKILL to it and to all it has started in its session."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    async def close(self, seconds: float) -> None:
        """Take what it said last, for at most so long, and let go of its pipes."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._silent.wait()
        self._keep(self._rest)
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to the process."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Keep the last lines of what it prints; the rest is dropped."""
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[-_LINE:]
        for line in lines[-_LINES:]:
            self._keep(line)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Take note that nothing more can be said."""
        if fd == 1:
            self._silent.set()

    def process_exited(self) -> None:
        """Take note that the child is gone."""
        self.ended.set()

    def _greet(self, words: bytes) -> None:
        pipe = self._transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport) and words:
            pipe.write(words)

    def _keep(self, line: bytes) -> None:
        """Keep the end of a line without what no log and no terminal should see."""
        text = "".join(filter(str.isprintable, line[-_LINE:].decode("utf-8", "replace"))).strip()
        if text:
            self._lines.append(text)
