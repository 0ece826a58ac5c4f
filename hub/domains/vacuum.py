"""Robots that clean floors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from voluptuous import Length

from hub.domains.domain import Action, Domain
from hub.domains.ranges import Words
from hub.values.tool import Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanArea:
    """Which rooms are to be cleaned."""

    cleaning_area_id: Annotated[tuple[str, ...], Length(min=1)]
    """Ids of areas of the house."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFanSpeed:
    """How strong it is to suck."""

    fan_speed: Words
    """One of the robot's own speeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SendCommand:
    """A command in the robot's own language."""

    command: Words
    params: Mapping[str, Any] = field(default_factory=dict)
    """What goes with the command."""


VACUUM = Domain(
    name="vacuum",
    description="Robots that clean floors.",
    states=("cleaning", "docked", "idle", "paused", "returning", "error"),
    attributes={
        "battery_level": "percent",
        "fan_speed": "how strong it sucks",
        "fan_speed_list": "speeds it knows",
    },
    actions=(
        Action(name="start", description="Start cleaning, or go on."),
        Action(name="pause", description="Pause cleaning."),
        Action(name="start_pause", description="Pause what cleans, start what does not.", repeatable=False),
        Action(name="stop", description="Stop cleaning."),
        Action(name="return_to_base", description="Go back to the dock."),
        Action(name="clean_spot", description="Clean around where it stands."),
        Action(name="clean_area", description="Clean the named rooms.", parameters=CleanArea),
        Action(name="locate", description="Make a sound, so that it can be found."),
        Action(name="set_fan_speed", description="Choose how strong it sucks.", parameters=SetFanSpeed),
        Action(
            name="send_command",
            description="Send a command in the robot's own language.",
            parameters=SendCommand,
            effect=Effect.DANGER,
            repeatable=False,
        ),
    ),
)
