"""The starter house: what a newcomer runs first and then changes. It comes with the package."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hub.errors import EarnestError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

MAIN = "earnest.yaml"
"""The file that makes a folder a house; it is written last."""
OF_THE_DISK = "lost+found"
"""What a fresh file system has in its topmost folder; it is nobody's."""
RECORDING = "self-check.wav"
"""What a hub can hear to show that it hears."""


class HouseInTheWay(EarnestError):
    """A folder that holds something already is not made a starter house."""

    code = "house-exists"


def shipped(kind: str) -> Traversable:
    """Return the folder `config` or `blueprints` that came with the package."""
    from importlib.resources import files

    return files("hub") / "shipped" / kind


def is_empty(folder: Path) -> bool:
    """Whether the folder can become a starter house: there is nothing in it, or it is not there."""
    return not os.path.lexists(folder) or (
        folder.is_dir() and all(one.name == OF_THE_DISK for one in folder.iterdir())
    )


def lay_out(folder: Path) -> None:
    """Make the folder a copy of the starter house; raises `HouseInTheWay` unless it is empty or not there.

    If it fails, nothing of it is left.
    """
    if not is_empty(folder):
        raise HouseInTheWay(f"{folder} is not empty; nothing was changed: choose another folder")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    written: list[Path] = []
    try:
        for file in sorted(_files(), key=lambda file: file.name == MAIN):
            with open(folder / file.name, "xb") as copy:
                written.append(folder / file.name)
                copy.write(file.read_bytes())
                copy.flush()
                os.fsync(copy.fileno())
    except BaseException:
        for path in written:
            with suppress(OSError):
                path.unlink()
        raise


def _files() -> Iterator[Traversable]:
    return (file for file in shipped("config").iterdir() if file.is_file())
