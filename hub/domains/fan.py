"""Fans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hub.domains.domain import Action, Domain
from hub.domains.ranges import Percent, Words


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOn:
    """How a fan is to run; what is not given stays as it was."""

    percentage: Percent | None = None
    """Speed, 0 to 100 %."""
    preset_mode: Words | None = None
    """A way of running that the fan knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPercentage:
    """How fast a fan is to run."""

    percentage: Percent
    """Speed, 0 to 100 %; 0 turns it off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedStep:
    """By how much the speed changes."""

    percentage_step: Percent | None = None
    """Percent of full speed; the fan's own step if nothing is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Oscillate:
    """Whether a fan is to swing."""

    oscillating: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SetDirection:
    """Which way a fan is to turn."""

    direction: Literal["forward", "reverse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPresetMode:
    """A way of running that the fan knows."""

    preset_mode: Words


FAN = Domain(
    name="fan",
    description="Fans.",
    states=("on", "off"),
    attributes={
        "percentage": "speed, 0 to 100 %",
        "percentage_step": "smallest step of the speed in percent",
        "oscillating": "whether it swings",
        "direction": "`forward` or `reverse`",
        "preset_mode": "the preset that holds",
        "preset_modes": "presets it knows",
    },
    actions=(
        Action(name="turn_on", description="Turn fans on.", parameters=TurnOn),
        Action(name="turn_off", description="Turn fans off."),
        Action(name="toggle", description="Turn on what is off, and off what is on.", repeatable=False),
        Action(name="set_percentage", description="Set the speed of fans.", parameters=SetPercentage),
        Action(
            name="increase_speed",
            description="Let fans run faster.",
            parameters=SpeedStep,
            repeatable=False,
        ),
        Action(
            name="decrease_speed",
            description="Let fans run slower.",
            parameters=SpeedStep,
            repeatable=False,
        ),
        Action(name="oscillate", description="Let fans swing, or not.", parameters=Oscillate),
        Action(name="set_direction", description="Set which way fans turn.", parameters=SetDirection),
        Action(name="set_preset_mode", description="Choose a preset.", parameters=SetPresetMode),
    ),
)
