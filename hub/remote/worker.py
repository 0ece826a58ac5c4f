"""An engine in a process of its own: started, watched, asked once more when it crashes."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import voluptuous as vol

from hub.errors import EngineError, EngineUnavailable, IntegrationError
from hub.integration import IntegrationContext
from hub.remote.limits import RemoteLimits
from hub.remote.peer import Peer
from hub.remote.serve import Order
from hub.remote.stages import RemoteAsr, RemoteTts
from hub.remote.steady import SteadyAsr, SteadyTts
from hub.stages.asr import Asr
from hub.stages.tts import Tts
from hub.supervisor import RECORDS, Child, ChildLimits, Health, Supervisor, safe_environment

_BACKSTOP = 1.25
"""Of `line`: when a worker ends itself because of a call that outlasts every limit."""
_LONGEST_PATH = 100
"""Bytes; a unix socket's address ends at 107."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits(ChildLimits):
    """What a worker may do: `worker:` of an integration that has one. Waits are in seconds."""

    abandoned: Annotated[float, vol.Range(min=0.1, max=3600)] = 10.0
    """How long the engine may go on with a request that nobody waits for any more; then the worker
    ends itself, for nothing else can stop a call that hangs."""
    utterance: Annotated[float, vol.Range(min=1, max=3600)] = 120.0
    """The longest utterance that it takes."""
    clients: Annotated[int, vol.Range(min=1, max=1000)] = 32
    """Connections at the same time to an address of `listen`; one more is told that it is too many."""


_DEFAULT = WorkerLimits()


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
    limits: WorkerLimits = _DEFAULT,
) -> AsyncIterator[Service]:
    """Hold the Wyoming server that the `worker.py` at `file` starts with these options.

    `program` runs instead of this Python; `listen` are further addresses, for other clients.
    Raises `IntegrationError` with the engine's own last words when it does not start.
    """
    with _socket(context) as path:
        uri = _uri(path)
        waits = RemoteLimits(describe=limits.sign, first=limits.line, gap=limits.line, total=limits.line)
        async with Peer(uri, waits) as peer:
            child = Child(
                name=context.name,
                command=(*(program or (sys.executable, "-P")), str(file)),
                greeting=_order(uri, listen, options, limits).line(),
                is_ready=lambda: _answers(peer),
                is_alive=peer.ping,
                environment=safe_environment(**(environment or {})),
                record=context.paths.data / RECORDS / f"{context.name}.json",
            )

            def report(state: str, reason: str | None) -> None:
                _tell(context, supervisor.health, state, reason)

            async with Supervisor(child, limits, report) as supervisor:
                await _first_start(supervisor)
                yield Service(peer, supervisor)


def _order(uri: str, listen: Sequence[str], options: Mapping[str, Any], limits: WorkerLimits) -> Order:
    """Return what the worker is told."""
    return Order(
        listen=(uri, *listen),
        options=options,
        own=uri,
        call_seconds=limits.line * _BACKSTOP,
        abandoned_seconds=limits.abandoned,
        audio_seconds=limits.utterance,
        clients=limits.clients,
    )


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


def _tell(context: IntegrationContext, health: Health, state: str, reason: str | None) -> None:
    """Show in the instance's state how its worker does, and why it is not there."""
    context.health(
        {
            "starts": health.starts,
            "crashes": health.crashes,
            "failures_in_a_row": health.failures,
            "last_reason": health.last_reason,
            "memory_mb": health.memory,
        }
    )
    if state == "ready":
        context.report(None)
    elif state != "starting":
        context.report(f"its worker is {state}: {reason}")


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
