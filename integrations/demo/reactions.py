"""How each kind of thing becomes another when it is told to: old state in, new state out."""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Mapping
from typing import Any

from hub import COLORS, ToolError

Attributes = Mapping[str, Any]
Now = tuple[str, Attributes]
React = Callable[[str, Attributes, str, Attributes], Now]
"""`react(action, arguments, state, attributes)` returns state and attributes, or raises `ToolError`."""

_FULL = 255
_SPEED_STEP = 25
_COLORED = ("color_name", "rgb_color", "hs_color", "color_temp_kelvin")


def turned(action: str, state: str) -> str:
    """Return `on` or `off` after `turn_on`, `turn_off` or `toggle`."""
    if action == "toggle":
        return "off" if state == "on" else "on"
    if action in ("turn_on", "turn_off"):
        return action.removeprefix("turn_")
    raise ToolError(f"This cannot do {action}.")


def switch(action: str, arguments: Attributes, state: str, attributes: Attributes) -> Now:
    """A switch."""
    return turned(action, state), attributes


def light(action: str, arguments: Attributes, state: str, attributes: Attributes) -> Now:
    """A lamp; what it can do stands in its `supported_color_modes`."""
    modes = attributes.get("supported_color_modes", ["onoff"])
    if turned(action, state) == "off":
        return "off", _dark(attributes)
    brightness = _brightness(arguments, attributes)
    if brightness is not None and modes == ["onoff"]:
        raise ToolError("This lamp cannot be dimmed.")
    if brightness == 0:
        return "off", _dark(attributes)
    lit = {**attributes, **_color(arguments, attributes, modes)}
    if modes != ["onoff"]:
        lit["brightness"] = brightness or attributes.get("brightness") or _FULL
    if not lit.get("color_mode"):
        lit["color_mode"] = modes[0]
    return "on", lit


def _dark(attributes: Attributes) -> Attributes:
    shining = ("brightness", "color_mode", "rgb_color", "color_temp_kelvin")
    return {**attributes, **{name: None for name in shining if name in attributes}}


def _brightness(arguments: Attributes, attributes: Attributes) -> int | None:
    """Return the brightness that is asked for, 0 to 255, or None if nothing is said of it."""
    now = attributes.get("brightness") or 0
    wanted: float
    if "brightness" in arguments:
        wanted = arguments["brightness"]
    elif "brightness_pct" in arguments:
        wanted = arguments["brightness_pct"] * _FULL / 100
    elif "brightness_step" in arguments:
        wanted = now + arguments["brightness_step"]
    elif "brightness_step_pct" in arguments:
        wanted = now + arguments["brightness_step_pct"] * _FULL / 100
    else:
        return None
    return min(_FULL, max(0, round(wanted)))


def _color(arguments: Attributes, attributes: Attributes, modes: list[str]) -> Attributes:
    """Return the attributes that the asked colour changes."""
    refused = [name for name in ("xy_color", "white", "effect") if name in arguments]
    asked = [name for name in _COLORED if name in arguments]
    if refused or (asked and "rgb" not in modes):
        raise ToolError(f"This lamp does not know {(refused + asked)[0]}.")
    if not asked:
        return {}
    value = arguments[asked[0]]
    if asked[0] == "color_temp_kelvin":
        low, high = attributes["min_color_temp_kelvin"], attributes["max_color_temp_kelvin"]
        if not low <= value <= high:
            raise ToolError(f"This lamp shines white from {low} to {high} kelvin.")
        return {"color_mode": "color_temp", "color_temp_kelvin": value, "rgb_color": None}
    return {"color_mode": "rgb", "rgb_color": _rgb(asked[0], value), "color_temp_kelvin": None}


def _rgb(kind: str, value: Any) -> list[int]:
    if kind == "color_name":
        if value not in COLORS:
            raise ToolError(f"There is no colour '{value}'.")
        return list(COLORS[value])
    if kind == "hs_color":
        return [round(part * _FULL) for part in colorsys.hsv_to_rgb(value[0] / 360, value[1] / 100, 1)]
    return list(value)


def cover(action: str, arguments: Attributes, state: str, attributes: Attributes) -> Now:
    """A blind with a position, or a garage door without one."""
    if action == "stop_cover":
        return state, attributes
    if action == "set_cover_position":
        if "current_position" not in attributes:
            raise ToolError("This can only be opened and closed.")
        position = round(arguments["position"])
    elif action == "toggle":
        position = 100 if state == "closed" else 0
    elif action in ("open_cover", "close_cover"):
        position = 100 if action == "open_cover" else 0
    else:
        raise ToolError(f"This cannot do {action}.")
    moved = {"current_position": position} if "current_position" in attributes else {}
    return "open" if position else "closed", {**attributes, **moved}


def lock(action: str, arguments: Attributes, state: str, attributes: Attributes) -> Now:
    """A lock that wants no code."""
    if action not in ("lock", "unlock"):
        raise ToolError(f"This cannot do {action}.")
    return f"{action}ed", attributes


def thermostat(action: str, arguments: Attributes, state: str, attributes: Attributes) -> Now:
    """A thermostat for a radiator: `off`, `heat` or `auto`."""
    after = dict(attributes)
    if action == "set_temperature":
        after["temperature"] = _setting(arguments, attributes)
        state = _mode(arguments.get("hvac_mode", state), attributes)
    elif action == "set_hvac_mode":
        state = _mode(arguments["hvac_mode"], attributes)
    elif action == "set_preset_mode":
        after["preset_mode"] = _one_of(arguments["preset_mode"], attributes["preset_modes"])
    elif action == "toggle":
        state = "heat" if state == "off" else "off"
    else:
        state = "off" if turned(action, state) == "off" else "heat" if state == "off" else state
    is_cold = after["current_temperature"] < after["temperature"]
    after["hvac_action"] = "off" if state == "off" else "heating" if is_cold else "idle"
    return state, after


def _setting(arguments: Attributes, attributes: Attributes) -> float:
    low, high = attributes["min_temp"], attributes["max_temp"]
    wanted = arguments.get("temperature")
    if wanted is None:
        raise ToolError("This thermostat takes one temperature.")
    if not low <= wanted <= high:
        raise ToolError(f"This thermostat can be set from {low:g} to {high:g} degrees.")
    return float(wanted)


def _mode(wanted: str, attributes: Attributes) -> str:
    return _one_of(wanted, attributes["hvac_modes"])


def _one_of(wanted: str, known: list[str]) -> str:
    if wanted not in known:
        raise ToolError(f"This knows {', '.join(known)}, not {wanted}.")
    return wanted


def fan(action: str, arguments: Attributes, state: str, attributes: Attributes) -> Now:
    """A fan with a speed that can swing."""
    speed = attributes.get("percentage") or 0
    if action == "oscillate":
        return state, {**attributes, "oscillating": arguments["oscillating"]}
    if action == "set_percentage":
        speed = arguments["percentage"]
    elif action in ("increase_speed", "decrease_speed"):
        step = arguments.get("percentage_step", _SPEED_STEP)
        speed += step if action == "increase_speed" else -step
    elif turned(action, state) == "off":
        speed = 0
    else:
        speed = arguments.get("percentage", speed or 100)
    speed = min(100, max(0, round(speed)))
    return "on" if speed else "off", {**attributes, "percentage": speed}
