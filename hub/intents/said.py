"""A sentence word by word, with the names of this house that stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hassil.util import fold_case, normalize_for_matching

_WORD = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+(?:'[^\W\d_]+)*'?|\S")
_END = "\0"


class NameIndex:
    """Finds names in a sentence, word by word. Read-only after it is made."""

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        """Take pairs of a name and the list that it is in."""
        self._root: dict[str, Any] = {}
        for name, kind in names:
            node = self._root
            for word in split(name):
                node = node.setdefault(word, {})
            node.setdefault(_END, set()).add(kind)

    def over(self, words: Sequence[str]) -> tuple[frozenset[str], ...]:
        """Return of each word the lists that have a name over it."""
        named: list[set[str]] = [set() for _ in words]
        for start in range(len(words)):
            node = self._root
            for end, word in enumerate(words[start:], start + 1):
                if word not in node:
                    break
                node = node[word]
                if kinds := node.get(_END):
                    for place in range(start, end):
                        named[place] |= kinds
        return tuple(map(frozenset, named))


@dataclass(frozen=True, slots=True)
class Said:
    """What was said, as hassil normalises it."""

    text: str
    words: tuple[str, ...]
    named: tuple[frozenset[str], ...]
    """Of each word the lists that have a name over it: `area`, `floor`, `name light` for a lamp's name,
    `name` for that of anything."""

    @classmethod
    def of(cls, text: str, names: NameIndex) -> Said:
        """Take a sentence apart."""
        clean = normalize_for_matching(text).text
        words = tuple(split(clean))
        return cls(clean, words, names.over(words))


def split(text: str) -> list[str]:
    """Return the words, numbers and signs of a text, without case."""
    return _WORD.findall(fold_case(text))
