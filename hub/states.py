"""What is: the present state of every thing, integration and engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from hub.bus import Bus
from hub.clock import Clock
from hub.events import StateChanged
from hub.values.thing import State


class States:
    """All states of the house. `set` publishes `StateChanged` when something became another."""

    def __init__(self, bus: Bus, clock: Clock, restored: Iterable[State] = ()) -> None:
        self._bus = bus
        self._clock = clock
        self._now: dict[str, State] = {}
        self._before = {state.entity_id: state for state in restored}

    def get(self, entity_id: str) -> State | None:
        """Return the state, or None for an entity that is not there."""
        return self._now.get(entity_id)

    def last(self, entity_id: str) -> State | None:
        """Return the state now, or the last one known from before the restart."""
        return self._now.get(entity_id) or self._before.get(entity_id)

    def set(self, entity_id: str, state: str, attributes: Mapping[str, Any] | None = None) -> State:
        """Say what `entity_id` is now; `attributes` None keeps those it has."""
        old = self._now.get(entity_id)
        if attributes is not None:
            attributes = MappingProxyType(dict(attributes))
        else:
            attributes = old.attributes if old else MappingProxyType({})
        if old and old.state == state and old.attributes == attributes:
            return old
        now = self._clock.now()
        changed = old.last_changed if old and old.state == state else now
        new = State(
            entity_id=entity_id,
            state=state,
            attributes=attributes,
            last_changed=changed,
            last_updated=now,
        )
        self._now[entity_id] = new
        self._bus.publish(StateChanged(entity_id=entity_id, old=old, new=new))
        return new

    def remove(self, entity_id: str) -> None:
        """Forget an entity that is gone; what it last was stays known as `last`."""
        old = self._now.pop(entity_id, None)
        if old:
            self._before[entity_id] = old
            self._bus.publish(StateChanged(entity_id=entity_id, old=old, new=None))

    def __iter__(self) -> Iterator[State]:
        return iter(tuple(self._now.values()))

    def __len__(self) -> int:
        return len(self._now)
