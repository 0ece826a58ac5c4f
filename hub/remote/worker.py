"""An engine in a process of its own: started, watched, asked once more when it crashes."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hub.errors import EngineError, EngineUnavailable, IntegrationError
from hub.integration import IntegrationContext
from hub.remote.limits import RemoteLimits
from hub.remote.peer import Peer
from hub.remote.serve import Order
from hub.remote.stages import RemoteAsr, RemoteTts
from hub.remote.steady import SteadyAsr, SteadyTts
from hub.stages.asr import Asr
from hub.stages.tts import Tts
from hub.supervisor import Child, ChildLimits, Supervisor, safe_environment

_DEFAULT = ChildLimits()
_BACKSTOP = 1.25
"""Of `line`: when a worker ends itself because of a call that nobody waits for any more."""
_LONGEST_PATH = 100
"""Bytes; a unix socket's address ends at 107."""


class Service:
    """A running worker's stages, good for as long as the block of `worker` is open."""

    def __init__(self, peer: Peer, supervisor: Supervisor) -> None:
        self._peer = peer
        self._supervisor = supervisor

    @property
    def uri(self) -> str:
        """Where the worker listens, for any Wyoming client of the same user."""
        return self._peer.uri

    @property
    def pid(self) -> int | None:
        """The worker's process id while it runs."""
        return self._supervisor.pid

    def asr(self, model: str | None = None) -> Asr:
        """Return the worker's recogniser."""
        return SteadyAsr(RemoteAsr(self._peer, model), self._supervisor)

    def tts(self, voice: str | None = None, speaker: str | None = None) -> Tts:
        """Return the worker's voice."""
        return SteadyTts(RemoteTts(self._peer, voice, speaker), self._supervisor)


@asynccontextmanager
async def worker(
    context: IntegrationContext,
    file: str | Path,
    options: Mapping[str, Any],
    *,
    program: Sequence[str] = (),
    listen: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    limits: ChildLimits = _DEFAULT,
) -> AsyncIterator[Service]:
    """Hold the Wyoming server that the `worker.py` at `file` starts with these options.

    `program` runs instead of this Python; `listen` are further addresses, for other clients.
    Raises `IntegrationError` with the engine's own last words when it does not start.
    """
    with _socket(context) as path:
        order = Order(listen=(_uri(path), *listen), options=options, call_seconds=limits.line * _BACKSTOP)
        waits = RemoteLimits(describe=limits.line, first=limits.line, gap=limits.line, total=limits.line)
        async with Peer(_uri(path), waits) as peer:
            child = Child(
                name=context.name,
                command=(*(program or (sys.executable, "-P")), str(file)),
                greeting=order.line(),
                is_ready=lambda: _answers(peer),
                is_alive=peer.ping,
                environment=safe_environment(**(environment or {})),
            )
            async with Supervisor(child, limits, _report_to(context)) as supervisor:
                await _first_start(supervisor)
                yield Service(peer, supervisor)


async def _first_start(supervisor: Supervisor) -> None:
    try:
        await supervisor.first_start()
    except EngineUnavailable as error:
        raise IntegrationError(str(error)) from error


async def _answers(peer: Peer) -> bool:
    """Whether the worker listens and says what it offers."""
    peer.forget()
    try:
        await peer.offer()
    except EngineError:
        return False
    return True


def _report_to(context: IntegrationContext) -> Callable[[str, str | None], None]:
    """Show in the instance's state when its worker is not there, and why."""

    def report(state: str, reason: str | None) -> None:
        if state == "ready":
            context.report(None)
        elif state != "starting":
            context.report(f"its worker is {state}: {reason}")

    return report


@contextmanager
def _socket(context: IntegrationContext) -> Iterator[Path]:
    """Give a path for the worker's socket that only we may reach and the system can take."""
    path = context.paths.run / f"{context.name}.sock"
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        yield path
    else:
        with tempfile.TemporaryDirectory(prefix="earnest-") as folder:
            yield Path(folder, "worker.sock")


def _uri(path: Path) -> str:
    return f"unix://{quote(str(path))}"
