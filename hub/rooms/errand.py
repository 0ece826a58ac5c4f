"""What a satellite is asked for from elsewhere: to say something, and perhaps to listen for an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

from hub.errors import ToolError
from hub.pipeline.turn import Turn
from hub.rooms.expected import Expected

Kind = Literal["announcement", "question", "conversation"]
RANKS: Mapping[str, int] = {"high": 0, "normal": 1, "low": 2}
"""Which priority comes first."""

talking: ContextVar[frozenset[str]] = ContextVar("talking", default=frozenset())
"""The satellites in whose turns the present code runs: what waits for their end must not wait in them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """How an answer is waited for."""

    expected: Expected
    wait: float
    """Seconds for speech to begin."""
    retries: int
    """How often it is asked again."""


class Errand:
    """One wish, from the queue to its result. The event loop's thread only."""

    def __init__(
        self,
        kind: Kind,
        message: str,
        *,
        priority: str = "normal",
        preannounce: bool = True,
        question: Question | None = None,
    ) -> None:
        self.kind: Kind = kind
        self.message = message
        self.rank = RANKS[priority]
        self.preannounce = preannounce
        self.question = question
        self.begun = asyncio.Event()
        self.over: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        """The result; a `ToolError` where nothing was said."""
        self._spoken: str | None = None
        self._asked = 0

    @property
    def wants_answer(self) -> bool:
        """Whether what is heard now is the answer to its question."""
        return self.question is not None and not self.over.done()

    @property
    def patience(self) -> float | None:
        """Seconds for which an answer may begin; None: as the satellite's follow-ups."""
        return self.question.wait if self.question else None

    def said(self, turn: Turn) -> bool:
        """Take the end of what was said; returns whether to listen now."""
        self._spoken = turn.spoken
        if turn.reason != "said":
            why = turn.failures[-1].message if turn.failures else turn.reason
            self._end(ToolError(f"it could not be said: {why}"))
            return False
        self._asked += 1
        if self.kind == "announcement":
            self._end({"status": "played", "spoken": turn.spoken})
        elif self.kind == "conversation":
            self._end({"status": "listening", "spoken": turn.spoken})
        return self.kind != "announcement"

    def answered(self, turn: Turn) -> bool:
        """Take what was heard after the question; returns whether to ask again."""
        assert self.question
        if turn.reason == "failed":
            why = turn.failures[-1].message if turn.failures else "nothing was understood"
            self._end({"status": "failed", "reason": why})
            return False
        if turn.transcript and (found := self.question.expected.read(turn.transcript)):
            self._end({"status": "answered", "sentence": turn.transcript, **found})
            return False
        if self._asked <= self.question.retries:
            return True
        if turn.transcript:
            self._end({"status": "not_understood", "sentence": turn.transcript})
        else:
            self._end({"status": "no_answer"})
        return False

    def broken(self, by: str) -> None:
        """Take that it came to no end of its own: somebody or something ended it."""
        self._end({"status": "interrupted", "by": by, "spoken": self._spoken})

    def refuse(self, reason: str) -> None:
        """Take that it cannot be done."""
        self._end(ToolError(reason))

    def _end(self, end: Mapping[str, Any] | ToolError) -> None:
        if self.over.done():
            return
        if isinstance(end, ToolError):
            self.over.set_exception(end)
            self.over.exception()  # whoever waited may be gone
        else:
            self.over.set_result(end)


class Errands:
    """Those that wait at one satellite: the most urgent first, then the oldest."""

    def __init__(self) -> None:
        self._waiting: list[Errand] = []
        self._arrived = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, errand: Errand) -> None:
        """Take one."""
        self._waiting.append(errand)
        self._waiting.sort(key=lambda one: one.rank)
        self._arrived.set()

    def withdraw(self, errand: Errand) -> None:
        """Forget one that has not begun."""
        if errand in self._waiting:
            self._waiting.remove(errand)

    def refuse(self, reason: str) -> None:
        """Let all of them fail."""
        waiting, self._waiting = self._waiting, []
        for errand in waiting:
            errand.refuse(reason)

    async def filled(self) -> None:
        """Wait until there is one."""
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()

    def take(self) -> Errand | None:
        """Return the first, which begins now, or None."""
        if not self._waiting:
            return None
        errand = self._waiting.pop(0)
        errand.begun.set()
        return errand
