"""A call that was understood and may run: everything that policy and audit need to know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hub.door.mask import Mask
from hub.values.thing import Thing
from hub.values.tool import Caller, Effect, Tool, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One call with its tool found, its arguments valid, its things resolved and its effect known."""

    call: ToolCall
    """As it was made, with validated arguments."""
    tool: Tool
    things: tuple[Thing, ...]
    effect: Effect
    """The strictest over all things."""
    caller: Caller
    mask: Mask
    shown: Mapping[str, Any]
    """The arguments as they may be written down."""

    @property
    def targets(self) -> tuple[str, ...]:
        """Ids of the things."""
        return tuple(thing.id for thing in self.things)
