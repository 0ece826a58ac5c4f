"""The folder where models lie: `<integration>/<model>/`, each with its files and its manifest."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hub.errors import ModelError
from hub.models.manifest import FILE, Manifest, read
from hub.models.published import Downloadable, is_safe

if TYPE_CHECKING:
    from hub.models.config import ModelsConfig

PART = ".part"
"""How the name of a file ends while it is being downloaded."""
NOTE = ".note"
"""How the name of what is known of a part ends."""
LOCK = ".lock"
"""How the name of the file that holds others off ends; it lies beside the model's folder."""


def folder_of(config: ModelsConfig, config_dir: Path, cache: Path) -> Path:
    """Return where the models of a house lie."""
    return config_dir / config.folder.expanduser() if config.folder else cache / "models"


@dataclass(frozen=True, slots=True)
class Shelf:
    """All downloaded models; nothing here touches the network."""

    folder: Path

    def place(self, integration: str, model: str) -> Path:
        """Return the folder of a model, there or not; raises `ModelError` for a name that leads elsewhere."""
        if not is_safe(integration) or not is_safe(model):
            raise ModelError(f"'{integration}/{model}' cannot be the name of a model")
        return self.folder / integration / model

    def whole(self, integration: str, model: Downloadable) -> Path | None:
        """Return the folder of a model that is all there, by name and size; None when it is not."""
        place = self.place(integration, model.name)
        manifest = read(place)
        if manifest is None or not {file.path for file in model.files} <= manifest.files.keys():
            return None
        return place if is_whole(place, manifest) else None

    def begun(self, integration: str, model: str) -> int:
        """Return the bytes that an unfinished download has brought; 0 when there is none."""
        place = self.place(integration, model)
        return 0 if (place / FILE).exists() else _bytes(place)

    def models(self) -> Iterator[tuple[str, str]]:
        """Yield integration and name of every model that has a folder, finished or not."""
        for folder in sorted(self.folder.glob("*/*/")):
            if is_safe(folder.name) and is_safe(folder.parent.name):
                yield folder.parent.name, folder.name

    def remove(self, integration: str, model: str) -> int:
        """Remove a model and what was begun of it; returns the bytes that are free again.

        The manifest goes first: half a removal never looks whole.
        """
        place = self.place(integration, model)
        freed = _bytes(place)
        (place / FILE).unlink(missing_ok=True)
        if place.is_symlink():
            place.unlink()
        elif place.exists():
            shutil.rmtree(place)
        return freed


def is_whole(place: Path, manifest: Manifest) -> bool:
    """Return whether every file is there with its size; its content is `verify`'s matter."""
    try:
        return all((place / name).stat().st_size == kept.size for name, kept in manifest.files.items())
    except OSError:
        return False


def _bytes(place: Path) -> int:
    return sum(file.stat().st_size for file in place.glob("*") if file.is_file())
