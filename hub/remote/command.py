"""Somebody else's Wyoming server that the hub starts, watches and starts again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from shutil import which

from hub.errors import IntegrationError, WireError
from hub.integration import IntegrationContext
from hub.remote.own import answers, first_start, own_socket, tell, unix_uri
from hub.remote.peer import Peer
from hub.remote.wire import listen_address
from hub.supervisor import RECORDS, Child, ChildLimits, Supervisor, safe_environment

_URI = "{uri}"
"""Stands in the command for the address to serve at."""


@contextmanager
def address(context: IntegrationContext, uri: str | None) -> Iterator[str]:
    """Give the address that a started server gets: its own `uri`, else a socket that only we may reach."""
    if uri is not None:
        yield uri
        return
    with own_socket(context) as path:
        path.unlink(missing_ok=True)
        yield unix_uri(path)


@asynccontextmanager
async def command(
    context: IntegrationContext,
    argv: Sequence[str],
    peer: Peer,
    *,
    environment: Mapping[str, str] | None = None,
    limits: ChildLimits,
) -> AsyncIterator[Supervisor]:
    """Hold the server that `argv` starts; `{uri}` in it becomes the peer's address.

    Raises `IntegrationError` with the server's own last words when it does not start.
    """
    child = Child(
        name=context.name,
        command=_filled(argv, peer.uri),
        is_ready=lambda: answers(peer),
        # One that is busy may answer late: whether it hangs is found out by its requests.
        is_alive=peer.reach,
        environment=_environment(environment or {}),
        record=context.paths.data / RECORDS / f"{context.name}.json",
    )

    def report(state: str, reason: str | None) -> None:
        tell(context, supervisor.health, state, reason)

    async with Supervisor(child, limits, report) as supervisor:
        await first_start(supervisor)
        yield supervisor


def _filled(argv: Sequence[str], uri: str) -> tuple[str, ...]:
    try:
        listen_address(uri)
    except WireError as error:
        raise IntegrationError(str(error)) from error
    if not argv or which(argv[0]) is None:
        raise IntegrationError(f"there is no program '{argv[0] if argv else ''}' to start (command)")
    return tuple(word.replace(_URI, uri) for word in argv)


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    """Return what a stranger needs of our environment; our own modules are none of its business."""
    kept = safe_environment()
    kept.pop("PYTHONPATH", None)
    return kept | dict(more)
