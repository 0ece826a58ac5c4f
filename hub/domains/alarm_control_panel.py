"""Alarm systems."""

from __future__ import annotations

from dataclasses import dataclass

from hub.domains.domain import Action, Domain
from hub.domains.ranges import Code
from hub.values.tool import Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class WithCode:
    """What an alarm system may ask for."""

    code: Code | None = None
    """The system's code, if it wants one; never written down."""


def _arm(name: str, description: str) -> Action:
    return Action(name=name, description=description, parameters=WithCode)


ALARM_CONTROL_PANEL = Domain(
    name="alarm_control_panel",
    description="Alarm systems.",
    states=(
        "disarmed",
        "armed_home",
        "armed_away",
        "armed_night",
        "armed_vacation",
        "armed_custom_bypass",
        "arming",
        "disarming",
        "pending",
        "triggered",
    ),
    attributes={"code_format": "`number` or `text`; None if it wants no code"},
    actions=(
        _arm("alarm_arm_home", "Arm for people who are at home."),
        _arm("alarm_arm_away", "Arm for an empty house."),
        _arm("alarm_arm_night", "Arm for the night."),
        _arm("alarm_arm_vacation", "Arm for the holidays."),
        _arm("alarm_arm_custom_bypass", "Arm without the sensors that were left out."),
        Action(name="alarm_disarm", description="Disarm.", parameters=WithCode, effect=Effect.DANGER),
        Action(
            name="alarm_trigger",
            description="Sound the alarm.",
            parameters=WithCode,
            effect=Effect.DANGER,
        ),
    ),
)
