"""Whether an engine is asked before the others of its chain, and what is known of its work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hub.engines.limits import EngineLimits
from hub.errors import EarnestError, EngineTimeout, EngineUnavailable


class Standing:
    """An engine is up until a request fails or misses its deadline, or its instance says that it
    cannot work. It is up again when a request succeeds, or its instance says that it is back: that
    word counts for an engine that was not there, and only once until a request has succeeded.
    Requests that are busy, cancelled or given up change nothing. The event loop's thread only.
    """

    def __init__(self, limits: EngineLimits, changed: Callable[[], None] | None = None) -> None:
        """`changed()` is called after every change."""
        self._limits = limits
        self._changed = changed or (lambda: None)
        self._counts = {"requests": 0, "failures": 0, "timeouts": 0, "busy": 0}
        self._last_reason: str | None = None
        self._trouble: str | None = None
        self._down: str | None = None
        self._fell = 0.0
        """Loop time of the last failure that began after the one before."""
        self._in_row = 0
        self._was_absent = False
        self._is_word_spent = False

    @property
    def why_down(self) -> str | None:
        """Why others are asked first; None while it is up."""
        return self._down or self._trouble

    @property
    def due(self) -> float | None:
        """Loop time from which on it may be tried again; None while it is up."""
        if self._down is None:
            return None
        return self._fell + min(
            self._limits.cool_down * 2.0 ** min(self._in_row - 1, 32), self._limits.cool_down_longest
        )

    @property
    def may_be_tried(self) -> bool:
        """Whether it is down and has been so for its cool-down."""
        due = self.due
        return due is not None and not self._trouble and asyncio.get_running_loop().time() >= due

    def facts(self) -> dict[str, Any]:
        """Return its counts and the reason of its last failure."""
        return {**self._counts, "last_reason": self._last_reason}

    def asked(self) -> None:
        """Take note of a request."""
        self._counts["requests"] += 1
        self._changed()

    def worked(self) -> None:
        """Take note that a request was answered."""
        self._down, self._in_row, self._is_word_spent = None, 0, False
        self._changed()

    def refused(self) -> None:
        """Take note that a request found no place in the line."""
        self._counts["busy"] += 1
        self._changed()

    def failed(self, error: Exception, began: float) -> None:
        """Take note that a request, begun at that loop time, failed through the engine's fault."""
        self._counts["failures"] += 1
        self._counts["timeouts"] += isinstance(error, (EngineTimeout, TimeoutError))
        self._last_reason = reason_of(error)
        if self._down is None or began >= self._fell:
            self._down = self._last_reason
            self._fell = asyncio.get_running_loop().time()
            self._in_row += 1
            self._was_absent = isinstance(error, EngineUnavailable)
        self._changed()

    def told(self, trouble: str | None) -> None:
        """Take the word of the instance that it cannot work, and why; None: that it can again."""
        is_back = self._trouble is not None and trouble is None
        self._trouble = trouble
        if is_back and self._down and self._was_absent and not self._is_word_spent:
            self._down, self._is_word_spent = None, True
        self._changed()


def reason_of(error: Exception) -> str:
    """Return why it failed, in one line."""
    text = " ".join(str(error).split())
    if isinstance(error, EarnestError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
