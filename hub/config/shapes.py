"""Lists, mappings and unions: kinds made of other kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import voluptuous as vol

from hub.config.kinds import Kind, Nothing, Wrong, fit
from hub.config.words import joined, near, shown


def raise_all(errors: list[vol.Invalid]) -> None:
    """Raise all of them together, if there are any."""
    if errors:
        raise vol.MultipleInvalid(errors)


def gather(kind: Kind, value: Any, key: Any, errors: list[vol.Invalid]) -> Any:
    """Return the value under `key` converted; what is wrong with it goes to `errors`."""
    try:
        return fit(kind, value, key)
    except vol.MultipleInvalid as error:
        errors += error.errors
    except vol.Invalid as error:
        errors.append(error)
    return None


@dataclass(frozen=True, slots=True)
class ListOf:
    """Any number of values of one kind; a single value stands for a list of one."""

    item: Kind
    make: Callable[[Iterable[Any]], Any] = tuple

    @property
    def expected(self) -> str:
        """A list of what."""
        return f"a list, each item {self.item.expected}"

    def takes(self, value: Any) -> bool:
        """Return whether it is a list."""
        return isinstance(value, (list, tuple, set, frozenset))

    def __call__(self, value: Any) -> Any:
        """Return the items, each converted."""
        if value is None:
            return self.make(())
        if not self.takes(value):
            return self.make((fit(self.item, value),))
        errors: list[vol.Invalid] = []
        items = [gather(self.item, item, index, errors) for index, item in enumerate(value)]
        raise_all(errors)
        return self.make(items)

    def json(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "array", "items": self.item.json()}


@dataclass(frozen=True, slots=True)
class Fixed:
    """A list of a fixed length, each item of its own kind."""

    items: tuple[Kind, ...]

    @property
    def expected(self) -> str:
        """How many items."""
        return f"a list of {len(self.items)} items"

    def takes(self, value: Any) -> bool:
        """Return whether it is a list."""
        return isinstance(value, (list, tuple))

    def __call__(self, value: Any) -> tuple[Any, ...]:
        """Return the items, each converted."""
        if not isinstance(value, (list, tuple)) or len(value) != len(self.items):
            raise Wrong(self.expected, value)
        errors: list[vol.Invalid] = []
        pairs = enumerate(zip(self.items, value, strict=True))
        items = tuple(gather(kind, item, index, errors) for index, (kind, item) in pairs)
        raise_all(errors)
        return items

    def json(self) -> dict[str, Any]:
        """Return its JSON schema."""
        length = len(self.items)
        return {"type": "array", "items": {}, "minItems": length, "maxItems": length}


@dataclass(frozen=True, slots=True)
class MapOf:
    """Values of one kind under names that the user chooses, or under numbers."""

    item: Kind
    expected: str = "a mapping of 'name: value'"
    key: Kind | None = None
    """What a key that is no name must be."""

    def takes(self, value: Any) -> bool:
        """Return whether it is a mapping."""
        return isinstance(value, dict)

    def __call__(self, value: Any) -> dict[Any, Any]:
        """Return the values, each converted."""
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise Wrong(self.expected, value)
        errors: list[vol.Invalid] = []
        items: dict[Any, Any] = {}
        for key, item in value.items():
            if self.key:
                items[gather(self.key, key, key, errors)] = gather(self.item, item, key, errors)
            elif isinstance(key, str):
                items[key] = gather(self.item, item, key, errors)
            else:
                message = f"a name must be text; put {shown(key)} in quotes"
                errors.append(Wrong(message=message, path=[key], at_key=True))
        raise_all(errors)
        return items

    def json(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "object", "additionalProperties": self.item.json()}


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value of one of several kinds: the one it is as it stands, else the first it can become."""

    kinds: tuple[Kind, ...]

    @property
    def expected(self) -> str:
        """All of them."""
        return joined(kind.expected for kind in self.kinds if not isinstance(kind, Nothing))

    def takes(self, value: Any) -> bool:
        """Return whether one of them takes it."""
        return any(kind.takes(value) for kind in self.kinds)

    def __call__(self, value: Any) -> Any:
        """Return what the first fitting kind makes of it."""
        fitting = [kind for kind in self.kinds if kind.takes(value)] or list(self.kinds)
        errors: list[vol.Invalid] = []
        for kind in fitting:
            try:
                return kind(value)
            except vol.Invalid as error:
                errors.append(error)
        inner = [error for error in errors if isinstance(error, vol.MultipleInvalid) or error.path]
        if inner and isinstance(value, (dict, list)):
            raise min(inner, key=lambda error: len(getattr(error, "errors", [error])))
        if len(fitting) == 1:
            raise errors[0]
        words = [word for kind in self.kinds for word in getattr(kind, "words", ())]
        raise Wrong(self.expected, value, hint=near(value, words))

    def json(self) -> dict[str, Any]:
        """Return its JSON schema; that nothing is allowed too is said by leaving the value out."""
        schemas = [kind.json() for kind in self.kinds if not isinstance(kind, Nothing)]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


@dataclass(frozen=True, slots=True)
class Checked:
    """A kind with voluptuous validators behind it."""

    kind: Kind
    validators: tuple[Callable[[Any], Any], ...]

    @property
    def expected(self) -> str:
        """What the kind takes."""
        return self.kind.expected

    def takes(self, value: Any) -> bool:
        """Return whether the kind takes it."""
        return self.kind.takes(value)

    def __call__(self, value: Any) -> Any:
        """Return what the last validator makes of it."""
        converted = self.kind(value)
        for validator in self.validators:
            try:
                converted = validator(converted)
            except vol.RangeInvalid:
                raise Wrong(f"{self.expected} {bounds(validator)}", value) from None
            except vol.Invalid:
                raise
            except (ValueError, TypeError) as error:
                raise vol.Invalid(str(error) or "is not valid") from None
        return converted

    def json(self) -> dict[str, Any]:
        """Return its JSON schema, with those of voluptuous' own validators."""
        from voluptuous_openapi import convert

        schema = self.kind.json()
        for validator in self.validators:
            if isinstance(validator, (vol.Range, vol.Clamp, vol.Length, vol.In, vol.Match)):
                schema = {**convert(validator), **schema}
        if schema.get("type") == "array":
            renamed = {"minLength": "minItems", "maxLength": "maxItems"}
            schema = {renamed.get(key, key): value for key, value in schema.items()}
        return schema


def bounds(validator: Any) -> str:
    """Return a range in words."""
    low, high = getattr(validator, "min", None), getattr(validator, "max", None)
    above = "" if low is None else f"{'from' if validator.min_included else 'above'} {low:g}"
    below = "" if high is None else f"{'to' if validator.max_included else 'below'} {high:g}"
    if above and below:
        return f"{above} {'' if validator.max_included else 'and '}{below}"
    return above.replace("from", "of at least") or below.replace("to", "of at most")
