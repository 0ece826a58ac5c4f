"""What servers ask to be told again in the next request of the same conversation."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

from hub.remote.wire import Event
from hub.values.session import Session


class Contexts:
    """Remembers the `context` of the last answer in each of the latest conversations."""

    def __init__(self, conversations: int, size: int) -> None:
        """`conversations` are remembered at most, each with at most `size` bytes."""
        self._conversations = conversations
        self._size = size
        self._known: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def of(self, session: Session) -> dict[str, Any]:
        """Return the context to send: what came last, and who is talking where."""
        own = {"conversation_id": session.id, "satellite_id": session.satellite, "area_id": session.area}
        return self._known.get(session.id, {}) | {key: value for key, value in own.items() if value}

    def keep(self, session: Session, event: Event) -> None:
        """Remember the context of an answer; one that is too large, or none, is not kept."""
        context = event.data.get("context")
        if not isinstance(context, dict) or len(json.dumps(context)) > self._size:
            return
        self._known[session.id] = context
        self._known.move_to_end(session.id)
        if len(self._known) > self._conversations:
            self._known.popitem(last=False)
