"""One declaration per option: a dataclass is what the YAML is checked against and turned into."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeVar, cast

import voluptuous as vol

from hub.config.docs import docs_of
from hub.config.document import Document
from hub.config.kinds import Unread, Wrong, fit
from hub.config.record import Record
from hub.config.types import kind_of
from hub.config.words import Path, near
from hub.errors import Problem

__all__ = ["arguments", "docs_of", "json_schema", "near", "parse", "parse_as"]

_T = TypeVar("_T")
_MOST_PROBLEMS = 200


def parse(
    cls: type[_T], document: Document, path: Path = (), *, others: Collection[str] = ()
) -> tuple[_T | None, list[Problem]]:
    """Return what stands at `path` as a `cls`, or None and all that is wrong with it.

    Where nothing stands, the defaults hold. Keys in `others` belong to somebody else.
    """
    value = document.value(path, {})
    record = Record(cls)
    try:
        if isinstance(value, dict):
            return record.build(value, others), []
        return fit(record, value), []
    except vol.Invalid as error:
        return None, problems_of(error, document, path)


def parse_as(hint: Any, document: Document, path: Path) -> tuple[Any, list[Problem]]:
    """Return what stands at `path` as a value of any type, or None and all that is wrong with it."""
    try:
        return fit(kind_of(hint), document.value(path)), []
    except vol.Invalid as error:
        return None, problems_of(error, document, path)


def arguments(cls: type, given: Mapping[str, Any], later: Collection[str] = ()) -> dict[str, Any]:
    """Return a tool's arguments checked and converted, only those given; raises `ValueError`.

    `later` names arguments whose values are not known yet.
    """
    try:
        return Record(cls).given(dict(given), later=later)
    except vol.Invalid as error:
        raise ValueError("; ".join(_sentence(one) for one in _all(error)[:5])) from None


def json_schema(cls: type) -> dict[str, Any]:
    """Return the JSON schema of a dataclass, for models and for the API."""
    return Record(cls).json()


def _all(error: vol.Invalid) -> list[vol.Invalid]:
    return list(error.errors) if isinstance(error, vol.MultipleInvalid) else [error]


def _sentence(error: vol.Invalid) -> str:
    where = ".".join(str(part) for part in error.path)
    return f"{where}: {_text(error, False)}" if where else _text(error, False)


def _text(error: vol.Invalid, hidden: bool) -> str:
    """Return the error's sentence; of a hidden value only what no validator can quote it in."""
    if isinstance(error, Wrong):
        return error.text(hidden)
    quotes_nothing = (vol.LengthInvalid, vol.InInvalid, vol.MatchInvalid)
    if hidden and not isinstance(error, quotes_nothing):
        return "the secret's value is not valid here"
    return str(error.error_message)


def problems_of(error: vol.Invalid, document: Document, path: Path) -> list[Problem]:
    """Return what an error about the value at `path` says, each with its place."""
    problems: list[Problem] = []
    found = [one for one in _all(error) if not isinstance(one, Unread)]
    for one in found[:_MOST_PROBLEMS]:
        where = (*path, *cast("list[str | int]", one.path))
        text = _text(one, document.hidden(where))
        problems.append(document.problem(where, text, key=getattr(one, "at_key", False)))
    if len(found) > _MOST_PROBLEMS:
        more = f"and {len(found) - _MOST_PROBLEMS} more problems"
        problems.append(document.problem(path, more))
    return problems
