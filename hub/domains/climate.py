"""Thermostats and air conditioning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hub.domains.domain import Action, Domain
from hub.domains.ranges import Degrees, Percent, Words

HvacMode = Literal["off", "heat", "cool", "heat_cool", "auto", "dry", "fan_only"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTemperature:
    """How warm it is to be, in the house's unit: one temperature, or the lowest and the highest."""

    temperature: Degrees | None = None
    target_temp_low: Degrees | None = None
    target_temp_high: Degrees | None = None
    hvac_mode: HvacMode | None = None
    """The mode to go to at the same time."""

    def __post_init__(self) -> None:
        low, high = self.target_temp_low, self.target_temp_high
        if self.temperature is None and (low is None or high is None):
            raise ValueError("give temperature, or target_temp_low and target_temp_high")
        if low is not None and high is not None and low > high:
            raise ValueError("target_temp_low is above target_temp_high")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetHvacMode:
    """What the thermostat is to do."""

    hvac_mode: HvacMode


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPresetMode:
    """A way of working that the thermostat knows."""

    preset_mode: Words
    """For instance `eco` or `away`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFanMode:
    """How the fan is to blow."""

    fan_mode: Words
    """For instance `auto` or `low`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSwingMode:
    """How the vanes are to swing."""

    swing_mode: Words
    """For instance `off` or `vertical`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetHumidity:
    """How damp the air is to be."""

    humidity: Percent


CLIMATE = Domain(
    name="climate",
    description="Thermostats and air conditioning.",
    states=("off", "heat", "cool", "heat_cool", "auto", "dry", "fan_only"),
    attributes={
        "temperature": "how warm it is to be, in the house's unit",
        "target_temp_low": "lowest temperature it lets be, in the house's unit",
        "target_temp_high": "highest temperature it lets be, in the house's unit",
        "current_temperature": "how warm it is, in the house's unit",
        "current_humidity": "percent",
        "humidity": "how damp it is to be, percent",
        "min_temp": "lowest setting, in the house's unit",
        "max_temp": "highest setting, in the house's unit",
        "target_temp_step": "step of the setting",
        "hvac_modes": "modes it knows",
        "hvac_action": "what it does at the moment: `heating`, `cooling`, `idle`, `off`, …",
        "preset_mode": "the preset that holds",
        "preset_modes": "presets it knows",
        "fan_mode": "how its fan blows",
        "fan_modes": "ways its fan can blow",
    },
    actions=(
        Action(
            name="set_temperature",
            description="Set the temperature that thermostats are to reach.",
            parameters=SetTemperature,
        ),
        Action(
            name="set_hvac_mode", description="Let thermostats heat, cool, or rest.", parameters=SetHvacMode
        ),
        Action(name="set_preset_mode", description="Choose a preset.", parameters=SetPresetMode),
        Action(name="set_fan_mode", description="Choose how the fan blows.", parameters=SetFanMode),
        Action(name="set_swing_mode", description="Choose how the vanes swing.", parameters=SetSwingMode),
        Action(name="set_humidity", description="Set the humidity to reach.", parameters=SetHumidity),
        Action(name="turn_on", description="Turn thermostats on, in the mode they had."),
        Action(name="turn_off", description="Turn thermostats off."),
        Action(name="toggle", description="Turn on what is off, and off what is on.", repeatable=False),
    ),
)
