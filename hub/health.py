"""The state `integration.<name>`: one word, the reason, and facts that tell more."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from hub.states import States


class Health:
    """Writes the state of one instance. A new word is written at once, with all facts; facts, which
    may change with every request, `pause` seconds after the first change. The loop's thread only."""

    def __init__(self, states: States, name: str, kind: str, pause: float) -> None:
        self._states = states
        self._entity = f"integration.{name}"
        self._kind = kind
        self._pause = pause
        self._word = "opening"
        self._more: Mapping[str, Any] = {}
        self._facts: dict[str, Any] = {}
        self._timer: asyncio.TimerHandle | None = None

    def show(self, word: str, **more: Any) -> None:
        """Say what the instance is now; `more` stands beside the facts until the next word."""
        self._word, self._more = word, more
        self._write()

    def tell(self, facts: Mapping[str, Any]) -> None:
        """Merge facts into the attributes; None as a value removes one."""
        known = {**self._facts, **facts}
        known = {key: value for key, value in known.items() if value is not None}
        if known == self._facts:
            return
        self._facts = known
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._pause, self._write)

    def forget(self) -> None:
        """Drop the facts, which belong to one time of being open; the next word shows it."""
        self._facts = {}

    def remove(self) -> None:
        """Take the state away."""
        self._stop()
        self._states.remove(self._entity)

    def _write(self) -> None:
        self._stop()
        attributes = {"type": self._kind, **self._more, **self._facts}
        self._states.set(self._entity, self._word, attributes)

    def _stop(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
