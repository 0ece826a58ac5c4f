"""How things, states, events and outcomes look in JSON: as Home Assistant shows them, where it does."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hub.events import Event, StateChanged, plain
from hub.house import House
from hub.states import States
from hub.values.thing import State, Thing
from hub.values.tool import Done, Outcome, Refused

_NO_CONTEXT = {"id": None, "parent_id": None, "user_id": None}
REFUSED: Mapping[str, int] = {
    "unknown-tool": 404,
    "bad-arguments": 400,
    "no-target": 404,
    "denied": 403,
    "unknown-caller": 403,
    "closing": 503,
}
"""HTTP status of each reason to refuse a call."""


def state_shape(state: State) -> dict[str, Any]:
    """Return a state as Home Assistant's REST API does."""
    return {
        "entity_id": state.entity_id,
        "state": state.state,
        "attributes": plain(state.attributes),
        "last_changed": state.last_changed.isoformat(),
        "last_updated": state.last_updated.isoformat(),
        "context": _NO_CONTEXT,
    }


def thing_shape(thing: Thing, house: House, states: States) -> dict[str, Any]:
    """Return a thing with its place in the house and what it is now."""
    area = house.areas.get(thing.area) if thing.area else None
    state = states.get(thing.id)
    return {
        "id": thing.id,
        "name": thing.name,
        "aliases": list(thing.aliases),
        "domain": thing.domain,
        "device_class": thing.device_class,
        "area": thing.area,
        "area_name": area.name if area else None,
        "floor": area.floor if area else None,
        "exposed": thing.exposed,
        "actions": sorted(thing.actions) if thing.actions is not None else None,
        "integration": house.owner(thing.id),
        "state": state.state if state else None,
    }


def event_shape(event: Event, now: datetime) -> dict[str, Any]:
    """Return an event as Home Assistant's event stream does."""
    return {
        "event_type": event.wire_name,
        "data": _details(event),
        "origin": "LOCAL",
        "time_fired": now.isoformat(),
        "context": _NO_CONTEXT,
    }


def outcome_shape(outcome: Outcome) -> dict[str, Any]:
    """Return how a call ended."""
    shape: dict[str, Any] = {"tool": outcome.call.tool, "targets": list(outcome.targets)}
    if isinstance(outcome, Done):
        failed = dict(outcome.failed)
        return {**shape, "ok": outcome.ok, "result": plain(outcome.result), "failed": failed}
    if isinstance(outcome, Refused):
        return {**shape, "ok": False, "code": outcome.code, "message": outcome.reason}
    return {**shape, "ok": False, "code": "pending", "message": outcome.question, "pending": outcome.id}


def outcome_status(outcome: Outcome) -> int:
    """Return the HTTP status of a call's end; a tool that ran and failed is an answer all the same."""
    if isinstance(outcome, Done):
        return 200
    return REFUSED.get(outcome.code, 400) if isinstance(outcome, Refused) else 202


def _details(event: Event) -> dict[str, Any]:
    if isinstance(event, StateChanged):
        return {
            "entity_id": event.entity_id,
            "old_state": state_shape(event.old) if event.old else None,
            "new_state": state_shape(event.new) if event.new else None,
        }
    return event.data()
