"""A backup becomes the house: unpacked beside it, checked, then exchanged with what is there."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from hub.backup.manifest import ASIDE, STAGED, BackupError, Manifest, is_of_house
from hub.backup.survey import models_folder
from hub.backup.swap import Exchange, exchange, pieces, put_back
from hub.backup.unpack import unpack
from hub.config.folder import SECRETS
from hub.lock import UNFINISHED, give, locked


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done."""

    manifest: Manifest
    aside: tuple[Path, ...]
    """Folders that hold what was there before."""


def restore(archive: BinaryIO, config: Path, data: Path) -> Restored:
    """Put a backup in the place of the house in these folders; what was there is kept aside.

    Raises `BackupError`, `DataInUse` while a hub runs, and `OSError`; nothing has changed then.
    """
    config, data = config.resolve(), data.resolve()
    if config.is_relative_to(data) or data.is_relative_to(config):
        raise BackupError(
            f"{config} and {data} lie in one another; choose folders apart with --config and --data"
        )
    config.mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked(data):
        put_back(config, data)
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
        folders = {"config": config, "data": data}
        for folder in folders.values():
            _remove_stale(folder)
        staged = {root: _staging(folder) for root, folder in folders.items()}
        try:
            manifest = _unpacked(archive, staged)
            _fits(staged["data"])
            if not manifest.secrets:
                _keep_secrets(config, staged["config"])
            models = models_folder(config, data).resolve()
            parts = tuple(
                _part(root, folder, staged[root], f"{ASIDE}{stamp}", models)
                for root, folder in folders.items()
            )
            exchange(parts, data)
        except BaseException:
            if not os.path.lexists(data / UNFINISHED):
                for folder in staged.values():
                    shutil.rmtree(folder, ignore_errors=True)
            raise
        for part in parts:
            part.clear()
        return Restored(manifest, tuple(part.aside for part in parts if part.aside.is_dir()))


def recovered(config: Path, data: Path) -> tuple[Path, ...] | None:
    """Undo a restore that was broken off; returns the folders with what was written since, None if none was.

    Raises `BackupError` for folders of another house.
    """
    with locked(data):
        return put_back(config.resolve(), data.resolve())


def _unpacked(archive: BinaryIO, staged: Mapping[str, Path]) -> Manifest:
    try:
        return unpack(archive, staged)
    except OSError as error:
        if error.filename:
            raise
        where = " or ".join(str(folder.parent) for folder in staged.values())
        said = error.strerror or error
        raise BackupError(f"it cannot be unpacked in {where}: {said}; nothing was changed") from error


def _part(root: str, folder: Path, staged: Path, aside: str, models: Path) -> Exchange:
    _give(staged, folder)
    stays = _staying(folder, staged, models)
    return Exchange(root, folder, staged, folder / aside, stays, tuple(pieces(staged, stays)))


def _staying(folder: Path, staged: Path, models: Path) -> str:
    """Return where the models lie in the folder, if they do and the new house has nothing in their place."""
    if not models.is_dir() or not models.is_relative_to(folder) or models == folder:
        return ""
    place = models.relative_to(folder)
    parents = [staged / parent for parent in place.parents]
    is_free = not os.path.lexists(staged / place) and all(
        one.is_dir() and not one.is_symlink() for one in parents if os.path.lexists(one)
    )
    return place.as_posix() if is_free else ""


def _remove_stale(folder: Path) -> None:
    """Remove what a restore left that was killed before it changed anything."""
    for path in folder.glob(f"{STAGED}*"):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _staging(folder: Path) -> Path:
    return Path(tempfile.mkdtemp(dir=folder, prefix=STAGED))


def _fits(data: Path) -> None:
    """Raise `BackupError` for the database of a newer Earnest; the hub would not start with it."""
    path = data / "earnest.db"
    if not path.is_file():
        return
    from hub.store.tables import VERSION

    try:
        with closing(sqlite3.connect(path)) as opened:
            version = opened.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError:
        return  # the hub moves a damaged one aside when it starts
    if version > VERSION:
        raise BackupError("its database was made by a newer Earnest; install that one")


def _keep_secrets(old: Path, new: Path) -> None:
    """Copy the secrets that are there to the same places of a house that came without."""
    for path in old.rglob(SECRETS):
        place = path.relative_to(old)
        if is_of_house("config", place.parts[0]) and path.is_file() and not (new / place).exists():
            (new / place).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            shutil.copy2(path, new / place)


def _give(tree: Path, folder: Path) -> None:
    """Let the files belong to whom the folder belongs, if an administrator restores for somebody else."""
    give(tree, folder)
    for place, folders, files in os.walk(tree):
        for name in (*folders, *files):
            with suppress(FileNotFoundError):
                give(Path(place, name), folder)
