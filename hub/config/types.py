"""From a field's type to what the YAML may hold there."""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import types
import typing
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from hub.config.kinds import (
    Anything,
    Choice,
    Duration,
    FilePath,
    Kind,
    Nothing,
    Number,
    Text,
    Whole,
    YesNo,
)
from hub.config.record import Record
from hub.config.shapes import Checked, Fixed, ListOf, MapOf, OneOf

_MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_LISTS = (list, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection)
_SETS = (set, frozenset, collections.abc.Set)


def kind_of(hint: Any) -> Kind:
    """Return what checks values of a type; raises `TypeError` for a type that YAML cannot give."""
    simple = _simple(hint)
    if simple is not None:
        return simple
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return Record(hint)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return Choice(_words(hint))
    if isinstance(hint, typing.NewType):
        return kind_of(hint.__supertype__)
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is None and hint in (tuple, *_LISTS, *_SETS, *_MAPPINGS):
        origin, inner = hint, ()
    return _composed(hint, origin, inner)


def _simple(hint: Any) -> Kind | None:
    if hint is Any or hint is object:
        return Anything()
    if hint is None or hint is type(None):
        return Nothing()
    kinds: tuple[tuple[type, Kind], ...] = (
        (str, Text()),
        (bool, YesNo()),
        (int, Whole()),
        (float, Number()),
        (timedelta, Duration()),
        (Path, FilePath()),
    )
    return next((kind for simple, kind in kinds if hint is simple), None)


def _composed(hint: Any, origin: Any, inner: tuple[Any, ...]) -> Kind:
    if origin is Annotated:
        validators = tuple(extra for extra in inner[1:] if callable(extra))
        return Checked(kind_of(inner[0]), validators) if validators else kind_of(inner[0])
    if origin is Literal:
        return Choice({word: word for word in inner})
    if origin in (typing.Union, types.UnionType):
        return OneOf(tuple(map(kind_of, inner)))
    if origin is tuple and inner and inner[-1] is not Ellipsis:
        return Fixed(tuple(map(kind_of, inner)))
    item = kind_of(inner[0]) if inner else Anything()
    if origin is tuple:
        return ListOf(item, tuple)
    if origin in _LISTS:
        return ListOf(item, list if origin is list else tuple)
    if origin in _SETS:
        return ListOf(item, set if origin is set else frozenset)
    if origin in _MAPPINGS and (not inner or inner[0] in (str, Any)):
        return MapOf(kind_of(inner[1]) if inner else Anything())
    if origin in _MAPPINGS and inner[0] is int:
        return MapOf(kind_of(inner[1]), "a mapping of 'number: value'", Whole())
    raise TypeError(f"{hint} cannot be written in YAML")


def _words(choices: type[enum.Enum]) -> dict[Any, Any]:
    """Return an enumeration's words: its values where they are text, else its names."""
    return {
        choice.value if isinstance(choice.value, str) else choice.name.lower(): choice for choice in choices
    }
