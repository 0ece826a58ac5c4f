"""What one value of the configuration may be: text, a number, a choice, a length of time."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import voluptuous as vol

from hub.config.node import HOLE
from hub.config.words import joined, near, shown

_WHOLE = re.compile(r"[-+]?[0-9]{1,300}")
_CLOCK = re.compile(r"([-+]?)(\d{1,6}):([0-5]?\d)(?::([0-5]?\d(?:\.\d{1,6})?))?")
_YES = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_UNITS = ("days", "hours", "minutes", "seconds", "milliseconds")


class Wrong(vol.Invalid):
    """A value that does not fit; the text can be made with or without showing the value."""

    def __init__(
        self,
        expected: str = "",
        got: Any = None,
        *,
        message: str = "",
        hint: str = "",
        path: list[Any] | None = None,
        at_key: bool = False,
    ) -> None:
        super().__init__(message or f"expected {expected}", path)
        self._expected = expected
        self._got = got
        self._message = message
        self._hint = hint
        self.at_key = at_key
        """Whether the key is meant, not its value."""

    def text(self, hidden: bool = False) -> str:
        """Return the sentence; a hidden value is not shown."""
        if self._message:
            return self._message
        if hidden:
            return f"expected {self._expected}; the secret is something else"
        return f"expected {self._expected}, got {shown(self._got)}{self._hint}"


class Unread(vol.Invalid):
    """A value that could not be read; why was reported by whoever read it."""

    def __init__(self) -> None:
        super().__init__("could not be read")


class Kind(Protocol):
    """Checks one value; calling it returns the value as the program wants it, or raises `vol.Invalid`."""

    @property
    def expected(self) -> str:
        """What it takes, in words: `a whole number`."""

    def takes(self, value: Any) -> bool:
        """Return whether the value is of this kind as it stands, with nothing converted."""

    def __call__(self, value: Any) -> Any:
        """Return the value converted."""

    def json(self) -> dict[str, Any]:
        """Return its JSON schema."""


def fit(kind: Kind, value: Any, key: Any = None) -> Any:
    """Return `kind(value)`; an error says that it happened under `key`."""
    if value is HOLE:
        raise Unread
    if key is None:
        return kind(value)
    try:
        return kind(value)
    except vol.Invalid as error:
        error.prepend([key])
        raise


@dataclass(frozen=True, slots=True)
class Text:
    """Any text; numbers are refused, because YAML would change how they are written."""

    expected: str = "text"

    def takes(self, value: Any) -> bool:
        """Return whether it is text."""
        return isinstance(value, str)

    def __call__(self, value: Any) -> str:
        """Return the text."""
        if isinstance(value, str):
            return value
        is_scalar = isinstance(value, (bool, int, float))
        raise Wrong(self.expected, value, hint="; put it in quotes" if is_scalar else "")

    def json(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "string"}


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number, also as text (environment variables are text)."""

    expected: str = "a whole number"

    def takes(self, value: Any) -> bool:
        """Return whether it is a whole number."""
        return isinstance(value, int) and not isinstance(value, bool)

    def __call__(self, value: Any) -> int:
        """Return an int."""
        if self.takes(value):
            return int(value)
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, str) and _WHOLE.fullmatch(value):
            return int(value)
        raise Wrong(self.expected, value)

    def json(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "integer"}


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number; whole ones become floats."""

    expected: str = "a number"

    def takes(self, value: Any) -> bool:
        """Return whether it is a number."""
        return isinstance(value, (int, float)) and not isinstance(value, bool)

    def __call__(self, value: Any) -> float:
        """Return a float."""
        if self.takes(value) or isinstance(value, str):
            try:
                number = float(value)
            except (ValueError, OverflowError):
                number = math.nan
            if math.isfinite(number):
                return number
        raise Wrong(self.expected, value)

    def json(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "number"}


@dataclass(frozen=True, slots=True)
class YesNo:
    """True or false; `yes no on off` are understood too, though YAML 1.2 calls them text."""

    expected: str = "true or false"

    def takes(self, value: Any) -> bool:
        """Return whether it is a boolean."""
        return isinstance(value, bool)

    def __call__(self, value: Any) -> bool:
        """Return the boolean."""
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in _YES:
            return _YES[value.lower()]
        raise Wrong(self.expected, value)

    def json(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words, from `Literal` or an enumeration."""

    words: Mapping[Any, Any]
    """From what is written to what the program gets."""

    @property
    def expected(self) -> str:
        """The words."""
        return joined(shown(word) for word in self.words)

    def takes(self, value: Any) -> bool:
        """Return whether it is one of the words."""
        if isinstance(value, (dict, list)) or value not in self.words:
            return False
        return any(word == value and isinstance(word, type(value)) for word in self.words)

    def __call__(self, value: Any) -> Any:
        """Return what the word stands for."""
        if self.takes(value):
            return self.words[value]
        for written in (str(word) for word in self.words):
            if isinstance(value, (int, float)) and written == shown(value) and written in self.words:
                return self.words[written]
        raise Wrong(self.expected, value, hint=near(value, self.words))

    def json(self) -> dict[str, Any]:
        """Return its JSON schema."""
        kinds = {bool: "boolean", int: "integer", float: "number", str: "string"}
        first = next(iter(self.words), "")
        return {"type": kinds.get(type(first), "string"), "enum": list(self.words)}


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time: seconds, `HH:MM`, `HH:MM:SS`, or a mapping of units, as Home Assistant takes it."""

    expected: str = "a length of time (seconds, 'HH:MM:SS', or hours:, minutes:, seconds:)"

    def takes(self, value: Any) -> bool:
        """Return whether it can be one."""
        is_clock = isinstance(value, str) and bool(_CLOCK.fullmatch(value))
        return is_clock or Number().takes(value) or isinstance(value, (dict, timedelta))

    def __call__(self, value: Any) -> timedelta:
        """Return the length."""
        try:
            if isinstance(value, timedelta):
                return value
            if isinstance(value, dict) and value and set(value) <= set(_UNITS):
                return timedelta(**{unit: Number()(amount) for unit, amount in value.items()})
            found = _CLOCK.fullmatch(value) if isinstance(value, str) else None
            if found:
                sign, hours, minutes, seconds = found.groups()
                length = timedelta(hours=int(hours), minutes=int(minutes), seconds=float(seconds or 0))
                return -length if sign == "-" else length
            return timedelta(seconds=Number()(value))
        except (vol.Invalid, OverflowError):
            raise Wrong(self.expected, value) from None

    def json(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "string", "description": "HH:MM:SS, or seconds"}


@dataclass(frozen=True, slots=True)
class FilePath:
    """The path of a file or folder."""

    expected: str = "a path"

    def takes(self, value: Any) -> bool:
        """Return whether it is text or a path."""
        return isinstance(value, (str, Path))

    def __call__(self, value: Any) -> Path:
        """Return the path."""
        if not self.takes(value) or not str(value) or "\0" in str(value):
            raise Wrong(self.expected, value)
        return Path(value)

    def json(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "string"}


@dataclass(frozen=True, slots=True)
class Nothing:
    """No value."""

    expected: str = "nothing"

    def takes(self, value: Any) -> bool:
        """Return whether it is None."""
        return value is None

    def __call__(self, value: Any) -> None:
        """Return None."""
        if value is not None:
            raise Wrong(self.expected, value)

    def json(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "null"}


@dataclass(frozen=True, slots=True)
class Anything:
    """Whatever stands there."""

    expected: str = "anything"

    def takes(self, value: Any) -> bool:
        """Return True."""
        return True

    def __call__(self, value: Any) -> Any:
        """Return it unchanged."""
        return value

    def json(self) -> dict[str, Any]:
        """Return its JSON schema."""
        kinds = ("string", "number", "boolean", "object", "array")
        return {"anyOf": [{"type": kind} for kind in kinds]}
