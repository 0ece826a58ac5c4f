"""How long and how much goes through the door."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from voluptuous import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorLimits:
    """Limits of the door, under `limits:`."""

    tool_timeout: Annotated[float, Range(min=0.01)] = 10.0
    """Seconds a tool may run that does not say otherwise."""
    thing_timeout: Annotated[float, Range(min=0.01)] = 8.0
    """Seconds each thing may take for an action; below `tool_timeout`, so that the others' answers count."""
    most_running: Annotated[int, Range(min=1)] = 500
    """Calls that may run at the same time."""
    most_hops: Annotated[int, Range(min=1)] = 16
    """Links a caller's chain may have; a script that calls itself ends there."""
    close_wait: Annotated[float, Range(min=0)] = 2.0
    """Seconds that running tools are given when the hub stops; then they are cancelled."""
