"""Where things are: floors, areas, and the words of the place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """A storey of the house."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """A room or another place in or around the house."""

    id: str
    name: str
    floor: str | None = None
    """Id of its floor."""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Locale:
    """How this house speaks and measures."""

    name: str = "Home"
    language: str = "en"
    """BCP 47, for instance `en` or `pt-BR`."""
    time_zone: str = "UTC"
    """A name of the IANA time zone database."""
    units: Literal["metric", "imperial"] = "metric"
    latitude: float | None = None
    longitude: float | None = None
