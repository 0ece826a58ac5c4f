"""What stands under each key of `earnest.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

import voluptuous as vol

from hub.api.config import ApiConfig
from hub.config.record import BESIDE
from hub.door.audit import AuditConfig
from hub.door.limits import DoorLimits
from hub.door.policy import Rule
from hub.engines.limits import EngineLimits
from hub.house import Given
from hub.intents.commands import CommandConfig
from hub.intents.repair import RepairLimits
from hub.models.config import ModelsConfig
from hub.pipeline.config import PipelineConfig
from hub.pipeline.context import TurnLimits
from hub.registry import RegistryLimits
from hub.rooms.config import RoomLimits, SatelliteConfig
from hub.rooms.ledger import LedgerConfig
from hub.store import StoreLimits
from hub.values.house import Locale

_Name = Annotated[str, vol.Length(min=1, max=200)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorConfig:
    """One storey, under its id."""

    name: _Name | None = None
    """What people call it; not set: its id."""
    aliases: tuple[_Name, ...] = ()
    """What else people call it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaConfig:
    """One room or other place, under its id."""

    name: _Name | None = None
    """What people call it; not set: its id."""
    floor: str | None = None
    """Id of its floor."""
    aliases: tuple[_Name, ...] = ()
    """What else people call it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationConfig:
    """One instance of an integration, under a name of your choice; its own options stand beside these."""

    type: str
    """Which integration it is: a shipped one, or a folder in `integrations` beside this file."""
    limits: EngineLimits = field(default_factory=EngineLimits)
    """How much may be asked of its engines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Waits and sizes of the hub itself."""

    door: Annotated[DoorLimits, BESIDE] = field(default_factory=DoorLimits)
    turns: Annotated[TurnLimits, BESIDE] = field(default_factory=TurnLimits)
    integrations: Annotated[RegistryLimits, BESIDE] = field(default_factory=RegistryLimits)
    rooms: Annotated[RoomLimits, BESIDE] = field(default_factory=RoomLimits)
    store: Annotated[StoreLimits, BESIDE] = field(default_factory=StoreLimits)
    repair: RepairLimits = field(default_factory=RepairLimits)
    """How sure the hub must be that a sentence was heard wrong before it takes it for another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """The keys of `earnest.yaml`; each may be left out."""

    hub: Locale = field(default_factory=Locale)
    """The house itself."""
    floors: Mapping[str, FloorConfig] = field(default_factory=dict)
    """Storeys, by id."""
    areas: Mapping[str, AreaConfig] = field(default_factory=dict)
    """Rooms and other places, by id."""
    things: Mapping[str, Given] = field(default_factory=dict)
    """What you say of things that integrations bring, by the thing's id: `light.kitchen_lamp`. What is not
    set is as the integration says."""
    integrations: Mapping[str, IntegrationConfig] = field(default_factory=dict)
    """What the house is connected to, by a name of your choice; an integration's own options stand beside
    `type` and `limits`."""
    pipelines: Mapping[str, PipelineConfig] = field(default_factory=dict)
    """How speech becomes deeds and answers, by name. `default` is always there. What a pipeline does not set
    comes from the one it inherits."""
    satellites: Mapping[str, SatelliteConfig] = field(default_factory=dict)
    """Microphones and speakers in rooms, by id."""
    ledger: LedgerConfig = field(default_factory=LedgerConfig)
    """What is kept of who listened when and why, never of what was said: files in `ledger` of the data
    folder."""
    commands: Mapping[str, CommandConfig] = field(default_factory=dict)
    """Sentences of your own and what they do, by id."""
    policies: tuple[Rule, ...] = ()
    """What may be done, by whom, to what. A rule holds for calls that fit every field that is given; the
    strictest rule wins."""
    audit: AuditConfig = field(default_factory=AuditConfig)
    """What is kept of everything that was done: one file a day, `YYYY-MM-DD.jsonl`."""
    models: ModelsConfig = field(default_factory=ModelsConfig)
    """Where the models of engines come from and lie."""
    limits: Limits = field(default_factory=Limits)
    """Waits and sizes of the hub itself."""
    api: ApiConfig = field(default_factory=ApiConfig)
    """The control socket."""
    llm: Literal["disabled"] = "disabled"
    """Whether a language model answers what nothing else understood."""
