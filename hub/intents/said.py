"""A sentence word by word, with the names of this house that stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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

    def find(self, words: Sequence[str]) -> Iterator[Span]:
        """Yield every name that stands anywhere in these words, also inside another."""
        for start in range(len(words)):
            node = self._root
            for end, word in enumerate(words[start:], start + 1):
                if word not in node:
                    break
                node = node[word]
                for kind in node.get(_END, ()):
                    yield Span(start, end, kind)


@dataclass(frozen=True, slots=True)
class Span:
    """A name in a sentence: from word `start` up to before word `end`."""

    start: int
    end: int
    kind: str
    """The list it is in: `area`, `floor`, `name light` for a lamp's name, `name` for that of anything."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said, as hassil normalises it."""

    text: str
    words: tuple[str, ...]
    named: tuple[frozenset[str], ...]
    """Of each word the kinds of names that are over it."""
    spans: tuple[Span, ...] | None
    """The names; None if it is guessed where they are."""

    @classmethod
    def of(cls, text: str, names: NameIndex) -> Said:
        """Take a sentence apart."""
        clean = normalize_for_matching(text).text
        words = tuple(split(clean))
        spans = tuple(names.find(words))
        named: list[frozenset[str]] = [frozenset()] * len(words)
        for span in spans:
            for place in range(span.start, span.end):
                named[place] |= {span.kind}
        return cls(clean, words, tuple(named), spans)

    def has_apart(self, kind: str, other: str) -> bool:
        """Whether a name of the one kind may stand beside (not inside) one of the other."""
        if self.spans is None:
            return True
        ones = [span for span in self.spans if span.kind.startswith(kind)]
        others = [span for span in self.spans if span.kind.startswith(other)]
        return any(one.end <= two.start or two.end <= one.start for one in ones for two in others)


def split(text: str) -> list[str]:
    """Return the words, numbers and signs of a text, without case."""
    return _WORD.findall(fold_case(text))
