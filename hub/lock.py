"""One hub for each data folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hub.errors import EarnestError


class DataInUse(EarnestError):
    """Another hub works with the data folder."""

    code = "data-in-use"


class DataUnwritable(EarnestError):
    """The data folder cannot be made or written."""

    code = "data-unwritable"


class HouseHalfRestored(EarnestError):
    """A restore was broken off: the folders hold some files of the old house and some of the new."""

    code = "house-half-restored"


UNFINISHED = "restore.unfinished"
"""The file in the data folder that is there while a restore exchanges files."""


def whole(data: Path) -> None:
    """Raise `HouseHalfRestored` where a restore was broken off."""
    if os.path.lexists(data / UNFINISHED):
        raise HouseHalfRestored(
            f"a restore into {data} was broken off; `earnest restore` puts the house back as it was before"
        )


@contextmanager
def locked(data: Path) -> Iterator[None]:
    """Hold the data folder's lock while the block is open.

    Raises `DataInUse` naming the other's pid, and `DataUnwritable`. The kernel lets go of it when the
    process ends, however that happens.
    """
    descriptor = _opened(data)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            other = os.read(descriptor, 20).decode("ascii", "replace").strip() or "unknown"
            raise DataInUse(
                f"a hub (process {other}) already works with {data}; stop it, or give this one "
                "another folder with --data"
            ) from None
        with suppress(OSError):  # a full disk: the lock holds, only its name tag is missing
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def give(made: Path | int, folder: Path) -> None:
    """Let what an administrator made belong to whom the folder belongs; `made` is a path or a descriptor."""
    owner = folder.stat()
    if os.geteuid() == 0 and owner.st_uid != 0:
        os.chown(made, owner.st_uid, owner.st_gid, follow_symlinks=isinstance(made, int))


def _opened(data: Path) -> int:
    file, flags = data / "earnest.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    try:
        data.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(file, flags | os.O_EXCL, 0o600)
        except FileExistsError:
            return os.open(file, flags, 0o600)
        with suppress(PermissionError):  # an administrator in a container may not be one
            give(descriptor, data)
        return descriptor
    except OSError as error:
        raise DataUnwritable(
            f"the data folder {data} cannot be written: {error.strerror}; choose another with --data"
        ) from error
