"""Which small changes of a sentence may make a template fit: told by bits, before anything is matched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_
from typing import NamedTuple

from hub.intents.lexicon import Option
from hub.intents.wordlist import Clause, Vocabulary

_NOTHING: frozenset[Clause] = frozenset()
_COUNTED = 4
"""What templates lack is counted up to so many words."""


class Place(NamedTuple):
    """What a word is to the templates, one bit each."""

    takers: int
    """Those that have a place for it."""
    owners: int
    """Those that have one for this word among others, not only for any word."""
    satisfied: frozenset[Clause]
    """Which of their needs it satisfies."""


Places = Callable[[str], Place]


class TemplateSieve:
    """Holds one sentence against all templates of a language; what it lets pass may still not fit."""

    def __init__(self, vocabulary: Vocabulary, places: Places, said: Sequence[str]) -> None:
        self._places = places
        self._glued = vocabulary.glued
        found = [places(word) for word in said]
        self._placed = [place.takers for place in found]
        there = _NOTHING.union(*(place.satisfied for place in found))
        lacking = {one: bits for one, bits in vocabulary.clauses.items() if one not in there}
        self._lacking = lacking
        self._lost = _more_than(list(lacking.values()))
        misplaced = _more_than([vocabulary.all & ~place.takers for place in found])
        free = _more_than([vocabulary.all & ~place.owners for place in found])
        # a change may be of two words, and each word may be all that two needs lack
        self._within = {
            1: (~(misplaced[2] | free[4]) | self._glued) & ~self._lost[2],
            2: (~free[2] | self._glued) & ~self._lost[3],
        }
        self._spared: dict[tuple[int, int], int] = {}
        self._alive: dict[frozenset[Clause], int] = {}

    def may(self, count: int) -> bool:
        """Whether some template is so near that so many changes could make it fit.

        Two are not made in a sentence that has words for free text as well.
        """
        return bool(self._within[count])

    def spares(self, start: int, end: int) -> bool:
        """Whether some template has a place for all words but these, so that one change may help."""
        return bool(self._but(start, end))

    def _but(self, start: int, end: int) -> int:
        """Return the templates that have a place for all words but these."""
        bits = self._spared.get((start, end))
        if bits is None:
            bits = reduce(and_, self._placed[:start], self._within[1])
            bits = reduce(and_, self._placed[end:], bits) | (self._glued & self._within[1])
            self._spared[start, end] = bits
        return bits

    def hints(self, change: Option) -> bool:
        """Whether the change, with another one, may help."""
        bits = self._within[2]
        for word in change.meant:
            bits &= self._places(word).owners
        return bits != 0

    def passes(self, changes: Sequence[Option]) -> bool:
        """Whether some template has a place for each word and its own words, after the changes."""
        first, last = changes[0], changes[-1]
        if len(changes) == 1:
            alive = self._but(first.start, first.end)
        else:
            kept = (*self._placed[: first.start], *self._placed[first.end : last.start])
            alive = reduce(and_, (*kept, *self._placed[last.end :]), self._within[2])
        there = _NOTHING
        for change in changes:
            for word in change.meant:
                found = self._places(word)
                alive &= found.takers | self._glued
                there = there | found.satisfied if there else found.satisfied
            if not alive and not self._glued:
                return False
        return bool((alive | self._glued & self._within[len(changes)]) & self._fulfilled(there))

    def _fulfilled(self, there: frozenset[Clause]) -> int:
        """Return the templates that lack nothing once these needs are satisfied."""
        there = frozenset(there & self._lacking.keys())
        if not there:
            return ~self._lost[0]
        if there not in self._alive:
            mine = _more_than([self._lacking[clause] for clause in there])
            alive = ~self._lost[0]
            for least, more in enumerate(self._lost[1:]):
                alive |= self._lost[least] & ~more & mine[least]
            self._alive[there] = alive
        return self._alive[there]


def _more_than(lacks: Sequence[int]) -> list[int]:
    """Return the templates that are in more than none of these sets, in more than one, and so on."""
    more = [0] * (_COUNTED + 1)
    for bits in lacks:
        for times in range(len(more) - 1, 0, -1):
            more[times] |= more[times - 1] & bits
        more[0] |= bits
    return more
