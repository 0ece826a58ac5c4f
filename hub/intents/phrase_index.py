"""All phrases of all commands in one tree of words: a sentence walks down it, however many there are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from hub.intents.phrase import Gap, Written

Value: TypeAlias = "tuple[Any, int]"
"""A value and the place after the last word it takes."""


FEW = 16
"""Values of a list that are copied to each place in the tree where the list may stand."""


class Values(Protocol):
    """What may stand in a gap. Equal ones share their branch of the tree."""

    @property
    def listed(self) -> Mapping[tuple[str, ...], Any] | None:
        """All values by their words, if they never change; None if any word may begin one."""

    def at(self, said: Sequence[str], start: int) -> Iterator[Value]:
        """Yield the values that begin at word `start`."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Where a phrase ends in the tree."""

    command: str
    phrase: str
    slots: tuple[str, ...]
    """Names for the values on the way, in order."""
    literals: int
    """Words that the phrase itself spells out."""
    priority: int
    order: int
    """Commands that were written earlier win ties."""

    @property
    def is_plain(self) -> bool:
        """Whether its phrase has no gap, taken or left out, so that a longer sentence may begin with it."""
        return not self.slots and "{" not in self.phrase


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase that a sentence is, or begins with."""

    ending: Ending
    said: int
    """Words of the sentence that it takes."""
    is_whole: bool
    values: tuple[tuple[Any, int, int], ...] = ()
    """Value of each slot, with the places of its first word and after its last."""

    @property
    def rank(self) -> tuple[bool, int, int, int, int]:
        """Order of hits: whole sentences, longer beginnings, priority, more words, written earlier."""
        length = 0 if self.is_whole else self.said
        return self.is_whole, length, self.ending.priority, self.ending.literals, -self.ending.order


@dataclass(slots=True)
class _Node:
    words: dict[str, _Node] = field(default_factory=dict)
    few: dict[tuple[str, ...], list[tuple[Any, _Node]]] = field(default_factory=dict)
    """Values of short lists."""
    longest: int = 0
    """Words of the longest of them."""
    starting: dict[str, list[tuple[Values, _Node]]] = field(default_factory=dict)
    """Gaps for longer lists, by the words that their values begin with."""
    anything: list[tuple[Values, _Node]] = field(default_factory=list)
    """Gaps whose values can begin with any word."""
    endings: list[Ending] = field(default_factory=list)
    gaps: dict[Values, _Node] = field(default_factory=dict)


class PhraseIndex:
    """Made once, then only read."""

    def __init__(self) -> None:
        self._root = _Node()

    def add(self, sentence: Written, values: Mapping[str, Values], ending: Ending) -> None:
        """Add one sentence of a phrase; `values` says what its gaps may hold, by slot."""
        node = self._root
        for piece in sentence:
            if isinstance(piece, Gap):
                node = _gap(node, values[piece.slot])
            else:
                node = node.words.setdefault(piece, _Node())
        node.endings.append(ending)

    def literals(self) -> Iterator[tuple[str, ...]]:
        """Yield all words that phrases and their lists spell out, and those that follow each other."""
        waiting: list[tuple[_Node, tuple[str, ...]]] = [(self._root, ())]
        while waiting:
            node, before = waiting.pop()
            for word, following in node.words.items():
                yield (word,)
                yield from ((one, word) for one in before)
                waiting.append((following, (word,)))
            for values, target in node.gaps.items():
                for said in values.listed or ():
                    yield from ((word,) for word in said)
                    yield from itertools.pairwise(said)
                waiting.append((target, ()))

    def reached(self, said: Sequence[str]) -> tuple[frozenset[int], int]:
        """Return the places of these words that phrases come to, and the first where one has a gap.

        Past that gap any place may lie in what fills it.
        """
        seen: set[tuple[int, int]] = set()
        gap = len(said)
        waiting: list[tuple[_Node, int]] = [(self._root, 0)]
        while waiting:
            node, place = waiting.pop()
            if (id(node), place) not in seen:
                seen.add((id(node), place))
                gap = min(gap, place) if node.gaps else gap
                following = node.words.get(said[place]) if place < len(said) else None
                if following is not None:
                    waiting.append((following, place + 1))
        return frozenset(place for _, place in seen), gap

    def best(self, said: Sequence[str]) -> Hit | None:
        """Return the best phrase for these words.

        No place in the tree is visited twice at the same word, so that free text cannot make it slow;
        of two ways to fill gaps on the way to one place, the one with the shortest first gaps holds.
        """
        best: Hit | None = None
        seen: set[tuple[int, int]] = set()
        waiting: list[tuple[_Node, int, tuple[tuple[Any, int, int], ...]]] = [(self._root, 0, ())]
        while waiting:
            node, place, values = waiting.pop()
            if (id(node), place) in seen:
                continue
            seen.add((id(node), place))
            for ending in node.endings:
                is_whole = place == len(said)
                if is_whole or ending.is_plain:
                    hit = Hit(ending, place, is_whole, values)
                    best = hit if best is None or hit.rank > best.rank else best
            if place < len(said):
                waiting += reversed(list(_steps(node, said, place, values)))
        return best


def _steps(
    node: _Node, said: Sequence[str], place: int, values: tuple[tuple[Any, int, int], ...]
) -> Iterator[tuple[_Node, int, tuple[tuple[Any, int, int], ...]]]:
    """Yield where one can go from here: along the next word, then through gaps."""
    following = node.words.get(said[place])
    if following is not None:
        yield following, place + 1, values
    for end in range(min(place + node.longest, len(said)), place, -1):
        for value, target in node.few.get(tuple(said[place:end]), ()):
            yield target, end, (*values, (value, place, end))
    for source, target in (*node.starting.get(said[place], ()), *node.anything):
        for value, end in source.at(said, place):
            yield target, end, (*values, (value, place, end))


def _gap(node: _Node, source: Values) -> _Node:
    target = node.gaps.get(source)
    if target is None:
        target = node.gaps[source] = _Node()
        listed = source.listed
        if listed is None:
            node.anything.append((source, target))
        elif len(listed) <= FEW:
            for said, value in listed.items():
                node.few.setdefault(said, []).append((value, target))
                node.longest = max(node.longest, len(said))
        else:
            for word in {said[0] for said in listed}:
                node.starting.setdefault(word, []).append((source, target))
    return target
