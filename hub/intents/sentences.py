"""The sentences that the intents package knows for one language, ready to be narrowed down."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hassil.expression import ListReference
from hassil.intents import Intent, Intents, RangeSlotList, TextSlotList
from hassil.string_matcher import MatchContext, MatchSettings, match_expression
from hassil.util import fold_case, match_start
from home_assistant_intents import get_intents, get_languages

from hub.intents.said import Said
from hub.intents.sieve import Place, TemplateSieve
from hub.intents.wordlist import Template, Vocabulary

if TYPE_CHECKING:
    from hub.intents.names import Names

REMEMBERED = 4096
"""Words of which is kept what templates have a place for them; all are forgotten when a name changes."""


class Sentences:
    """All templates of a language. Nothing changes after it is made, so all may share it."""

    def __init__(self, language: str, content: dict[str, Any]) -> None:
        self.language = language
        self.responses: Mapping[str, Mapping[str, str]] = content["responses"]["intents"]
        self._intents = Intents.from_dict({**content, "lists": _own_number_words(language, content)})
        skipped = "|".join(map(re.escape, self._intents.skip_words)) or "(?!)"
        self._skipped = re.compile(skipped, re.IGNORECASE)
        # hassil leaves these out before it matches, so that a name may be told apart by one
        self._skipped_inside = re.compile(rf"\w\W+(?:{skipped})\W+\w", re.IGNORECASE)
        self.templates = tuple(self._templates())
        self._vocabulary = Vocabulary(self._intents, self.templates)
        self._is_wordy = not self._intents.settings.ignore_whitespace

    @classmethod
    def load(cls, language: str) -> Sentences | None:
        """Read the language (or its family) from the package; None if it has neither. Takes 0.2 s."""
        known = {name.casefold(): name for name in get_languages()}
        for name in (language, language.replace("_", "-").partition("-")[0]):
            found = known.get(name.casefold())
            content = get_intents(found) if found else None
            if found and content:
                return cls(found, content)
        return None

    def fitting(self, said: Said) -> list[Template]:
        """Return the templates whose words the text has, and that have a place for all of its words.

        None that could match is missing.
        """
        if not self._is_wordy:
            return list(self.templates)
        folded = fold_case(said.text)
        fitting = self.templates
        if not self._skipped_inside.search(said.text):
            fitting = tuple(self.templates[place] for place in _places(self._vocabulary.fit(said)))
        return [template for template in fitting if _has_needed(template, folded)]

    @cached_property
    def literals(self) -> frozenset[tuple[str, ...]]:
        """All words that templates spell out; none in a language that does not part words with spaces."""
        return self._vocabulary.literals if self._is_wordy else frozenset()

    def sieve(self, said: Sequence[str], names: Names) -> TemplateSieve | None:
        """Return what tells which changes of these words may make a template fit; None: no change can."""
        if not self._is_wordy:
            return None

        def places(word: str) -> Place:
            key = (self.language, word)
            place: Place | None = names.places.get(key)
            if place is None:
                kinds, vocabulary = names.kinds.get(word, frozenset()), self._vocabulary
                place = Place(
                    vocabulary.takers(word, kinds),
                    vocabulary.owners(word, kinds),
                    vocabulary.satisfied(word, kinds),
                )
                if len(names.places) >= REMEMBERED:
                    names.places.clear()
                names.places[key] = place
            return place

        return TemplateSieve(self._vocabulary, places, said)

    def guessing(self, said: Said) -> list[Template]:
        """Return the templates that would fit if every strange word were part of some name."""
        return self.fitting(self._vocabulary.guess(said))

    def among(self, templates: Iterable[Template], text: str) -> Intents:
        """Return these templates (in their order) in the form that hassil matches with this text."""
        chosen: dict[str, Intent] = {}
        for template in templates:
            chosen.setdefault(template.intent, Intent(template.intent)).data.append(template.data)
        skip_words = self._intents.skip_words if self._skipped.search(text) else []
        return dataclasses.replace(self._intents, intents=chosen, skip_words=skip_words)

    def warm(self) -> None:
        """Make ready what hassil would make at first use: its patterns and its tables of number words."""
        for chunk in self._vocabulary.chunks:
            match_start("", chunk)
            match_start("", chunk.lstrip())
        lists = self._intents.slot_lists
        settings = MatchSettings(slot_lists=lists, language=self.language)
        for name, slot_list in lists.items():
            if isinstance(slot_list, RangeSlotList):
                list(match_expression(settings, MatchContext(text="x"), ListReference(list_name=name)))
            elif isinstance(slot_list, TextSlotList):
                slot_list.get_candidates("")

    def _templates(self) -> Iterator[Template]:
        order = 0
        for intent in self._intents.intents.values():
            for block in intent.data:
                for sentence in block.sentences:
                    data = dataclasses.replace(block, sentence_texts=[str(sentence.text)])
                    # a cached property: hassil need not parse what is parsed already
                    data.__dict__["sentences"] = [sentence]
                    rules = {**self._intents.expansion_rules, **block.expansion_rules}
                    needs = tuple(map(tuple, sentence.get_required_clauses(rules)))
                    yield Template(order, intent.name, data, needs)
                    order += 1


def _has_needed(template: Template, text: str) -> bool:
    """Whether the (folded) text has one word of each set that the template needs."""
    for words in template.needs:
        for word in words:
            if word in text:
                break
        else:
            return False
    return True


def _places(bits: int) -> Iterator[int]:
    """Yield the places of the bits that are set, from the lowest."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _own_number_words(language: str, content: dict[str, Any]) -> dict[str, Any]:
    """Give each list with a multiplier its own table of number words.

    hassil keeps one table for all ranges with the same limits, whatever their multiplier, so that
    "down by twenty" would mean plus twenty as soon as "up by twenty" had been understood.
    """
    lists = {}
    for name, slot_list in content["lists"].items():
        times = slot_list.get("range", {}).get("multiplier")
        if times is not None:
            own = f"{language}-x{str(times).replace('-', 'm')}"
            slot_list = {"range": {"words_language": own, **slot_list["range"]}}
        lists[name] = slot_list
    return lists
