"""One download of a model at a time, over all processes of this machine."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from hub.errors import ModelError, ModelInUse

_LOOK = 0.25
"""Seconds between two looks at a lock that somebody else holds; the system wakes nobody."""


@asynccontextmanager
async def held(file: Path, patience: float, waiting: Callable[[str], None]) -> AsyncIterator[None]:
    """Hold the lock `file` while the block is open; `waiting(who)` is told once when another has it.

    Raises `ModelError` when it is not free within `patience` seconds or the folder cannot be written. The
    kernel lets go of it when the process ends, however that happens.
    """
    import asyncio  # the command line lists models without it

    with _opened(file) as descriptor:
        loop = asyncio.get_running_loop()
        end, told = loop.time() + patience, False
        while not _taken(descriptor):
            who = _owner(descriptor)
            if not told:
                waiting(who)
                told = True
            if loop.time() >= end:
                raise ModelError(
                    f"process {who} has been downloading {file.stem} for {patience:g} s"
                    " (models.wait_for_other); stop it, or wait for it"
                )
            await asyncio.sleep(_LOOK)
        yield


@contextmanager
def held_now(file: Path) -> Iterator[None]:
    """Hold the lock, or raise `ModelInUse` at once when another has it."""
    with _opened(file) as descriptor:
        if not _taken(descriptor):
            raise ModelInUse(f"process {_owner(descriptor)} is downloading {file.stem} now; stop it first")
        yield


@contextmanager
def _opened(file: Path) -> Iterator[int]:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ModelError(
            f"the folder for models {file.parent} cannot be written: {error.strerror};"
            " choose another with models.folder in the YAML"
        ) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    with contextlib.suppress(OSError):  # a full disk: the lock holds, only its name tag is missing
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return True


def _owner(descriptor: int) -> str:
    return os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
