"""Which words the templates of a language have a place for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hassil.expression import Expression, Group, ListReference, RuleReference, TextChunk
from hassil.intents import IntentData, Intents, TextSlotList, WildcardSlotList
from hassil.numbers import get_rbnf_engine
from hassil.util import PUNCTUATION_STR, fold_case

from hub.intents.said import Said

HOUSE_LISTS = ("name", "area", "floor")
_NUMBERS = (*range(21), *range(30, 100, 10), 100, 1000, 0.5)


@dataclass(frozen=True, slots=True)
class Template:
    """One sentence template of one intent."""

    order: int
    """Its place among all; earlier ones win ties."""
    intent: str
    data: IntentData
    """The block it stands in, with this sentence alone."""
    needs: tuple[int, ...]
    """Of each of these sets of fragments, a text must contain one."""


class Vocabulary:
    """For every word the templates that can take it: a set of templates is a number, one bit each."""

    def __init__(self, intents: Intents, templates: Sequence[Template]) -> None:
        self._intents = intents
        self._taken: dict[str, int] = {}
        self._lists = dict.fromkeys((*HOUSE_LISTS, "wildcard", "range"), 0)
        self.has_glued_names = False
        """Whether a name may be a part of a word, as in languages that decline names."""
        chunks: set[str] = set()
        for template in templates:
            for part in self._parts(template.data, template.data.sentences[0].expression):
                if isinstance(part, TextChunk):
                    chunks.add(part.text)
                    for piece in pieces(part.text):
                        self._taken[piece] = self._taken.get(piece, 0) | 1 << template.order
                elif isinstance(part, ListReference):
                    self._file(part, template)
        self.chunks = frozenset(chunk for chunk in chunks if chunk)
        """All literal texts, as hassil matches them."""
        spelled = number_words(intents.language)
        self._numbers = frozenset(piece for words in spelled for piece in pieces(words))
        self._skipped = frozenset(piece for words in intents.skip_words for piece in pieces(words))

    def fit(self, said: Said) -> int:
        """Return the templates that have a place for every word of the sentence."""
        fit = -1
        for word, lists in zip(said.words, said.named, strict=True):
            if word in self._skipped or not word[0].isalpha():
                continue
            takers = self._lists["wildcard"] | self._takers(word)
            for kind in lists:
                takers |= self._lists.get(kind, 0)
            if self._is_number(word):
                takers |= self._lists["range"]
            fit &= takers
        return fit

    def guess(self, said: Said) -> Said:
        """Return the sentence with every word that nothing spells out taken for a name."""
        strange = frozenset(HOUSE_LISTS)
        named = (
            lists if lists or self._is_literal(word) else strange
            for word, lists in zip(said.words, said.named, strict=True)
        )
        return replace(said, named=tuple(named))

    def _is_literal(self, word: str) -> bool:
        return bool(self._takers(word)) or word in self._skipped or self._is_number(word)

    def _takers(self, word: str) -> int:
        """Return the templates that spell the word out, or all its parts."""
        takers = self._taken.get(word, 0)
        for cut in range(1, len(word)):
            start = self._taken.get(word[:cut], 0)
            if start:
                takers |= start & self._takers(word[cut:])
        return takers

    def _is_number(self, word: str) -> bool:
        return word in self._numbers or any(
            word[:cut] in self._numbers and self._is_number(word[cut:]) for cut in range(1, len(word))
        )

    def _file(self, reference: ListReference, template: Template) -> None:
        slot_list = self._list(template.data, reference)
        bit = 1 << template.order
        if reference.list_name in HOUSE_LISTS:
            self._lists[reference.list_name] |= bit
            self.has_glued_names |= bool(reference.prefix or reference.suffix)
        elif isinstance(slot_list, WildcardSlotList):
            self._lists["wildcard"] |= bit
        else:
            self._lists["range"] |= bit

    def _list(self, data: IntentData, reference: ListReference) -> object:
        lists = {**self._intents.slot_lists, **data.slot_lists}
        return lists.get(reference.list_name)

    def _parts(self, data: IntentData, expression: Expression) -> Iterator[Expression]:
        """Yield all that a template can be made of, what its rules and text lists spell out included."""
        if isinstance(expression, Group):
            for item in expression.items:
                yield from self._parts(data, item)
        elif isinstance(expression, RuleReference):
            rules = {**self._intents.expansion_rules, **data.expansion_rules}
            yield from self._parts(data, rules[expression.rule_name].expression)
        elif isinstance(expression, ListReference):
            slot_list = self._list(data, expression)
            if isinstance(slot_list, TextSlotList):
                for value in slot_list.values:
                    yield from self._parts(data, value.text_in)
            else:
                yield expression
        else:
            yield expression


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
