"""What a backup says of itself, before everything else in it."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from hub.errors import EarnestError
from hub.lock import UNFINISHED
from hub.starter import MAIN, OF_THE_DISK

NAME = "earnest-backup.json"
"""The first file in the archive."""
FORMAT = 1
"""Grows when an older Earnest could not restore it any more."""
ROOTS = ("config", "data")
"""The folders of a house, by their names in the archive."""
ASIDE = ".before-restore-"
"""How the name of the folder begins that holds what a restore replaced."""
STAGED = ".restore-"
"""How the name of the folder begins in which a restore makes its files ready."""
STAYS = ("cache", "run", "children", "earnest.lock", "earnest.sock", UNFINISHED)
"""What of a data folder belongs to the machine or can be made again, not to the house."""
MOST_FILES = 20_000
MOST_BYTES = 8 * 2**20
"""Of the manifest itself."""
_LONGEST = 255
"""Bytes of one part of a path, as file systems have it."""
MOST_TEXT = 4096
"""Characters of a name, with its folders, and of every other text."""
_DIGEST = re.compile(r"[0-9a-f]{64}")


class BackupError(EarnestError):
    """A house cannot be packed, or a file is no backup that can be restored here."""

    code = "backup-unusable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file of the house."""

    name: str
    """`config/…` or `data/…`, with slashes."""
    size: int
    """Bytes."""
    sha256: str
    mode: int
    """Permissions, as chmod(1) takes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What is in the archive, in its order, and where it comes from."""

    version: str
    """Of the Earnest that made it."""
    created: str
    """ISO 8601, with the zone."""
    secrets: bool
    """Whether the files with the house's secrets are in it."""
    files: tuple[Entry, ...]
    models: tuple[str, ...]
    """Downloaded models that the house has, by name; they are not in it."""
    left_out: tuple[str, ...]
    """What else is not in it, in words."""

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(entry.size for entry in self.files)

    def text(self) -> bytes:
        """Return it as it stands in the archive."""
        return json.dumps({"earnest": "backup", "format": FORMAT, **dataclasses.asdict(self)}).encode()


def understood(raw: bytes) -> Manifest:
    """Return the manifest in these bytes; raises `BackupError`, for everything that is not quite right."""
    try:
        said = json.loads(raw)
    except (ValueError, RecursionError):
        raise BackupError("its manifest cannot be read") from None
    if not isinstance(said, dict) or said.get("earnest") != "backup":
        raise BackupError("its manifest is not one of Earnest")
    if said.get("format") == 0:
        raise BackupError("its manifest has no format that any Earnest writes")
    if not _is_count(said.get("format")) or said["format"] > FORMAT:
        raise BackupError(f"it was made by a newer Earnest ({_short(said.get('version'))}); install that one")
    try:
        return _checked(said)
    except (KeyError, TypeError, ValueError) as error:
        raise BackupError(f"its manifest is not sound ({type(error).__name__}: {_short(error)})") from None


def complete(manifest: Manifest) -> Manifest:
    """Return the manifest if what it names is a house; raises `BackupError`."""
    if not any(entry.name == f"config/{MAIN}" for entry in manifest.files):
        raise BackupError(f"there is no {MAIN} in its configuration, so no house would come of it")
    return manifest


def _checked(said: Mapping[str, Any]) -> Manifest:
    files = said["files"]
    if not isinstance(files, list) or len(files) > MOST_FILES:
        raise ValueError("files")
    entries = tuple(map(_entry, files))
    _alone(entry.name for entry in entries)
    return Manifest(
        version=_text(said["version"]),
        created=datetime.fromisoformat(_text(said["created"])).isoformat(),
        secrets=said["secrets"] is True,
        files=entries,
        models=tuple(map(_text, _list(said["models"]))),
        left_out=tuple(map(_text, _list(said["left_out"]))),
    )


def _entry(said: Mapping[str, Any]) -> Entry:
    name, digest = _text(said["name"]), _text(said["sha256"])
    if not is_safe(name):
        raise ValueError(f"{name!r} is not a name in a backup")
    if not _DIGEST.fullmatch(digest) or not _is_count(said["size"]) or not _is_count(said["mode"]):
        raise ValueError(name)
    return Entry(name=name, size=said["size"], sha256=digest, mode=said["mode"] & 0o755)


def is_of_house(root: str, name: str) -> bool:
    """Whether what lies directly in a folder is part of the house."""
    if name == OF_THE_DISK or name.startswith((ASIDE, STAGED)):
        return False
    return not (root == "data" and name in STAYS)


def is_safe(name: str) -> bool:
    """Whether a name leads to a place of the house below one of the two folders."""
    root, *rest = name.split("/")
    if (
        root not in ROOTS
        or not rest
        or not is_of_house(root, rest[0])
        or "\0" in name
        or len(name) > MOST_TEXT
    ):
        return False
    try:
        return all(part not in ("", ".", "..") and len(os.fsencode(part)) <= _LONGEST for part in rest)
    except UnicodeEncodeError:
        return False


def _alone(names: Iterable[str]) -> None:
    """Raise `ValueError` if a name stands twice, or a file would have to be a folder, too."""
    seen: set[str] = set()
    folders: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{name!r} stands twice")
        seen.add(name)
        folders.update(parent.as_posix() for parent in PurePosixPath(name).parents)
    if seen & folders:
        raise ValueError(f"{min(seen & folders)!r} is a file and a folder")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        raise TypeError("expected a text")
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list) or len(value) > MOST_FILES:
        raise TypeError("expected a list")
    return value


def _short(value: object) -> str:
    return str(value)[:80].encode("ascii", "backslashreplace").decode()
