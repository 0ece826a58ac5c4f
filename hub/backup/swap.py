"""Putting a house in the place of another one: all of it or nothing, even when the power fails."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import cast

from hub.backup.manifest import STAGED, BackupError, is_of_house
from hub.lock import UNFINISHED, give


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
    stays: str
    """What of the folder stays where it is, whatever comes; empty for nothing."""
    fresh: tuple[str, ...]
    """What was to be moved out of `staged`, before the exchange."""

    @property
    def since(self) -> Path:
        """Return the folder that takes what was written between a broken-off exchange and its undoing."""
        return self.aside.with_name(f"{self.aside.name}-since")

    def do(self) -> None:
        """Move what is there aside, then the new files in."""
        self.aside.mkdir(mode=0o700)
        give(self.aside, self.folder)
        for name in list(pieces(self.folder, self.stays)):
            if is_of_house(self.root, name.partition("/")[0]):
                _move(name, self.folder, self.aside)
        for name in self.fresh:
            _move(name, self.staged, self.folder)
        _sync(self.aside, self.folder)

    def undo(self) -> None:
        """Put back what was there, from any moment of `do`; what is in its way is kept in `since`."""
        for name in self.fresh:
            if not os.path.lexists(self.staged / name) and os.path.lexists(self.folder / name):
                _move(name, self.folder, self.staged)
        if self.aside.is_dir():
            for name in list(pieces(self.aside, self.stays)):
                if os.path.lexists(self.folder / name):
                    _move(name, self.folder, self._made(self.since))
                _move(name, self.aside, self.folder)
            _prune(self.aside, self.stays)
        _sync(self.folder)

    def clear(self) -> None:
        """Remove the folder of the new files, and the other one if nothing was there."""
        shutil.rmtree(self.staged, ignore_errors=True)
        with suppress(OSError):
            _prune(self.aside, self.stays)

    def _made(self, folder: Path) -> Path:
        if not folder.is_dir():
            folder.mkdir(mode=0o700)
            give(folder, self.folder)
        return folder


def pieces(folder: Path, stays: str) -> Iterator[str]:
    """Yield what is to be moved out of a folder: all in it, but of what holds `stays` only the rest."""
    first, _, rest = stays.partition("/")
    for name in sorted(os.listdir(folder)):
        if name != first:
            yield name
        elif rest and (folder / name).is_dir() and not (folder / name).is_symlink():
            yield from (f"{name}/{inner}" for inner in pieces(folder / name, rest))
        elif rest:
            yield name


def _move(name: str, source: Path, target: Path) -> None:
    if "/" in name:
        (target / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.rename(source / name, target / name)


def _prune(folder: Path, stays: str) -> None:
    """Remove a folder that is empty but for the folders of what stays."""
    for parent in PurePosixPath(stays or "nothing").parents:
        with suppress(FileNotFoundError):
            (folder / parent).rmdir()


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


def put_back(config: Path, data: Path) -> tuple[Path, ...] | None:
    """Undo an exchange that was broken off; raises `BackupError`.

    Returns the folders with what was written since, or None where nothing was broken off.
    """
    try:
        said = json.loads((data / UNFINISHED).read_bytes())
        parts = tuple(_part(part, {"config": config, "data": data}) for part in said)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise BackupError(f"{data / UNFINISHED} cannot be understood; put the house back by hand") from error
    for part in parts:
        if not part.staged.is_dir():
            raise BackupError(
                f"the restore that was broken off was not one into {part.folder}; name the house's folders"
                " with --config and --data"
            )
    _undone(parts, data)
    for part in parts:
        part.clear()
    return tuple(part.since for part in parts if part.since.is_dir())


def _undone(parts: tuple[Exchange, ...], data: Path) -> None:
    for part in parts:
        part.undo()
    (data / UNFINISHED).unlink()
    _sync(data)


def _note(parts: tuple[Exchange, ...], data: Path) -> None:
    """Write down what is about to happen, durably, before it does; half a note never lies there."""
    text = json.dumps([_noted(part) for part in parts])
    draft = data / f"{STAGED}note"
    with open(draft, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    give(draft, data)
    os.rename(draft, data / UNFINISHED)
    _sync(data)


def _noted(part: Exchange) -> dict[str, object]:
    """Return it without where the house lies, which may be elsewhere when it is undone."""
    names = {"root": part.root, "staged": part.staged.name, "aside": part.aside.name}
    return {**names, "stays": part.stays, "fresh": part.fresh}


def _part(said: Mapping[str, object], folders: Mapping[str, Path]) -> Exchange:
    folder = folders[str(said["root"])]
    return Exchange(
        root=str(said["root"]),
        folder=folder,
        staged=folder / Path(str(said["staged"])).name,
        aside=folder / Path(str(said["aside"])).name,
        stays=str(said["stays"]),
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
