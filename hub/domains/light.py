"""Lamps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from voluptuous import Range

from hub.config.schema import near
from hub.domains.domain import Action, Domain
from hub.domains.ranges import Percent, Seconds, Step, Words
from hub.values.color import COLORS

_Byte = Annotated[int, Range(min=0, max=255)]


def color_name(word: str) -> str:
    """Return a colour's name as CSS writes it; raises `ValueError` for a colour it does not know."""
    name = "".join(word.casefold().split())
    if name not in COLORS:
        raise ValueError(f"there is no colour '{word[:60]}'{near(name, COLORS)}")
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOn:
    """How a lamp is to shine; what is not given stays as it was."""

    brightness: _Byte | None = None
    """0 to 255."""
    brightness_pct: Percent | None = None
    """0 to 100 %."""
    brightness_step: Annotated[int, Range(min=-255, max=255)] | None = None
    """Change of the brightness, -255 to 255."""
    brightness_step_pct: Step | None = None
    """Change of the brightness in percent of full brightness, -100 to 100."""
    color_name: Annotated[str, color_name] | None = None
    """A colour's name as CSS knows it, for instance `red`."""
    rgb_color: tuple[_Byte, _Byte, _Byte] | None = None
    """Red, green and blue, each 0 to 255."""
    hs_color: tuple[Annotated[float, Range(min=0, max=360)], Percent] | None = None
    """Hue in degrees, 0 to 360, and saturation, 0 to 100 %."""
    xy_color: tuple[Annotated[float, Range(min=0, max=1)], Annotated[float, Range(min=0, max=1)]] | None = (
        None
    )
    """The colour in the CIE 1931 diagram, each 0 to 1."""
    color_temp_kelvin: Annotated[int, Range(min=1000, max=20_000)] | None = None
    """Colour temperature in kelvin; 2700 is warm, 6500 is cold."""
    white: _Byte | None = None
    """Brightness of the white light of a coloured lamp, 0 to 255."""
    transition: Seconds | None = None
    """Seconds until it shines so."""
    flash: Literal["short", "long"] | None = None
    """Blink once."""
    effect: Words | None = None
    """An effect that the lamp knows."""

    def __post_init__(self) -> None:
        _at_most_one(self, "brightness", "brightness_pct", "brightness_step", "brightness_step_pct")
        _at_most_one(self, "color_name", "rgb_color", "hs_color", "xy_color", "color_temp_kelvin", "white")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOff:
    """How a lamp is to go out."""

    transition: Seconds | None = None
    """Seconds until it is dark."""
    flash: Literal["short", "long"] | None = None
    """Blink once."""


def _at_most_one(parameters: TurnOn, *names: str) -> None:
    given = [name for name in names if getattr(parameters, name) is not None]
    if len(given) > 1:
        raise ValueError(f"give only one of {', '.join(given)}")


LIGHT = Domain(
    name="light",
    description="Lamps and whatever else shines.",
    states=("on", "off"),
    attributes={
        "brightness": "0 to 255; None when it is off or cannot be dimmed",
        "color_mode": "which of its modes the lamp shines in",
        "supported_color_modes": "list of `onoff`, `brightness`, `color_temp`, `hs`, `rgb`, `xy`, `white`",
        "rgb_color": "red, green and blue, each 0 to 255",
        "hs_color": "hue in degrees, saturation in percent",
        "color_temp_kelvin": "colour temperature in kelvin",
        "min_color_temp_kelvin": "warmest white in kelvin",
        "max_color_temp_kelvin": "coldest white in kelvin",
        "effect": "the effect that runs",
        "effect_list": "effects it knows",
    },
    actions=(
        Action(name="turn_on", description="Turn lamps on, or change how they shine.", parameters=TurnOn),
        Action(name="turn_off", description="Turn lamps off.", parameters=TurnOff),
        Action(
            name="toggle",
            description="Turn lamps on that are off, and off that are on.",
            parameters=TurnOn,
            repeatable=False,
        ),
    ),
)
