"""Packing a house into one file: the manifest first, then every file that it names."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile, gettempdir, mkstemp
from typing import BinaryIO

from hub import __version__
from hub.backup.content import Found, copied, found, is_secret
from hub.backup.manifest import (
    MOST_BYTES,
    MOST_FILES,
    MOST_TEXT,
    NAME,
    BackupError,
    Entry,
    Manifest,
    complete,
    is_safe,
    understood,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What to pack."""

    config: Path
    data: Path
    secrets: bool = True
    """Whether the files that `!secret` reads are taken."""
    without: frozenset[Path] = frozenset()
    """Files and folders that are not taken."""
    models: tuple[str, ...] = ()
    """Downloaded models, by name; they are not taken."""
    left_out: tuple[str, ...] = ()
    """What else is known not to be taken, in words."""


def pack(house: House, out: BinaryIO, work: Path | None = None) -> Manifest:
    """Write the backup of a house to `out`; its hub may run on.

    `work` is a folder with room for all of it, the system's own if not given. Raises `BackupError`.
    """
    house, missed = _resolved(house), list(house.left_out)
    with ExitStack() as stack:
        with _worded(f"in {work or gettempdir()}"):
            spool = stack.enter_context(TemporaryFile(dir=work))
            entries = tuple(_copies(house, spool, work, missed))
            spool.seek(0)
        manifest = _sound(
            Manifest(
                version=__version__,
                created=datetime.now().astimezone().isoformat(timespec="seconds"),
                secrets=house.secrets,
                files=entries,
                models=house.models,
                left_out=tuple(map(_shortened, missed)),
            )
        )
        with _worded(f"in {work}" if work else "on the standard output"):
            _written(manifest, spool, out)
    return manifest


def _resolved(house: House) -> House:
    """Return the house by its true paths, so that one folder inside of the other is known as such."""
    return replace(
        house,
        config=house.config.resolve(),
        data=house.data.resolve(),
        without=house.without | {path.resolve() for path in house.without},
    )


@contextmanager
def _worded(place: str) -> Iterator[None]:
    """Say where a disk is full, or whatever else it is; an error that names its file passes."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename:
            raise
        raise BackupError(f"the backup cannot be written {place}: {error.strerror or error}") from error


def _sound(manifest: Manifest) -> Manifest:
    """Return the manifest if a restore will take it; raises `BackupError`."""
    text = manifest.text()
    if len(text) > MOST_BYTES:
        raise BackupError("its files have names too long, all together, for one backup; nothing was written")
    understood(text)
    return complete(manifest)


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"…{text[1 - MOST_TEXT :]}"


def pack_to(path: Path, house: House) -> Manifest:
    """Write the backup to a new file that only its owner may read; it is whole or not there.

    Raises `BackupError`, also when there is such a file already, and `OSError`.
    """
    if os.path.lexists(path):
        raise BackupError(f"{path} is there already; nothing was written: choose another name")
    if not path.parent.is_dir():
        raise BackupError(f"there is no folder {path.parent}")
    descriptor, part = mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with open(descriptor, "wb") as out:
            manifest = pack(replace(house, without=house.without | {Path(part)}), out, path.parent)
            with _worded(f"in {path.parent}"):
                out.flush()
                os.fsync(descriptor)
        os.rename(part, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
    return manifest


def _copies(house: House, spool: BinaryIO, work: Path | None, missed: list[str]) -> Iterator[Entry]:
    """Append every file to `spool`; raises `BackupError` when there are too many."""
    files = tuple(islice(_files(house, missed), MOST_FILES + 1))
    if len(files) > MOST_FILES:
        raise BackupError(f"there are more than {MOST_FILES:,} files in {house.config} and {house.data}")
    for file in files:
        if not is_safe(file.name):
            raise BackupError(f"{file.path} has a name that no backup can hold; nothing was written")
        entry = copied(file, spool, work, missed)
        if entry:
            yield entry


def _files(house: House, missed: list[str]) -> Iterator[Found]:
    """Yield the files of both folders; one that lies in the other is not taken twice."""
    for file in found("config", house.config, house.without | {house.data}, missed):
        if house.secrets or not is_secret(file):
            yield file
    if house.data.is_dir():
        yield from found("data", house.data, house.without | {house.config}, missed)


def _written(manifest: Manifest, spool: BinaryIO, out: BinaryIO) -> None:
    with (
        gzip.GzipFile(fileobj=out, mode="wb", compresslevel=6, filename="") as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive,
    ):
        text = manifest.text()
        archive.addfile(_header(NAME, len(text), 0o600), io.BytesIO(text))
        for entry in manifest.files:
            archive.addfile(_header(entry.name, entry.size, entry.mode), spool)


def _header(name: str, size: int, mode: int) -> tarfile.TarInfo:
    header = tarfile.TarInfo(name)
    header.size, header.mode, header.mtime = size, mode, int(time.time())
    return header
