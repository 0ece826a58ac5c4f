"""Boilers for hot water."""

from __future__ import annotations

from dataclasses import dataclass

from hub.domains.domain import Action, Domain
from hub.domains.ranges import Degrees, Words


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTemperature:
    """How hot the water is to be."""

    temperature: Degrees
    """In the house's unit."""
    operation_mode: Words | None = None
    """The mode to go to at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOperationMode:
    """A way of working that the boiler knows."""

    operation_mode: Words
    """For instance `eco`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAwayMode:
    """Whether nobody is at home."""

    away_mode: bool


WATER_HEATER = Domain(
    name="water_heater",
    description="Boilers for hot water.",
    states=("off", "eco", "electric", "performance", "high_demand", "heat_pump", "gas"),
    attributes={
        "temperature": "how hot the water is to be, in the house's unit",
        "current_temperature": "how hot it is, in the house's unit",
        "min_temp": "lowest setting, in the house's unit",
        "max_temp": "highest setting, in the house's unit",
        "operation_mode": "how it works",
        "operation_list": "modes it knows",
        "away_mode": "`on` or `off`",
    },
    actions=(
        Action(name="turn_on", description="Turn boilers on."),
        Action(name="turn_off", description="Turn boilers off."),
        Action(name="set_temperature", description="Set how hot the water is.", parameters=SetTemperature),
        Action(name="set_operation_mode", description="Choose a mode.", parameters=SetOperationMode),
        Action(name="set_away_mode", description="Say whether nobody is at home.", parameters=SetAwayMode),
    ),
)
