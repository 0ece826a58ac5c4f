"""A configuration that is in order, ready to be run."""

from __future__ import annotations

from dataclasses import dataclass

from hub.config.document import Document
from hub.config.root.sections import Root
from hub.errors import Problem
from hub.registry import Instance
from hub.values.house import Area, Floor


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Everything that `earnest.yaml` says."""

    root: Root
    document: Document
    integrations: tuple[Instance, ...]
    """One for each entry; what cannot be loaded fails with its reason when it is opened."""
    broken: tuple[Problem, ...]
    """Why integrations cannot be loaded here."""

    @property
    def floors(self) -> tuple[Floor, ...]:
        """The floors of the house."""
        return tuple(
            Floor(id=key, name=said.name or _title(key), aliases=said.aliases)
            for key, said in self.root.floors.items()
        )

    @property
    def areas(self) -> tuple[Area, ...]:
        """The areas of the house."""
        return tuple(
            Area(id=key, name=said.name or _title(key), floor=said.floor, aliases=said.aliases)
            for key, said in self.root.areas.items()
        )


def _title(key: str) -> str:
    """Return `Living room` for `living_room`."""
    words = key.replace("_", " ").strip() or key
    return words[:1].upper() + words[1:]
