"""Locks."""

from __future__ import annotations

from dataclasses import dataclass

from hub.domains.domain import Action, Domain
from hub.domains.ranges import Code
from hub.values.tool import Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class WithCode:
    """What a lock may ask for."""

    code: Code | None = None
    """The lock's code, if it wants one; never written down."""


LOCK = Domain(
    name="lock",
    description="Locks of doors.",
    states=("locked", "unlocked", "locking", "unlocking", "open", "opening", "jammed"),
    attributes={"code_format": "regular expression of its code; None if it wants none"},
    actions=(
        Action(name="lock", description="Lock.", parameters=WithCode),
        Action(name="unlock", description="Unlock.", parameters=WithCode, effect=Effect.DANGER),
        Action(
            name="open",
            description="Unlatch, so that the door opens.",
            parameters=WithCode,
            effect=Effect.DANGER,
        ),
    ),
)
