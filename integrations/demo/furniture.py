"""What stands in the demo house, room by room."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import reactions
from .reactions import React

KITCHEN, LIVING_ROOM, BEDROOM, GARAGE = "kitchen", "living_room", "bedroom", "garage"
_ON_OFF = ("on", "off")
_DIMMED: Mapping[str, Any] = {
    "supported_color_modes": ["brightness"],
    "color_mode": None,
    "brightness": None,
}
_COLORED: Mapping[str, Any] = {
    "supported_color_modes": ["color_temp", "rgb"],
    "color_mode": None,
    "brightness": None,
    "rgb_color": None,
    "color_temp_kelvin": None,
    "min_color_temp_kelvin": 2000,
    "max_color_temp_kelvin": 6500,
}
_PLAIN: Mapping[str, Any] = {"supported_color_modes": ["onoff"], "color_mode": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One thing of the demo house."""

    id: str
    name: str
    area: str | None = None
    aliases: tuple[str, ...] = ()
    device_class: str | None = None
    state: str
    attributes: Mapping[str, Any] = field(default_factory=dict)
    react: React | None = None
    """None for what can only be read."""
    states: tuple[str, ...] = _ON_OFF
    """States it may have had before a restart."""
    actions: frozenset[str] | None = None
    """None: all of its domain."""


def rooms(units: str) -> tuple[Piece, ...]:
    """Return the things of the four rooms, in `metric` or `imperial` units."""
    return (*_kitchen(units), *_living_room(units), *_bedroom(units), *_garage())


def extra_lights(names: Iterable[str]) -> tuple[Piece, ...]:
    """Return a lamp that can be dimmed for each name."""
    return tuple(_light(_slug(name), name, None, _DIMMED) for name in names)


def _kitchen(units: str) -> tuple[Piece, ...]:
    return (
        _light("kitchen_lamp", "Kitchen lamp", KITCHEN, _DIMMED, "kitchen light"),
        _light("counter_light", "Counter light", KITCHEN, _PLAIN),
        Piece(
            id="switch.coffee_machine",
            name="Coffee machine",
            area=KITCHEN,
            device_class="outlet",
            state="off",
            react=reactions.switch,
        ),
        _temperature("kitchen", "Kitchen", KITCHEN, 21.4, units),
        _sees("kitchen_window", "Kitchen window", KITCHEN, "window"),
    )


def _living_room(units: str) -> tuple[Piece, ...]:
    return (
        _light("living_room_lamp", "Living room lamp", LIVING_ROOM, _COLORED),
        _light("reading_lamp", "Reading lamp", LIVING_ROOM, _DIMMED),
        Piece(
            id="cover.living_room_blind",
            name="Living room blind",
            area=LIVING_ROOM,
            device_class="blind",
            state="open",
            states=("open", "closed"),
            attributes={"current_position": 100},
            react=reactions.cover,
            actions=frozenset({"open_cover", "close_cover", "stop_cover", "toggle", "set_cover_position"}),
        ),
        _thermostat(units),
        _temperature("living_room", "Living room", LIVING_ROOM, 20.5, units),
        Piece(
            id="lock.front_door",
            name="Front door",
            area=LIVING_ROOM,
            state="locked",
            states=("locked", "unlocked"),
            react=reactions.lock,
            actions=frozenset({"lock", "unlock"}),
        ),
        _sees("living_room_motion", "Living room motion", LIVING_ROOM, "motion"),
    )


def _bedroom(units: str) -> tuple[Piece, ...]:
    return (
        _light("bedroom_lamp", "Bedroom lamp", BEDROOM, _COLORED),
        Piece(
            id="fan.bedroom_fan",
            name="Bedroom fan",
            area=BEDROOM,
            state="off",
            attributes={"percentage": 0, "percentage_step": 1, "oscillating": False},
            react=reactions.fan,
            actions=frozenset(
                {
                    "turn_on",
                    "turn_off",
                    "toggle",
                    "set_percentage",
                    "increase_speed",
                    "decrease_speed",
                    "oscillate",
                }
            ),
        ),
        _temperature("bedroom", "Bedroom", BEDROOM, 18.9, units),
        Piece(
            id="sensor.bedroom_humidity",
            name="Bedroom humidity",
            area=BEDROOM,
            device_class="humidity",
            state="47",
            attributes={"unit_of_measurement": "%", "state_class": "measurement"},
        ),
        _sees("bedroom_window", "Bedroom window", BEDROOM, "window"),
    )


def _garage() -> tuple[Piece, ...]:
    return (
        _light("garage_light", "Garage light", GARAGE, _PLAIN),
        Piece(
            id="cover.garage_door",
            name="Garage door",
            area=GARAGE,
            device_class="garage",
            state="closed",
            states=("open", "closed"),
            react=reactions.cover,
            actions=frozenset({"open_cover", "close_cover", "stop_cover", "toggle"}),
        ),
        _sees("garage_motion", "Garage motion", GARAGE, "motion"),
    )


def _light(key: str, name: str, area: str | None, modes: Mapping[str, Any], *aliases: str) -> Piece:
    return Piece(
        id=f"light.{key}",
        name=name,
        area=area,
        aliases=aliases,
        state="off",
        attributes=modes,
        react=reactions.light,
    )


def _thermostat(units: str) -> Piece:
    warmth = (21.0, 20.5, 7.0, 35.0, 0.5) if units == "metric" else (70.0, 69.0, 45.0, 95.0, 1.0)
    wanted, now, low, high, step = warmth
    return Piece(
        id="climate.thermostat",
        name="Thermostat",
        area=LIVING_ROOM,
        state="heat",
        states=("off", "heat", "auto"),
        attributes={
            "temperature": wanted,
            "current_temperature": now,
            "min_temp": low,
            "max_temp": high,
            "target_temp_step": step,
            "hvac_modes": ["off", "heat", "auto"],
            "hvac_action": "heating",
            "preset_mode": "comfort",
            "preset_modes": ["comfort", "eco", "away"],
        },
        react=reactions.thermostat,
        actions=frozenset(
            {"set_temperature", "set_hvac_mode", "set_preset_mode", "turn_on", "turn_off", "toggle"}
        ),
    )


def _temperature(key: str, room: str, area: str, celsius: float, units: str) -> Piece:
    value, unit = (celsius, "°C") if units == "metric" else (round(celsius * 1.8 + 32, 1), "°F")
    return Piece(
        id=f"sensor.{key}_temperature",
        name=f"{room} temperature",
        area=area,
        device_class="temperature",
        state=f"{value:g}",
        attributes={"unit_of_measurement": unit, "state_class": "measurement"},
    )


def _sees(key: str, name: str, area: str, device_class: str) -> Piece:
    return Piece(id=f"binary_sensor.{key}", name=name, area=area, device_class=device_class, state="off")


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_") or "lamp"
