"""Buttons."""

from __future__ import annotations

from hub.domains.domain import Action, Domain

BUTTON = Domain(
    name="button",
    description="Buttons; the state is when one was last pressed.",
    device_classes=("identify", "restart", "update"),
    actions=(Action(name="press", description="Press buttons.", repeatable=False),),
)
