"""Choices among options."""

from __future__ import annotations

from dataclasses import dataclass

from hub.domains.domain import Action, Domain
from hub.domains.ranges import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectOption:
    """What is to be chosen."""

    option: Words


SELECT = Domain(
    name="select",
    description="Choices among options; the state is the option that holds.",
    attributes={"options": "what can be chosen"},
    actions=(
        Action(name="select_option", description="Choose an option.", parameters=SelectOption),
        Action(name="select_first", description="Choose the first option."),
        Action(name="select_last", description="Choose the last option."),
        Action(name="select_next", description="Choose the next option.", repeatable=False),
        Action(name="select_previous", description="Choose the option before.", repeatable=False),
    ),
)
