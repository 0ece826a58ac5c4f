"""A thing of the house and what is known of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

UNKNOWN = "unknown"
UNAVAILABLE = "unavailable"

Perform = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any] | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """Something the house can see or move: a lamp, a lock, a sensor, a list."""

    id: str
    """`<domain>.<object>`, for instance `light.kitchen_lamp`; unique in the house."""
    name: str
    """What people call it; the YAML may give another."""
    perform: Perform | None = None
    """`await perform(action, arguments)` does one action of the domain, e.g. `turn_on` with
    `{"brightness_pct": 40}`. Returns what the action answers, or None; raises `ToolError` with a
    sentence for people. None for things that can only be read."""
    device_class: str | None = None
    """Home Assistant's device class, for instance `garage` or `temperature`."""
    area: str | None = None
    """Id of the area the integration suggests; the YAML wins."""
    aliases: tuple[str, ...] = ()
    exposed: bool = True
    """Whether voice and models may name it."""
    actions: frozenset[str] | None = None
    """Actions of the domain it can do; None means all of them."""
    state: str = UNKNOWN
    """What it is at the moment it is offered."""
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def domain(self) -> str:
        """`light` of `light.kitchen_lamp`."""
        return self.id.partition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a thing, an integration or an engine is at one moment."""

    entity_id: str
    state: str
    attributes: Mapping[str, Any] = field(default_factory=dict)
    last_changed: datetime
    """When `state` last became another."""
    last_updated: datetime
    """When state or attributes last became others."""
