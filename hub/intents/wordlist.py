"""Which words the templates of a language have a place for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any, TypeAlias

from hassil.intents import IntentData, Intents
from hassil.numbers import get_rbnf_engine
from hassil.util import PUNCTUATION_STR, fold_case

from hub.intents.parts import HOUSE_LISTS, Known, Parts
from hub.intents.said import Said

_NUMBERS = (*range(21), *range(30, 100, 10), 100, 1000, 0.5)


Clause: TypeAlias = "tuple[str, ...]"
"""(Parts of) words of which a template needs one; or nothing and a kind of gap."""


@dataclass(frozen=True, slots=True)
class Template:
    """One sentence template of one intent."""

    order: int
    """Its place among all; earlier ones win ties."""
    intent: str
    data: IntentData
    """The block it stands in, with this sentence alone."""
    needs: tuple[tuple[str, ...], ...]
    """Of each of these sets of (parts of) words a text must contain one."""


class Vocabulary:
    """For every word, name and number the templates that have a place for it, and those that need one.

    A set of templates is a number, one bit each.
    """

    def __init__(self, intents: Intents, templates: Sequence[Template]) -> None:
        self._words: dict[str, int] = {}
        self._gaps: dict[str, int] = {}
        """By kind of gap the templates that have one: `area`, `floor`, `name`, `range`, `wildcard`."""
        self._needs: dict[str, int] = {}
        """By kind of gap the templates that cannot do without one."""
        self._musts: dict[str, int] = {}
        """By (part of a) word the templates that no sentence without it fits."""
        self._clauses: dict[Clause, int] = {}
        """By a set of (parts of) words the templates that need one of them."""
        self._by_piece: dict[str, set[Clause]] = {}
        """By (part of) a word the sets that it is in."""
        self._domains: dict[str, int] = {}
        """By domain the templates that want the named thing to be of it; under "" those that do not care."""
        self._glued = 0
        """Templates in which a name may be a part of a word; there it does not show which words are names."""
        self.chunks: set[str] = set()
        """All literal texts, as hassil matches them."""
        self.compounds: set[str] = set()
        """Words that are written in two parts."""
        self._all = (1 << len(templates)) - 1
        known = Known()
        for template in templates:
            self._file(template, Parts(intents, template.data, known))
        self.clauses: Mapping[Clause, int] = {
            **self._clauses,
            **{("", kind): bits for kind, bits in self._needs.items()},
        }
        """By a set of (parts of) words, or a kind of gap, the templates that need one of them."""
        spelled = number_words(intents.language)
        self._numbers = frozenset(piece for words in spelled for piece in pieces(words))
        self._skipped = frozenset(piece for words in intents.skip_words for piece in pieces(words))

    @property
    def literals(self) -> frozenset[tuple[str, ...]]:
        """All whole words that templates spell out, and those that follow each other in one text."""
        said = [tuple(pieces(chunk)) for chunk in self.chunks]
        pairs = {pair for words in said for pair in itertools.pairwise(words)}
        return frozenset(pairs | {(word,) for word in (*self._words, *self.compounds)})

    @property
    def all(self) -> int:
        """Every template."""
        return self._all

    @property
    def glued(self) -> int:
        """Templates in which a name may be a part of a word."""
        return self._glued

    def satisfied(self, word: str, kinds: Iterable[str]) -> frozenset[Clause]:
        """Return the needs of templates that a word satisfies, which may be part of names of these kinds."""
        found: set[Clause] = set()
        for piece, clauses in self._by_piece.items():
            if piece in word:
                found |= clauses
        found |= {("", kind.partition(" ")[0]) for kind in kinds}
        return frozenset(found | {("", "range")} if self._is_number(word) else found)

    def takers(self, word: str, kinds: Iterable[str]) -> int:
        """Return the templates that have a place for a word that may be part of names of these kinds."""
        return self._gaps.get("wildcard", 0) | self.owners(word, kinds)

    def owners(self, word: str, kinds: Iterable[str]) -> int:
        """Return those that have a place for this word among others, not only for any word."""
        is_number = self._is_number(word)
        if not is_number and (not word[0].isalpha() or word in self._skipped):
            return self._all
        owners = self._spelling(word)
        for kind in (*kinds, "range") if is_number else kinds:
            owners |= self._taking(kind)
        return owners

    def fit(self, said: Said) -> int:
        """Return the templates that have a place for every word, and words for every gap they need.

        A few of them may still lack a word that they need.
        """
        fit = self._all
        there = set().union(*said.named)
        for word, lists in zip(said.words, said.named, strict=True):
            if self._is_number(word):
                there.add("range")
            fit &= self.takers(word, lists)
        for kind, needing in self._needs.items():
            taking = [self._taking(one) for one in there if one.partition(" ")[0] == kind]
            fit &= reduce(or_, taking, ~needing)
        for place in ("area", "floor"):
            both = self._needs.get("name", 0) & self._needs.get(place, 0)
            if fit & both and not said.has_apart("name", place):
                fit &= ~both
        return self._musts_in(said.text, fit | self._glued)

    def _musts_in(self, text: str, fit: int) -> int:
        """Return these templates without those that must have a word that the text has not."""
        folded = fold_case(text)
        for must, needing in self._musts.items():
            if must not in folded:
                fit &= ~needing
        return fit

    def guess(self, said: Said) -> Said:
        """Return the sentence with every word that nothing spells out taken for a name."""
        strange = frozenset(HOUSE_LISTS)
        named = (
            lists if lists or self._is_literal(word) else strange
            for word, lists in zip(said.words, said.named, strict=True)
        )
        return replace(said, named=tuple(named), spans=None)

    def _is_literal(self, word: str) -> bool:
        return bool(self._spelling(word)) or word in self._skipped or self._is_number(word)

    def _spelling(self, word: str) -> int:
        """Return the templates that spell the word out, or all its parts."""
        takers = self._words.get(word, 0)
        for cut in range(1, len(word)):
            start = self._words.get(word[:cut], 0)
            if start:
                takers |= start & self._spelling(word[cut:])
        return takers

    def _taking(self, kind: str) -> int:
        """Return the templates that have a gap for this: `area`, or `name light` for a lamp's name."""
        gap, _, domain = kind.partition(" ")
        having = self._gaps.get(gap, 0)
        return having & (self._domains.get(domain, 0) | self._domains.get("", 0)) if domain else having

    def _is_number(self, word: str) -> bool:
        return (
            word[0].isdecimal()
            or word in self._numbers
            or any(word[:cut] in self._numbers and self._is_number(word[cut:]) for cut in range(1, len(word)))
        )

    def _file(self, template: Template, parts: Parts) -> None:
        """Enter the template under all it has and needs."""
        bit = 1 << template.order
        for words in template.needs:
            self._clauses[words] = self._clauses.get(words, 0) | bit
            for piece in words:
                self._by_piece.setdefault(piece, set()).add(words)
            if len(words) == 1:
                self._musts[words[0]] = self._musts.get(words[0], 0) | bit
        texts, gaps = parts.all()
        if gaps & frozenset(HOUSE_LISTS) and parts.has_glued_name():
            self._glued |= bit
        for kind in parts.needed():
            self._needs[kind] = self._needs.get(kind, 0) | bit
        for domain in several(template.data.requires_context.get("domain")) or ("",):
            self._domains[domain] = self._domains.get(domain, 0) | bit
        self.chunks |= texts
        self.compounds |= set(parts.compounds())
        for piece in {piece for text in texts for piece in pieces(text)}:
            self._words[piece] = self._words.get(piece, 0) | bit
        for kind in gaps:
            self._gaps[kind] = self._gaps.get(kind, 0) | bit


def several(value: Any) -> tuple[str, ...]:
    """Return the texts that a context asks for, whichever way it is written."""
    value = value.get("value") if isinstance(value, Mapping) else value
    return (value,) if isinstance(value, str) else tuple(value or ())


def pieces(text: str) -> Iterator[str]:
    """Yield the words, or parts of words, of a literal text."""
    for piece in fold_case(text).replace("-", " ").split():
        yield piece.strip(PUNCTUATION_STR) or piece


def number_words(language: str) -> Iterable[str]:
    """Return the words that spoken numbers are made of."""
    try:
        engine = get_rbnf_engine(language)
    except ValueError:
        return ()
    return [words for value in _NUMBERS for words in engine.format_number(value).text_by_ruleset.values()]
