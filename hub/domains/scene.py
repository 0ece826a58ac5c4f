"""Scenes."""

from __future__ import annotations

from dataclasses import dataclass

from hub.domains.domain import Action, Domain
from hub.domains.ranges import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOn:
    """How a scene comes about."""

    transition: Seconds | None = None
    """Seconds until all is as it should be."""


SCENE = Domain(
    name="scene",
    description="Scenes; the state is when one was last chosen.",
    actions=(Action(name="turn_on", description="Let scenes be.", parameters=TurnOn),),
)
