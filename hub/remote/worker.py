"""An engine in a process of its own: started, watched, asked once more when it crashes."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import voluptuous as vol

from hub.integration import IntegrationContext
from hub.remote.choice import Wish
from hub.remote.limits import RemoteLimits
from hub.remote.own import answers, first_start, own_socket, tell, unix_uri
from hub.remote.peer import Peer
from hub.remote.serve import Order
from hub.remote.stages import RemoteAsr, RemoteTts
from hub.remote.steady import SteadyAsr, SteadyTts
from hub.remote.wake import RemoteWake
from hub.stages.asr import Asr
from hub.stages.tts import Tts
from hub.stages.wake import WakeDetector
from hub.supervisor import RECORDS, Child, ChildLimits, Supervisor, safe_environment

_BACKSTOP = 1.25
"""Of `line`: when a worker ends itself because of a call that outlasts every limit."""


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
        return SteadyAsr(RemoteAsr(self._peer, Wish(model=model)), self._supervisor)

    def tts(self, voice: str | None = None, speaker: str | None = None) -> Tts:
        """Return the worker's voice."""
        return SteadyTts(RemoteTts(self._peer, Wish(model=voice), speaker), self._supervisor)

    def wake(self) -> WakeDetector:
        """Return the worker's wake words."""
        return RemoteWake(self._peer, self._supervisor.ready, keeper=self._supervisor)


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
    with own_socket(context) as path:
        uri = unix_uri(path)
        waits = RemoteLimits(describe=limits.sign, first=limits.line, gap=limits.line, total=limits.line)
        async with Peer(uri, waits) as peer:
            child = Child(
                name=context.name,
                command=(*(program or (sys.executable, "-P")), str(file)),
                greeting=_order(uri, listen, options, limits).line(),
                is_ready=lambda: answers(peer),
                is_alive=peer.ping,
                environment=safe_environment(**(environment or {})),
                record=context.paths.data / RECORDS / f"{context.name}.json",
            )

            def report(state: str, reason: str | None) -> None:
                tell(context, supervisor.health, state, reason)

            async with Supervisor(child, limits, report) as supervisor:
                await first_start(supervisor)
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
