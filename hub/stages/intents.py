"""`intents`: tells what a sentence means."""

from __future__ import annotations

from typing import Protocol

from hub.values.intent import Match, Miss
from hub.values.session import Session


class IntentRecognizer(Protocol):
    """Understands sentences of one kind. Requests share no mutable state."""

    async def recognize(self, text: str, session: Session) -> Match | Miss:
        """Return what `text` means here, or why it is not understood. Does nothing else."""
