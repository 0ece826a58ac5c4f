"""Numbers that can be set."""

from __future__ import annotations

from dataclasses import dataclass

from hub.domains.domain import Action, Domain


@dataclass(frozen=True, slots=True, kw_only=True)
class SetValue:
    """What the number is to be."""

    value: float


NUMBER = Domain(
    name="number",
    description="Numbers that can be set; the state is the number.",
    attributes={
        "min": "smallest value",
        "max": "largest value",
        "step": "step between values",
        "unit_of_measurement": "its unit",
    },
    actions=(Action(name="set_value", description="Set numbers.", parameters=SetValue),),
)
