"""Scripts that an integration brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hub.domains.domain import Action, Domain


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOn:
    """What a script is told."""

    variables: Mapping[str, Any] = field(default_factory=dict)


SCRIPT = Domain(
    name="script",
    description="Scripts; on while they run.",
    states=("on", "off"),
    attributes={"last_triggered": "when it last ran"},
    actions=(
        Action(name="turn_on", description="Run scripts.", parameters=TurnOn, repeatable=False),
        Action(name="turn_off", description="Stop scripts."),
        Action(name="toggle", description="Run what rests, and stop what runs.", repeatable=False),
    ),
)
