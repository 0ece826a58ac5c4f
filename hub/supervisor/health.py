"""How a child has been doing since the hub started it first."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Counts since the hub started it first."""

    starts: int = 0
    """How often it became ready."""
    crashes: int = 0
    """How often it ended, or was killed because it hung, without having been asked to."""
    failures: int = 0
    """Crashes in a row, without an answered request between them."""
    last_reason: str | None = None
    """Why it ended last, also when it is well again."""
    memory: int | None = None
    """Megabytes that it held when somebody looked last; None: not running, or the system does not say."""
