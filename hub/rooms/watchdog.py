"""The watchdog of a station: nothing stands longer than its table allows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from hub.rooms.config import RoomLimits
from hub.rooms.inbox import Stuck
from hub.stages.satellite import Indication


class Watchdog:
    """Tells of an indication that stands too long. The event loop's thread only."""

    def __init__(
        self,
        tell: Callable[[Stuck], None],
        limits: Callable[[], RoomLimits],
        longest_utterance: Callable[[], float],
    ) -> None:
        self._tell = tell
        self._limits = limits
        self._longest_utterance = longest_utterance
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, indication: Indication) -> None:
        """Watch this one from now on, instead of the one before."""
        self.stop()
        longest = self._longest(indication)
        if longest is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(longest, self._tell, Stuck(indication, longest))

    def stop(self) -> None:
        """Watch nothing."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _longest(self, indication: Indication) -> float | None:
        limits = self._limits()
        if indication == "listening":
            return self._longest_utterance() + limits.listening
        return {"thinking": limits.thinking, "speaking": limits.speaking}.get(indication)
