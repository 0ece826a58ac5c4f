"""Putting a house in the place of another one: all of it or nothing, even when the power fails."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from hub.backup.manifest import STAGED, BackupError, is_of_house
from hub.lock import UNFINISHED


@dataclass(frozen=True, slots=True)
class Exchange:
    """One folder of the house: files that are ready in `staged` take the place of those that are there."""

    root: str
    """`config` or `data`."""
    folder: Path
    staged: Path
    """A folder inside of it, so that nothing has to be copied; its files are the new house."""
    aside: Path
    """A folder inside of it that takes what was there."""
    fresh: tuple[str, ...]
    """The names in `staged` before the exchange."""

    def do(self) -> None:
        """Move what is there aside, then the new files in."""
        self.aside.mkdir(mode=0o700)
        for name in self._theirs():
            os.rename(self.folder / name, self.aside / name)
        for name in self.fresh:
            os.rename(self.staged / name, self.folder / name)
        _sync(self.aside, self.folder)

    def undo(self) -> None:
        """Put back what was there, from any moment of `do`."""
        for name in self.fresh:
            if not os.path.lexists(self.staged / name) and os.path.lexists(self.folder / name):
                os.rename(self.folder / name, self.staged / name)
        if self.aside.is_dir():
            for child in self.aside.iterdir():
                os.rename(child, self.folder / child.name)
            self.aside.rmdir()
        _sync(self.folder)

    def clear(self) -> None:
        """Remove the folder of the new files, and the other one if nothing was there."""
        shutil.rmtree(self.staged, ignore_errors=True)
        with suppress(OSError):
            self.aside.rmdir()

    def _theirs(self) -> list[str]:
        return sorted(name for name in os.listdir(self.folder) if is_of_house(self.root, name))


def exchange(parts: tuple[Exchange, ...], data: Path) -> None:
    """Do all exchanges, or none; a note in the data folder lets the next run undo what was broken off."""
    _note(parts, data)
    try:
        for part in parts:
            part.do()
    except BaseException:
        _undone(parts, data)
        raise
    (data / UNFINISHED).unlink()
    _sync(data)


def put_back(data: Path) -> bool:
    """Undo an exchange that was broken off; returns whether there was one. Raises `BackupError`."""
    try:
        said = json.loads((data / UNFINISHED).read_bytes())
        parts = tuple(map(_part, said))
    except FileNotFoundError:
        return False
    except (ValueError, KeyError, TypeError) as error:
        raise BackupError(f"{data / UNFINISHED} cannot be understood; put the house back by hand") from error
    _undone(parts, data)
    for part in parts:
        part.clear()
    return True


def _undone(parts: tuple[Exchange, ...], data: Path) -> None:
    for part in parts:
        part.undo()
    (data / UNFINISHED).unlink()
    _sync(data)


def _note(parts: tuple[Exchange, ...], data: Path) -> None:
    """Write down what is about to happen, durably, before it does; half a note never lies there."""
    text = json.dumps([{name: _plain(getattr(part, name)) for name in part.__slots__} for part in parts])
    draft = data / f"{STAGED}note"
    with open(draft, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(draft, data / UNFINISHED)
    _sync(data)


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value


def _part(said: Mapping[str, object]) -> Exchange:
    return Exchange(
        root=str(said["root"]),
        folder=Path(str(said["folder"])),
        staged=Path(str(said["staged"])),
        aside=Path(str(said["aside"])),
        fresh=tuple(map(str, cast(list[object], said["fresh"]))),
    )


def _sync(*folders: Path) -> None:
    """Make renames durable."""
    for folder in folders:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
