"""What a configuration says of its house's places, as far as it can be read."""

from __future__ import annotations

from pathlib import Path

from hub.backup.pack import House
from hub.config.document import Document
from hub.config.source import read
from hub.models.shelf import Shelf
from hub.starter import MAIN


def surveyed(config: Path, data: Path, secrets: bool) -> House:
    """Return what to pack; a configuration with mistakes is packed like any other."""
    said = read(config / MAIN)
    models = _models(said, config, data)
    audit = data / (_folder(said, "audit") or "audit")
    outside = () if audit.is_relative_to(data) else (f"{audit} (the audit: it is not in the data folder)",)
    return House(
        config=config,
        data=data,
        secrets=secrets,
        without=frozenset((models,)),
        models=tuple("/".join(model) for model in Shelf(models).models()),
        left_out=outside,
    )


def models_folder(config: Path, data: Path) -> Path:
    """Return where the models of the house lie that is there, if one is."""
    if not (config / MAIN).is_file():
        return data / "cache" / "models"
    return _models(read(config / MAIN), config, data)


def _models(said: Document, config: Path, data: Path) -> Path:
    return config / (_folder(said, "models") or data / "cache" / "models")


def _folder(said: Document, key: str) -> Path | None:
    folder = said.value((key, "folder"))
    return Path(folder).expanduser() if isinstance(folder, str) and folder else None
