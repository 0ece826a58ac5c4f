"""Valves for water and gas."""

from __future__ import annotations

from dataclasses import dataclass

from hub.domains.domain import Action, Domain
from hub.domains.ranges import Percent
from hub.values.thing import Thing
from hub.values.tool import Effect


def opening(thing: Thing) -> Effect:
    """Return what it means to open a valve: danger where gas flows."""
    return Effect.DANGER if thing.device_class == "gas" else Effect.WRITE


@dataclass(frozen=True, slots=True, kw_only=True)
class SetValvePosition:
    """How far a valve is to open."""

    position: Percent
    """0 % is closed, 100 % is open."""


VALVE = Domain(
    name="valve",
    description="Valves for water and gas.",
    states=("open", "opening", "closed", "closing"),
    attributes={"current_position": "0 % is closed, 100 % is open"},
    device_classes=("gas", "water"),
    actions=(
        Action(name="open_valve", description="Open valves.", effect=opening),
        Action(name="close_valve", description="Close valves."),
        Action(name="stop_valve", description="Stop valves where they are."),
        Action(
            name="toggle",
            description="Open valves that are closed, and close those that are open.",
            effect=opening,
            repeatable=False,
        ),
        Action(
            name="set_valve_position",
            description="Move valves to a position.",
            parameters=SetValvePosition,
            effect=opening,
        ),
    ),
)
