"""The sentences that the intents package knows for one language, ready to be narrowed down."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hassil.expression import ListReference, Sentence
from hassil.intents import Intent, Intents, RangeSlotList, TextSlotList
from hassil.string_matcher import MatchContext, MatchSettings, match_expression
from hassil.util import fold_case, match_start
from home_assistant_intents import get_intents, get_languages

from hub.intents.said import Said
from hub.intents.wordlist import Template, Vocabulary


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
        self._fragments: dict[str, int] = {}
        self.templates = tuple(self._templates())
        self._by_fragment = self._index()
        self._vocabulary = Vocabulary(self._intents, self.templates)
        self._is_wordy = not self._intents.settings.ignore_whitespace and not self._vocabulary.has_glued_names

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

    def _possible(self, text: str) -> list[Template]:
        """Return the templates whose words the text has; none that could match is missing."""
        folded = fold_case(text)
        if self._intents.settings.ignore_whitespace:
            folded += "\n" + "".join(folded.split())
        bits = [bit for fragment, bit in self._fragments.items() if fragment in folded]
        there = sum(bits)
        alike = {
            needs: templates for bit in (0, *bits) for needs, templates in self._by_fragment.get(bit, ())
        }
        found = [
            template
            for needs, templates in alike.items()
            if all(need & there for need in needs)
            for template in templates
        ]
        return sorted(found, key=lambda template: template.order)

    def fitting(self, said: Said) -> list[Template]:
        """Return the possible templates that have a place for every word; it misses none that could match."""
        found = self._possible(said.text)
        if not self._is_wordy or not found or self._skipped_inside.search(said.text):
            return found
        fit = self._vocabulary.fit(said)
        return [template for template in found if fit >> template.order & 1]

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
                    yield Template(order, intent.name, data, self._needs(sentence))
                    order += 1

    def _needs(self, sentence: Sentence) -> tuple[int, ...]:
        clauses = sentence.get_required_clauses(self._intents.expansion_rules)
        return tuple(
            sorted(
                sum(self._fragments.setdefault(one, 1 << len(self._fragments)) for one in clause)
                for clause in clauses
            )
        )

    def _index(self) -> dict[int, list[tuple[tuple[int, ...], list[Template]]]]:
        """File the templates under the fragments of their rarest need (0: those without any)."""
        alike: dict[tuple[int, ...], list[Template]] = {}
        for template in self.templates:
            alike.setdefault(template.needs, []).append(template)
        often = Counter(need for needs in alike for need in needs)
        index: dict[int, list[tuple[tuple[int, ...], list[Template]]]] = {}
        for needs, templates in alike.items():
            rarest = min(needs, key=lambda need: often[need], default=0)
            for bit in _bits(rarest) or [0]:
                index.setdefault(bit, []).append((needs, templates))
        return index


def _bits(mask: int) -> list[int]:
    return [1 << place for place in range(mask.bit_length()) if mask >> place & 1]


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
