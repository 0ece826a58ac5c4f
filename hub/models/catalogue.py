"""What an integration's `catalogue.py` says of its models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hub.errors import ModelUnknown
from hub.models.published import Downloadable

AUTO = "auto"
"""The name that leaves the choice to the installed memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What `auto` chooses by."""

    memory: float
    """GiB that are installed."""
    languages: tuple[str, ...]
    """Spoken in this house, its own first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What `auto` came to."""

    names: tuple[str, ...]
    """Models from the best that fits to the least; never empty."""
    why: str
    """In words, for the state."""


Pick = Callable[[Mapping[str, Any], Surroundings], Choice]
"""`pick(options, surroundings)`, the options as they stand in the YAML."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The models of one integration: `CATALOGUE` in its `catalogue.py`."""

    integration: str
    option: str
    """The option that names one."""
    default: str
    """What that option is when nothing is set."""
    models: tuple[Downloadable, ...]
    packaged: Callable[[], Mapping[str, Path]] = dict
    """Models that a package brought, by name, and their folders; imports nothing heavy."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names of the same."""
    pick: Pick | None = None
    """How `auto` chooses; None: it does not."""

    def find(self, name: str) -> Downloadable:
        """Return the model of this name or alias; raises `ModelUnknown` with a near match."""
        wanted = self.aliases.get(name, name)
        for model in self.models:
            if model.name == wanted:
                return model
        raise ModelUnknown(
            f"{self.integration} knows no {self.option} '{name}'{_near(name, self.names)};"
            f" `earnest models list --integration {self.integration}` shows all"
        )

    def check(self, name: str) -> None:
        """Raise `ValueError` for a name that is none, for the YAML."""
        try:
            self.find(name)
        except ModelUnknown as error:
            raise ValueError(str(error)) from None

    def choose(self, options: Mapping[str, Any], around: Surroundings) -> Choice:
        """Return what `auto` comes to; the default where this catalogue has no rule."""
        return self.pick(options, around) if self.pick else Choice(names=(self.default,), why="the default")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all models and their aliases."""
        return (*(model.name for model in self.models), *self.aliases)

    def wanted(self, options: Mapping[str, Any], surroundings: Surroundings) -> tuple[str, ...]:
        """Return what an instance with these options uses, the first choice first; a path is as it is."""
        value = str(options.get(self.option) or self.default)
        if value == AUTO:
            return self.choose(options, surroundings).names
        return (self.aliases.get(value, value),)


def _near(name: str, names: Iterable[str]) -> str:
    from hub.config.words import near

    return near(name, names)
