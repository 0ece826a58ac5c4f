"""Reading a backup that may be cut short, damaged or made by somebody who means harm."""

from __future__ import annotations

import gzip
import os
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, cast

from hub.backup.manifest import MOST_BYTES, NAME, BackupError, Entry, Manifest, complete, understood

_PIECE = 2**18
_HEADER = 2**20
"""Bytes that a header of the archive may have; names are in it."""
_PADDING = 2**16
"""Bytes of zeros that may follow the last file."""

Keep = Callable[[Entry, BinaryIO], None]


def examine(archive: BinaryIO) -> Manifest:
    """Return what is in a backup when all of it is sound; raises `BackupError` and writes nothing."""
    return _read(archive, lambda manifest: None, lambda entry, content: _checked(entry, content, None))


def unpack(archive: BinaryIO, into: Mapping[str, Path]) -> Manifest:
    """Write the files of a backup below the folders of `into`; raises `BackupError` and `OSError`.

    What was written when it fails is the caller's to remove.
    """

    def begin(manifest: Manifest) -> None:
        _room(manifest, into)

    def keep(entry: Entry, content: BinaryIO) -> None:
        root, _, rest = entry.name.partition("/")
        path = into[root] / rest
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, entry.mode | 0o600)
        with open(descriptor, "wb") as file:
            _checked(entry, content, file)
            file.flush()
            os.fsync(descriptor)

    return _read(archive, begin, keep)


def _room(manifest: Manifest, into: Mapping[str, Path]) -> None:
    """Raise `BackupError` if a disk has no room for its files."""
    for folder in into.values():
        disk = os.statvfs(folder)
        free = disk.f_bavail * disk.f_frsize
        needed = taken(manifest.files, disk.f_frsize)
        if needed > free:
            raise BackupError(f"it needs {needed:,} bytes in {folder.parent}, where {free:,} are free")


def taken(files: Iterable[Entry], block: int) -> int:
    """Return the bytes that files take on a disk with blocks of so many bytes."""
    return sum(-(-entry.size // block) * block for entry in files)


def _read(archive: BinaryIO, begin: Callable[[Manifest], None], keep: Keep) -> Manifest:
    with _sound(), gzip.GzipFile(fileobj=archive, mode="rb") as unzipped:
        stream = _Forward(cast(BinaryIO, unzipped))
        with tarfile.open(fileobj=cast(BinaryIO, stream), mode="r:") as members:
            manifest = understood(_manifest(members))
            begin(manifest)
            for entry in manifest.files:
                keep(entry, _content(members, entry.name, entry.size))
            if members.next() is not None:
                raise BackupError("it holds files that its manifest does not name")
        stream.end()
        return complete(manifest)


@contextmanager
def _sound() -> Iterator[None]:
    """Word what is wrong with the bytes; errors of our own disk pass."""
    try:
        yield
    except BackupError as error:
        raise BackupError(f"this cannot be restored: {error}") from error
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError, OverflowError) as error:
        what = "it is damaged, cut short, or no backup of Earnest"
        raise BackupError(f"this cannot be restored: {what} ({error})") from error


def _manifest(members: tarfile.TarFile) -> bytes:
    header = members.next()
    if header is None or header.name != NAME or not _is_plain(header) or header.size > MOST_BYTES:
        raise BackupError("it is no backup of Earnest: it does not begin with a manifest")
    content = members.extractfile(header)
    assert content is not None
    return b"".join(iter(lambda: content.read(_PIECE), b""))


def _content(members: tarfile.TarFile, name: str, size: int) -> BinaryIO:
    """Return the next member, which must be this plain file."""
    header = members.next()
    if header is None:
        raise BackupError(f"it is cut short or damaged: {name} is missing")
    if header.name != name or header.size != size or not _is_plain(header):
        raise BackupError(f"it is not what its manifest says: {name} is another file, or none")
    content = members.extractfile(header)
    assert content is not None
    return cast(BinaryIO, content)


def _is_plain(header: tarfile.TarInfo) -> bool:
    return header.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not header.issparse()


def _checked(entry: Entry, content: BinaryIO, into: BinaryIO | None) -> None:
    """Copy a file; raises `BackupError` when it is not the one that was packed."""
    digest, size = sha256(), 0
    while piece := content.read(_PIECE):
        digest.update(piece)
        size += len(piece)
        if into:
            into.write(piece)
    if size != entry.size or digest.hexdigest() != entry.sha256:
        raise BackupError(f"{entry.name} is damaged")


class _Forward:
    """A stream that goes forward in steps of a bounded size, whatever a header claims."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._at = 0

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes."""
        if not 0 <= size <= max(_HEADER, _PIECE):
            raise BackupError("a header in it is larger than any that Earnest writes")
        piece = self._stream.read(size)
        self._at += len(piece)
        return piece

    def tell(self) -> int:
        """Return the bytes that are behind us."""
        return self._at

    def seek(self, to: int, whence: int = os.SEEK_SET) -> int:
        """Go forward to a place in the stream."""
        if whence != os.SEEK_SET or to < self._at:
            raise BackupError("a header in it leads back to what was read")
        while self._at < to and self.read(min(_PIECE, to - self._at)):
            pass
        return self._at

    def end(self) -> None:
        """Read to the very end, where the checksum stands; nothing but padding may be left."""
        left = self._stream.read(_PADDING)
        if left.strip(b"\0") or self._stream.read(1):
            raise BackupError("something follows its end")
