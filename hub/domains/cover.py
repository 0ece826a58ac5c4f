"""Blinds, curtains, shutters, and the doors and gates that a motor opens."""

from __future__ import annotations

from dataclasses import dataclass

from hub.domains.domain import Action, Domain
from hub.domains.ranges import Percent
from hub.values.thing import Thing
from hub.values.tool import Effect

ENTRANCES = frozenset({"door", "garage", "gate", "window"})
"""Device classes of covers through which somebody can come in."""


def opening(thing: Thing) -> Effect:
    """Return what it means to open a cover: danger where somebody can come in."""
    return Effect.DANGER if thing.device_class in ENTRANCES else Effect.WRITE


@dataclass(frozen=True, slots=True, kw_only=True)
class SetCoverPosition:
    """Where a cover is to go."""

    position: Percent
    """0 % is closed, 100 % is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetCoverTiltPosition:
    """How its slats are to stand."""

    tilt_position: Percent
    """0 % is closed, 100 % is open."""


COVER = Domain(
    name="cover",
    description="Blinds, curtains and shutters; garage doors, gates, doors and windows that a motor opens.",
    states=("open", "opening", "closed", "closing"),
    attributes={
        "current_position": "0 % is closed, 100 % is open",
        "current_tilt_position": "0 % is closed, 100 % is open",
        "is_closed": "whether it is closed",
    },
    device_classes=(
        "awning",
        "blind",
        "curtain",
        "damper",
        "door",
        "garage",
        "gate",
        "shade",
        "shutter",
        "window",
    ),
    actions=(
        Action(name="open_cover", description="Open covers.", effect=opening),
        Action(name="close_cover", description="Close covers."),
        Action(name="stop_cover", description="Stop covers where they are."),
        Action(
            name="toggle",
            description="Open covers that are closed, and close those that are open.",
            effect=opening,
            repeatable=False,
        ),
        Action(
            name="set_cover_position",
            description="Move covers to a position.",
            parameters=SetCoverPosition,
            effect=opening,
        ),
        Action(name="open_cover_tilt", description="Open the slats of covers."),
        Action(name="close_cover_tilt", description="Close the slats of covers."),
        Action(name="stop_cover_tilt", description="Stop the slats of covers where they are."),
        Action(
            name="toggle_cover_tilt",
            description="Open slats that are closed, and close those that are open.",
            repeatable=False,
        ),
        Action(
            name="set_cover_tilt_position",
            description="Turn the slats of covers to a position.",
            parameters=SetCoverTiltPosition,
        ),
    ),
)
