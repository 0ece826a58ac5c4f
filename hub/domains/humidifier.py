"""Humidifiers and dehumidifiers."""

from __future__ import annotations

from dataclasses import dataclass

from hub.domains.domain import Action, Domain
from hub.domains.ranges import Percent, Words


@dataclass(frozen=True, slots=True, kw_only=True)
class SetHumidity:
    """How damp the air is to be."""

    humidity: Percent


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMode:
    """A way of working that the device knows."""

    mode: Words


HUMIDIFIER = Domain(
    name="humidifier",
    description="Humidifiers and dehumidifiers.",
    states=("on", "off"),
    attributes={
        "humidity": "how damp it is to be, percent",
        "current_humidity": "percent",
        "min_humidity": "lowest setting, percent",
        "max_humidity": "highest setting, percent",
        "mode": "how it works",
        "available_modes": "modes it knows",
    },
    device_classes=("dehumidifier", "humidifier"),
    actions=(
        Action(name="turn_on", description="Turn humidifiers on."),
        Action(name="turn_off", description="Turn humidifiers off."),
        Action(name="toggle", description="Turn on what is off, and off what is on.", repeatable=False),
        Action(name="set_humidity", description="Set the humidity to reach.", parameters=SetHumidity),
        Action(name="set_mode", description="Choose a mode.", parameters=SetMode),
    ),
)
