"""From commands to the tree of their phrases, and to what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice

from hub.config.words import near
from hub.house import House
from hub.intents.commands import HOUSE_SLOTS, CommandConfig, SlotConfig, canonical
from hub.intents.numbers import NumberWords
from hub.intents.phrase import Gap, PhraseError, Written, is_template, written_out
from hub.intents.phrase_index import Ending, PhraseIndex, Values
from hub.intents.slots import FreeText, HouseValues, ListValues, RangeValues
from hub.intents.spoken import Manner, words

MOST_IN_A_COMMAND = 5000
"""Sentences that all phrases of one command may stand for."""


def index(
    commands: Mapping[str, CommandConfig], house: House, manner: Manner, numbers: NumberWords
) -> PhraseIndex:
    """Return the tree of all phrases; those that cannot be used are left out (`check` tells of them)."""
    tree = PhraseIndex()
    shared: dict[Values, Values] = {}
    for order, (name, command) in enumerate(commands.items()):
        sources = Sources(command.slots, house, numbers)
        for phrase, sentence, values in islice(_usable(command, sources, manner, numbers), MOST_IN_A_COMMAND):
            same = {slot: shared.setdefault(one, one) for slot, one in values.items()}
            tree.add(sentence, same, _ending(name, phrase, sentence, command.priority, order))
    return tree


def _usable(
    command: CommandConfig, sources: Sources, manner: Manner, numbers: NumberWords
) -> Iterator[tuple[str, Written, dict[str, Values]]]:
    for phrase in command.phrases:
        with suppress(PhraseError):
            sentences = list(_sentences(phrase, manner, numbers))
            known = [sources.of(sentence) for sentence in sentences]
            yield from ((phrase, *both) for both in zip(sentences, known, strict=True))


class Sources:
    """What the slots of one command may hold."""

    def __init__(self, slots: Mapping[str, SlotConfig], house: House, numbers: NumberWords) -> None:
        self._slots = slots
        self._house = house
        self._numbers = numbers
        self._made: dict[str, Values] = {}

    def of(self, sentence: Written) -> dict[str, Values]:
        """Return the values of each slot of a sentence; raises `PhraseError` for a slot nobody declared."""
        return {piece.slot: self.named(piece.values) for piece in sentence if isinstance(piece, Gap)}

    def named(self, name: str) -> Values:
        """Return the values called this; raises `PhraseError`."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Values:
        if name in self._slots:
            return self._declared(self._slots[name])
        if name in HOUSE_SLOTS:
            return HouseValues(name, self._house)
        low, dots, high = name.partition("..")
        if dots:
            return self._range(low, high)
        known = (*self._slots, *HOUSE_SLOTS)
        raise PhraseError(f"has a slot {{{name}}} that is not under `slots`{near(name, known)}")

    def _range(self, low: str, high: str) -> Values:
        high, _, step = high.partition(",")
        try:
            return RangeValues(float(low), float(high), float(step or 1), self._numbers)
        except ValueError:
            raise PhraseError(f"has a range '{low}..{high}' that is none; write 0..100") from None

    def _declared(self, slot: SlotConfig) -> Values:
        if slot.range is not None:
            return RangeValues(slot.range.from_, slot.range.to, slot.range.step, self._numbers)
        if slot.wildcard:
            return FreeText()
        return ListValues(
            (value, value) if isinstance(value, str) else (value.in_, value.out) for value in slot.values
        )


def _sentences(phrase: str, manner: Manner, numbers: NumberWords) -> Iterator[Written]:
    """Yield all sentences of a phrase, and what they are in their one form."""
    for sentence in written_out(phrase):
        yield sentence
        if not is_template(phrase):
            one_form = tuple(word.text for word in words(canonical(phrase, manner, numbers)))
            if one_form != sentence:
                yield one_form


def _ending(name: str, phrase: str, sentence: Written, priority: int, order: int) -> Ending:
    slots = tuple(piece.slot for piece in sentence if isinstance(piece, Gap))
    return Ending(name, phrase, slots, len(sentence) - len(slots), priority, order)
