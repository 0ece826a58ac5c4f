"""`agent`: answers freely what no recogniser took."""

from __future__ import annotations

from typing import Protocol

from hub.stages.stream import Stream
from hub.values.session import Session


class Agent(Protocol):
    """A conversation partner."""

    def answer(self, text: str, session: Session) -> Stream[str]:
        """Answer in pieces of text as they come; joined they are the whole answer."""
