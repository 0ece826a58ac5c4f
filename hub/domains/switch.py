"""Switches and sockets."""

from __future__ import annotations

from hub.domains.domain import Action, Domain

SWITCH = Domain(
    name="switch",
    description="Switches and sockets.",
    states=("on", "off"),
    device_classes=("outlet", "switch"),
    actions=(
        Action(name="turn_on", description="Switch on."),
        Action(name="turn_off", description="Switch off."),
        Action(name="toggle", description="Switch on what is off, and off what is on.", repeatable=False),
    ),
)
