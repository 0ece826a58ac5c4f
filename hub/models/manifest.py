"""What a model's files must be, beside them; written last, so a model without it is not whole."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from hub.models.published import is_safe

FILE = "manifest.json"
_FORMAT = 1
_MOST_BYTES = 1 << 20

Proof = Literal["catalogue", "publisher", "size"]
"""What a file was compared with when it came: a digest that was known before, one that its publisher
answered, or its size alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One file as it was when its download was found good."""

    size: int
    """Bytes."""
    sha256: str
    """In hex."""
    url: str
    """Where it came from."""
    proof: Proof
    commit: str = ""
    """The publisher's revision, where it names one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """All files of one model."""

    integration: str
    model: str
    files: Mapping[str, Kept]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(kept.size for kept in self.files.values())

    def write(self, folder: Path) -> None:
        """Write it so that after a power cut there is all of it or nothing."""
        files = {name: asdict(kept) for name, kept in self.files.items()}
        text = {"format": _FORMAT, "integration": self.integration, "model": self.model, "files": files}
        part = folder / f"{FILE}.part"
        with part.open("w", encoding="utf-8") as file:
            json.dump(text, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        settle(part, folder / FILE)


def settle(part: Path, place: Path) -> None:
    """Give a finished file its name, durably."""
    os.replace(part, place)
    folder = os.open(place.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read(folder: Path) -> Manifest | None:
    """Return the manifest of a model's folder; None when there is none that can be used."""
    try:
        with (folder / FILE).open("rb") as file:
            told = json.loads(file.read(_MOST_BYTES))
        return _checked(told)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _checked(told: Any) -> Manifest:
    if told["format"] != _FORMAT or not told["files"]:
        raise ValueError("another format")
    files = {name: _kept(told["files"][name]) for name in told["files"] if _is_file_name(name)}
    return Manifest(integration=str(told["integration"]), model=str(told["model"]), files=files)


def _is_file_name(name: str) -> bool:
    if not is_safe(name):
        raise ValueError("a name that leads elsewhere")
    return True


def _kept(told: Mapping[str, Any]) -> Kept:
    kept = Kept(**told)
    if not isinstance(kept.size, int) or not isinstance(kept.sha256, str):
        raise TypeError("no size or digest")
    return kept
