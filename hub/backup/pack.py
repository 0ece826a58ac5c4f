"""Packing a house into one file: the manifest first, then every file that it names."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile, mkstemp
from typing import BinaryIO

from hub import __version__
from hub.backup.content import Found, copied, found, is_secret
from hub.backup.manifest import MOST_FILES, NAME, BackupError, Entry, Manifest


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
    missed = list(house.left_out)
    with TemporaryFile(dir=work) as spool:
        entries = tuple(_copies(house, spool, work, missed))
        manifest = Manifest(
            version=__version__,
            created=datetime.now().astimezone().isoformat(timespec="seconds"),
            secrets=house.secrets,
            files=entries,
            models=house.models,
            left_out=tuple(missed),
        )
        spool.seek(0)
        _written(manifest, spool, out)
    return manifest


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
