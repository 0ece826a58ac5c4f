"""A dataclass as what a mapping of the YAML must look like."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable
from dataclasses import MISSING, dataclass
from functools import lru_cache
from typing import Any, get_args, get_type_hints

import voluptuous as vol

from hub.config.docs import docs_of
from hub.config.kinds import Kind, Wrong
from hub.config.shapes import gather, raise_all
from hub.config.words import known, near

BESIDE = "beside"
"""`Annotated[Part, BESIDE]`: the part's options stand directly beside the other fields' keys."""


@dataclass(frozen=True, slots=True)
class Option:
    """One field of a dataclass as a key of the YAML."""

    key: str
    """What is written: the field's name, without the `_` that keeps it apart from a keyword."""
    field: str
    kind: Kind
    required: bool
    default: Any
    """`MISSING` where it is required."""
    part: type | None = None
    """The dataclass whose options stand directly beside the others."""


@dataclass(frozen=True, slots=True)
class Record:
    """A dataclass: its fields are the keys."""

    cls: type
    expected: str = "a mapping of options"

    def takes(self, value: Any) -> bool:
        """Return whether it is a mapping, or already such an object."""
        return isinstance(value, (dict, self.cls))

    def __call__(self, value: Any) -> Any:
        """Return the object."""
        if isinstance(value, self.cls):
            return value
        return self.build({} if value is None else value)

    def build(self, value: Any, others: Iterable[str] = ()) -> Any:
        """Return the object; keys in `others` belong to somebody else."""
        given = self.given(value, others)
        try:
            return self.cls(**given)
        except ValueError as error:
            raise Wrong(message=str(error) or "these options do not fit together") from None

    def given(self, value: Any, others: Iterable[str] = (), later: Collection[str] = ()) -> dict[str, Any]:
        """Return what is given, by field; raises all that is wrong at once. Keys in `later` follow."""
        if not isinstance(value, dict):
            raise Wrong(self.expected, value)
        keys = (*keys_of(self.cls), *others)
        errors: list[vol.Invalid] = [unknown(key, keys) for key in (*value, *later) if key not in keys]
        given: dict[str, Any] = {}
        for key, option in options_of(self.cls).items():
            if option.part:
                own = {key: value[key] for key in keys_of(option.part) if key in value}
                if own or option.required:
                    given[option.field] = gather(option.kind, own, None, errors)
            elif key in value:
                given[option.field] = gather(option.kind, value[key], key, errors)
            elif option.required and key not in later:
                errors.append(Wrong(message="this option is required", path=[key], at_key=True))
        raise_all(errors)
        return given

    def json(self) -> dict[str, Any]:
        """Return its JSON schema, each option described by the text under its field."""
        from voluptuous_openapi import UNSUPPORTED, convert

        schema: dict[str, Any] = convert(
            vol.Schema(self._markers()),
            custom_serializer=lambda part: part.json() if hasattr(part, "takes") else UNSUPPORTED,
        )
        return schema

    def _markers(self) -> dict[vol.Marker, Kind]:
        docs = docs_of(self.cls)
        markers: dict[vol.Marker, Kind] = {}
        for option in options_of(self.cls).values():
            if option.part:
                markers |= Record(option.part)._markers()
            else:
                marker = vol.Required if option.required else vol.Optional
                markers[marker(option.key, description=docs.get(option.field))] = option.kind
        return markers


def unknown(key: Any, keys: Iterable[str]) -> vol.Invalid:
    """Return the error about a key that is none of `keys`."""
    words = tuple(keys)
    hint = near(key, words) or f"; {known(words)}"
    return Wrong(message=f"unknown option{hint}", path=[key], at_key=True)


@lru_cache(maxsize=1024)
def keys_of(cls: type) -> tuple[str, ...]:
    """Return all keys of a dataclass, those of its fields `beside` the others too."""
    keys: list[str] = []
    for key, option in options_of(cls).items():
        keys += keys_of(option.part) if option.part else [key]
    doubled = sorted({key for key in keys if keys.count(key) > 1})
    if doubled:
        raise TypeError(f"{cls.__name__}: two options are called {', '.join(doubled)}")
    return tuple(keys)


@lru_cache(maxsize=1024)
def options_of(cls: type) -> dict[str, Option]:
    """Return the options of a dataclass by key; raises `TypeError` for a field that YAML cannot give."""
    hints = get_type_hints(cls, include_extras=True)
    options = [_option(cls, one, hints[one.name]) for one in dataclasses.fields(cls) if one.init]
    return {option.key: option for option in options}


def _option(cls: type, one: dataclasses.Field[Any], hint: Any) -> Option:
    from hub.config.types import kind_of

    try:
        kind = kind_of(hint)
    except TypeError as error:
        raise TypeError(f"{cls.__name__}.{one.name}: {error}") from None
    default = one.default_factory() if one.default_factory is not MISSING else one.default
    return Option(
        key=one.name.rstrip("_"),
        field=one.name,
        kind=kind,
        required=default is MISSING,
        default=default,
        part=get_args(hint)[0] if BESIDE in getattr(hint, "__metadata__", ()) else None,
    )
