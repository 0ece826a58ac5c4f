"""What of a call may be written down or shown: no secrets, nothing endless, plain values only."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hub.events import plain

HIDDEN = "***"
_SECRET_NAME = re.compile(
    r"(?:.*[_-])?(?:code|pin|password|passcode|passphrase|secret|token|api[_-]?key)", re.I
)
_LONGEST_TEXT = 1000
_LONGEST_KEY = 100
_MOST_ITEMS = 100
_MOST_BITS = 64
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Mask:
    """Hides the secrets of one call wherever they come back: by key, and by value inside texts."""

    names: frozenset[str] = frozenset()
    """Parameters that are secret besides those whose name says so."""
    values: tuple[str, ...] = ()
    """The secrets themselves, longest first."""

    @classmethod
    def over(cls, parameters: type, arguments: Mapping[str, Any]) -> Mask:
        """Return the mask for a call; a field with `metadata={"secret": True}` is secret."""
        names: frozenset[str] = frozenset()
        if dataclasses.is_dataclass(parameters):
            names = frozenset(f.name for f in dataclasses.fields(parameters) if f.metadata.get("secret"))
        found = {str(value) for value in _secrets(arguments, names, _DEEPEST) if str(value)}
        return cls(names, tuple(sorted(found, key=len, reverse=True)))

    def text(self, text: str) -> str:
        """Return the text without secrets."""
        for value in self.values:
            text = text.replace(value, HIDDEN)
        return text

    def _number(self, value: int | float) -> Any:
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:
            return "…"
        if self.values and str(value) in self.values:
            return HIDDEN
        return value if isinstance(value, int) or math.isfinite(value) else str(value)

    def value(self, value: Any, depth: int = _DEEPEST) -> Any:
        """Return the value as JSON carries it, without secrets, cut where it is endless."""
        if isinstance(value, str):
            return _cut(self.text(value), _LONGEST_TEXT)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, (int, float)):
            return self._number(value)
        if depth == 0:
            return "…"
        if isinstance(value, Mapping):
            items = list(value.items())[:_MOST_ITEMS]
            return {
                _cut(self.text(str(key)), _LONGEST_KEY): HIDDEN
                if _is_secret(str(key), self.names)
                else self.value(item, depth - 1)
                for key, item in items
            }
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self.value(item, depth - 1) for item in list(value)[:_MOST_ITEMS]]
        return self.value(plain(value), depth - 1)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + "…"


def _is_secret(name: str, names: frozenset[str]) -> bool:
    return name in names or bool(_SECRET_NAME.fullmatch(name))


def _secrets(value: Any, names: frozenset[str], depth: int) -> Iterator[Any]:
    if depth == 0:
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            if _is_secret(str(key), names) and isinstance(item, (str, int)):
                yield item
            else:
                yield from _secrets(item, names, depth - 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _secrets(item, names, depth - 1)
