"""Which files make a house, and a copy of each that is whole although its hub goes on writing."""

from __future__ import annotations

import gzip
import os
import sqlite3
import stat
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO
from urllib.parse import quote

from hub.backup.manifest import NAME, BackupError, Entry, is_of_house
from hub.config.folder import SECRETS

_BESIDE = ("-wal", "-shm", "-journal")
_SQLITE = b"SQLite format 3\0"
_BUSY_SECONDS = 30.0
"""How long a hub may keep its database to itself."""
_PIECE = 2**18


@dataclass(frozen=True, slots=True)
class Found:
    """A file that belongs to the house."""

    name: str
    """As it is called in the archive."""
    path: Path


def found(root: str, folder: Path, without: frozenset[Path], missed: list[str]) -> Iterator[Found]:
    """Yield the files below a folder, but none of `without`; what cannot be taken is put into `missed`."""
    for place, folders, files in os.walk(folder, onerror=_unreadable):
        here = Path(place)
        inner = here != folder
        folders[:] = sorted(one for one in folders if _is_kept(root, here / one, inner, without))
        missed += [f"{here / one} (a link to a folder)" for one in folders if (here / one).is_symlink()]
        for name in sorted(files):
            path = here / name
            if not _is_kept(root, path, inner, without) or _is_beside(path):
                continue
            if path.is_file():
                yield Found(f"{root}/{path.relative_to(folder).as_posix()}", path)
            elif path.is_symlink():
                missed.append(f"{path} (a link that leads nowhere)")


def _unreadable(error: OSError) -> None:
    raise BackupError(f"{error.filename} cannot be read: {error.strerror}") from error


def _is_kept(root: str, path: Path, inner: bool, without: frozenset[Path]) -> bool:
    return path.name != "__pycache__" and path not in without and (inner or is_of_house(root, path.name))


def _is_beside(path: Path) -> bool:
    """Whether the file belongs to an open database, which is copied as a whole."""
    ends = next((end for end in _BESIDE if path.name.endswith(end)), None)
    return ends is not None and path.with_name(path.name.removesuffix(ends)).exists()


def is_secret(file: Found) -> bool:
    """Whether the file is one that `!secret` reads."""
    return file.name.startswith("config/") and file.path.name == SECRETS


def copied(file: Found, into: BinaryIO, work: Path | None, missed: list[str]) -> Entry | None:
    """Append the file to `into` as it is at one moment; None when it has gone meanwhile, or is a backup.

    `work` is a folder for a copy of a database.
    """
    try:
        source = os.open(file.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BackupError(f"{file.path} cannot be read: {error.strerror}") from error
    with open(source, "rb") as opened:
        mode = stat.S_IMODE(os.fstat(source).st_mode) & 0o755
        if opened.read(len(_SQLITE)) == _SQLITE:
            return _database(file, into, work, mode, missed)
        if _is_backup(opened):
            missed.append(f"{file.path} (a backup)")
            return None
        opened.seek(0)
        return _poured(file.name, opened, into, _end(file.name, opened), mode)


def _is_backup(opened: BinaryIO) -> bool:
    """Whether the file begins like a backup: one in another doubles it each time, and its secrets leak."""
    first = b""
    for source in (opened, gzip.GzipFile(fileobj=opened, mode="rb")):
        opened.seek(0)
        with suppress(OSError, EOFError, zlib.error):
            first = source.read(512)
        if first.startswith(NAME.encode() + b"\0"):
            return True
    return False


def _end(name: str, opened: BinaryIO) -> int:
    """Return the bytes to take: all there are now; of the lines that a hub adds to no half one."""
    size = os.fstat(opened.fileno()).st_size
    if not (name.startswith("data/") and name.endswith(".jsonl")):
        return size
    for begin in range(max(size - _PIECE, 0), -1, -_PIECE):
        last = os.pread(opened.fileno(), min(_PIECE, size - begin), begin).rfind(b"\n")
        if last >= 0:
            return begin + last + 1
    return size


def _poured(name: str, source: BinaryIO, into: BinaryIO, size: int, mode: int) -> Entry:
    digest, left = sha256(), size
    while left and (piece := source.read(min(_PIECE, left))):
        digest.update(piece)
        into.write(piece)
        left -= len(piece)
    return Entry(name=name, size=size - left, sha256=digest.hexdigest(), mode=mode)


def _database(file: Found, into: BinaryIO, work: Path | None, mode: int, missed: list[str]) -> Entry:
    """Append a copy made by SQLite itself, whatever others write meanwhile."""
    with TemporaryDirectory(dir=work, prefix=".earnest-") as folder:
        copy = Path(folder, "copy.db")
        try:
            _back_up(file.path, copy)
        except sqlite3.DatabaseError as error:  # a damaged one is better than none
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
                raise BackupError(
                    f"there is no room for a copy of {file.path} in {Path(folder).parent}"
                ) from error
            if "locked" in str(error):
                raise BackupError(f"{file.path} is in use by another program; try again") from error
            missed.append(f"what was not yet written to {file.path}: it is copied as it lies there ({error})")
            copy = file.path
        with open(copy, "rb") as whole:
            return _poured(file.name, whole, into, os.fstat(whole.fileno()).st_size, mode)


def _back_up(source: Path, target: Path) -> None:
    uri = f"file:{quote(str(source.absolute()))}?mode=rw"
    with (
        closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS)) as reading,
        closing(sqlite3.connect(target)) as writing,
    ):
        reading.backup(writing)
        writing.execute("PRAGMA journal_mode=DELETE")
