"""What is common to all Wyoming servers that the hub starts: a socket, the first start, their health."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from hub.errors import EngineError, EngineUnavailable, IntegrationError
from hub.integration import IntegrationContext
from hub.remote.peer import Peer
from hub.supervisor import Health, Supervisor

_LONGEST_PATH = 100
"""Bytes; a unix socket's address ends at 107."""


async def first_start(supervisor: Supervisor) -> None:
    """Return when the child is ready; raises `IntegrationError` with its last words when it fails."""
    try:
        await supervisor.first_start()
    except EngineUnavailable as error:
        raise IntegrationError(str(error)) from error


async def answers(peer: Peer) -> bool:
    """Whether the worker listens and says what it offers."""
    peer.forget()
    try:
        await peer.offer()
    except EngineError:
        return False
    return True


def tell(context: IntegrationContext, health: Health, state: str, reason: str | None) -> None:
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
def own_socket(context: IntegrationContext) -> Iterator[Path]:
    """Give a path for the worker's socket that only we may reach and the system can take."""
    path = context.paths.run / f"{context.name}.sock"
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        yield path
    else:
        with tempfile.TemporaryDirectory(prefix="earnest-") as folder:
            yield Path(folder, "worker.sock")


def unix_uri(path: Path) -> str:
    """Return the address of a socket in the file system."""
    return f"unix://{quote(str(path))}"
