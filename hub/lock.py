"""One hub for each data folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hub.errors import EarnestError


class DataInUse(EarnestError):
    """Another hub works with the data folder."""

    code = "data-in-use"


@contextmanager
def locked(data: Path) -> Iterator[None]:
    """Hold the data folder's lock while the block is open; raises `DataInUse` naming the other's pid.

    The kernel lets go of it when the process ends, however that happens.
    """
    data.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(data / "earnest.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            other = os.read(descriptor, 20).decode("ascii", "replace").strip() or "unknown"
            raise DataInUse(
                f"a hub (process {other}) already works with {data}; stop it, or give this one "
                "another folder with --data"
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
