"""Lists of things to do or to buy."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Literal

from voluptuous import Length

from hub.domains.domain import Action, Domain
from hub.domains.ranges import Words
from hub.values.tool import Effect

Status = Literal["needs_action", "completed"]
_Story = Annotated[str, Length(max=2000)]


def iso_date(text: str) -> str:
    """Return a date as `2027-01-31`; raises `ValueError` if it is none."""
    return date.fromisoformat(text.strip()).isoformat()


def iso_datetime(text: str) -> str:
    """Return a moment as `2027-01-31T18:00:00`; raises `ValueError` if it is none."""
    return datetime.fromisoformat(text.strip()).isoformat()


_Date = Annotated[str, iso_date]
_Moment = Annotated[str, iso_datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddItem:
    """What goes on the list."""

    item: Words
    due_date: _Date | None = None
    """For instance `2027-01-31`."""
    due_datetime: _Moment | None = None
    """For instance `2027-01-31T18:00:00`."""
    description: _Story | None = None

    def __post_init__(self) -> None:
        _one_due(self.due_date, self.due_datetime)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateItem:
    """What becomes of an item."""

    item: Words
    """Its words or its uid."""
    rename: Words | None = None
    status: Status | None = None
    due_date: _Date | None = None
    """For instance `2027-01-31`."""
    due_datetime: _Moment | None = None
    """For instance `2027-01-31T18:00:00`."""
    description: _Story | None = None

    def __post_init__(self) -> None:
        _one_due(self.due_date, self.due_datetime)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveItem:
    """What goes from the list."""

    item: Annotated[tuple[Words, ...], Length(min=1)]
    """Words or uids of items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetItems:
    """Which items are wanted."""

    status: tuple[Status, ...] = ("needs_action",)


def _one_due(due_date: str | None, due_datetime: str | None) -> None:
    if due_date is not None and due_datetime is not None:
        raise ValueError("give only one of due_date, due_datetime")


LISTS = Domain(
    name="todo",
    description="Lists of things to do or to buy; the state is the number of open items.",
    actions=(
        Action(name="add_item", description="Put an item on a list.", parameters=AddItem, repeatable=False),
        Action(name="update_item", description="Complete, rename or change an item.", parameters=UpdateItem),
        Action(name="remove_item", description="Take items from a list.", parameters=RemoveItem),
        Action(name="remove_completed_items", description="Take what is done from a list."),
        Action(
            name="get_items",
            description="Read a list; answers `items`, each with uid, summary and status.",
            parameters=GetItems,
            effect=Effect.READ,
        ),
    ),
)
