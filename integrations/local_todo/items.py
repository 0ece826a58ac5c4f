"""A list and its items, as values: what was done to it makes another list."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from hub import ToolError

OPEN, COMPLETED = "needs_action", "completed"
_MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something to do or to buy."""

    uid: str
    summary: str
    status: str = OPEN
    due: str | None = None
    """A date or a moment in ISO 8601."""
    description: str | None = None

    def plain(self) -> dict[str, str]:
        """Return what is known of it, as JSON carries it."""
        return {name: value for name, value in asdict(self).items() if value is not None}


Items = tuple[Item, ...]


def read(value: Any) -> Items:
    """Return the items of a list as it was written; raises `ValueError` if it is none."""
    if not isinstance(value, list):
        raise ValueError("not a list of items")
    return tuple(map(_item, value))


def _item(value: Any) -> Item:
    names = ("uid", "summary", "status", "due", "description")
    fields = {name: value[name] for name in names if name in value} if isinstance(value, dict) else {}
    if not {"uid", "summary"} <= fields.keys() or not all(isinstance(one, str) for one in fields.values()):
        raise ValueError("an item without words")
    return Item(**fields)


def add(items: Items, arguments: Mapping[str, Any]) -> Items:
    """Return the list with one more item at its end."""
    if len(items) >= _MOST:
        raise ToolError(f"The list is full: it holds {_MOST} items.")
    item = Item(
        uid=secrets.token_hex(8),
        summary=arguments["item"].strip(),
        due=_due(arguments),
        description=arguments.get("description"),
    )
    return (*items, item)


def update(items: Items, arguments: Mapping[str, Any]) -> Items:
    """Return the list with one item completed, renamed or changed."""
    old = find(items, arguments["item"])
    said = {name: arguments[name] for name in ("status", "description") if name in arguments}
    if "rename" in arguments:
        said["summary"] = arguments["rename"].strip()
    due = _due(arguments)
    if due:
        said["due"] = due
    if not said:
        raise ToolError("Say what is to change about the item.")
    new = replace(old, **said)
    return tuple(new if item is old else item for item in items)


def remove(items: Items, arguments: Mapping[str, Any]) -> Items:
    """Return the list without the named items."""
    for word in arguments["item"]:
        gone = find(items, word)
        items = tuple(item for item in items if item is not gone)
    return items


def remove_completed(items: Items) -> Items:
    """Return the list without what is done."""
    return tuple(item for item in items if item.status != COMPLETED)


def wanted(items: Items, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the items with one of the asked states."""
    states = arguments.get("status", (OPEN,))
    return {"items": [item.plain() for item in items if item.status in states]}


def find(items: Items, word: str) -> Item:
    """Return the item with this uid or these words, an open one before a completed one."""
    called = [item for item in items if word == item.uid or _folded(word) == _folded(item.summary)]
    if not called:
        raise ToolError(f"There is no '{word}' on the list.")
    return min(called, key=lambda item: item.status == COMPLETED)


def count_open(items: Iterable[Item]) -> int:
    """Return how many items are still to do."""
    return sum(item.status == OPEN for item in items)


def _due(arguments: Mapping[str, Any]) -> str | None:
    return next((str(arguments[name]) for name in ("due_date", "due_datetime") if name in arguments), None)


def _folded(words: str) -> str:
    return " ".join(words.casefold().split())
