"""Which small changes of a sentence may make a template fit: told by bits, before anything is matched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_

from hub.intents.lexicon import Option
from hub.intents.wordlist import Clause, Vocabulary

_COUNTED = 4
"""What templates lack is counted up to so many words."""
_MISPLACED = {1: 2, 2: 2}
"""By number of changes, so many words may have no place before."""

Takers = Callable[[str], tuple[int, frozenset[Clause]]]
"""`takers(word)` returns the templates that have a place for a word, one bit each, and which of the needs of
templates it satisfies."""


class TemplateSieve:
    """Holds one sentence against all templates of a language; what it lets pass may still not fit."""

    def __init__(self, vocabulary: Vocabulary, takers: Takers, said: Sequence[str]) -> None:
        self._takers = takers
        self._glued = vocabulary.glued
        self._placed = [takers(word)[0] for word in said]
        there = frozenset().union(*(takers(word)[1] for word in said))
        self._lacking = {one: bits for one, bits in vocabulary.clauses.items() if one not in there}
        self._lost = _more_than(list(self._lacking.values()))
        misplaced = _more_than([vocabulary.all & ~bits for bits in self._placed])
        own = _more_than([vocabulary.all & ~(bits & ~vocabulary.free) for bits in self._placed])
        near = {1: misplaced, 2: own}
        self._within = {
            count: (~near[count][most] | self._glued) & ~self._lost[-1] for count, most in _MISPLACED.items()
        }
        self._alive: dict[frozenset[Clause], int] = {}

    def may(self, count: int) -> bool:
        """Whether some template is so near that so many changes could make it fit.

        Two are not made in a sentence that has words for free text as well.
        """
        return bool(self._within[count])

    def hints(self, change: Option) -> bool:
        """Whether the change, with another one, may help."""
        return bool(reduce(and_, (self._takers(word)[0] for word in change.meant), self._within[2]))

    def passes(self, changes: Sequence[Option]) -> bool:
        """Whether some template has a place for each word and its own words, after the changes."""
        alive, place = self._within[len(changes)], 0
        there: frozenset[Clause] = frozenset()
        for change in changes:
            alive = reduce(and_, self._placed[place : change.start], alive)
            place = change.end
            for word in change.meant:
                taking, satisfied = self._takers(word)
                alive &= taking
                there |= satisfied
        alive = reduce(and_, self._placed[place:], alive) | (self._glued & self._within[len(changes)])
        return bool(alive and alive & self._fulfilled(there))

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
