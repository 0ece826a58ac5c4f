"""Robots that mow."""

from __future__ import annotations

from hub.domains.domain import Action, Domain

LAWN_MOWER = Domain(
    name="lawn_mower",
    description="Robots that mow the lawn.",
    states=("mowing", "docked", "paused", "returning", "error"),
    actions=(
        Action(name="start_mowing", description="Start mowing, or go on."),
        Action(name="pause", description="Pause mowing."),
        Action(name="dock", description="Stop mowing and go back to the dock."),
    ),
)
