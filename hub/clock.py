"""Time as the house sees it: monotonic for waits, its own zone for words and triggers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo


@dataclass(frozen=True, slots=True)
class Clock:
    """The house's clock. Waits use the event loop's time, so a test's virtual loop moves both."""

    zone: tzinfo = UTC
    """The time zone of the house, whatever the container says."""

    def now(self) -> datetime:
        """This moment, aware, in the house's zone."""
        return datetime.now(self.zone)

    def monotonic(self) -> float:
        """Seconds that never jump; only differences mean anything."""
        return asyncio.get_running_loop().time()
