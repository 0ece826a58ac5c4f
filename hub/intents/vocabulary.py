"""What is said in this house, so that a recogniser of speech expects it: the most telling first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from hub.house import House
from hub.intents.commands import HOUSE_SLOTS, CommandConfig, SlotConfig
from hub.intents.phrase import Gap, PhraseError, Written, written_out
from hub.phrases import Phrases
from hub.values.house import Area, Floor
from hub.values.thing import Thing

MOST_PHRASES = 200
"""Phrases that are offered; the prompt of a recogniser holds far fewer."""
MOST_COMMANDS = 50
"""Of these so many may be phrases of commands."""


class Vocabulary:
    """The phrases of a house, made anew only when a name in it changes."""

    def __init__(self, house: House, commands: Mapping[str, CommandConfig], own: Phrases) -> None:
        self._house = house
        self._commands = commands
        self._own = own
        self._phrases: tuple[str, ...] = ()
        self._phrased = -1
        """The house's generation when the phrases were made."""
        self._names: tuple[str, ...] = ()
        self._named = -1

    def names(self) -> tuple[str, ...]:
        """Return all names of this house that may be said; the same object until one changes."""
        if self._named != self._house.generation:
            self._names, self._named = tuple(names(self._house)), self._house.generation
        return self._names

    def phrases(self) -> tuple[str, ...]:
        """Return what helps a recogniser to hear in this house."""
        if self._phrased != self._house.generation:
            self._phrases = phrases(self._house, self._commands, self._own)
            self._phrased = self._house.generation
        return self._phrases


def phrases(house: House, commands: Mapping[str, CommandConfig], own: Phrases) -> tuple[str, ...]:
    """Return one sentence for each kind of thing, the commands' phrases, all names, all rooms."""
    things = [thing for thing in house.things.values() if thing.exposed]
    found = [*_examples(things, own), *_of_commands(commands, house)]
    found += [name for thing in things for name in (thing.name, *thing.aliases)]
    found += [name for area in house.areas.values() for name in (area.name, *area.aliases)]
    once = {" ".join(phrase.split()).casefold(): " ".join(phrase.split()) for phrase in reversed(found)}
    return tuple(reversed([phrase for phrase in once.values() if phrase]))[:MOST_PHRASES]


def names(house: House) -> Iterator[str]:
    """Yield what exposed things, areas and floors are called."""
    those: list[Thing | Area | Floor] = [thing for thing in house.things.values() if thing.exposed]
    for one in (*those, *house.areas.values(), *house.floors.values()):
        yield from (one.name, *one.aliases)


def _examples(things: list[Thing], own: Phrases) -> Iterator[str]:
    """Yield what is said to the first thing of each domain, in the order in which languages list them."""
    first = {thing.domain: thing for thing in reversed(things)}
    for domain, example in own.examples.items():
        if domain in first:
            yield example.format(name=first[domain].name)


def _of_commands(commands: Mapping[str, CommandConfig], house: House) -> Iterator[str]:
    count = 0
    for command in commands.values():
        for phrase in command.phrases if command.enabled else ():
            if count >= MOST_COMMANDS:
                return
            with suppress(PhraseError):
                longest = max(written_out(phrase), key=len)
                yield _spoken(longest, command.slots, house)
                count += 1


def _spoken(sentence: Written, slots: Mapping[str, SlotConfig], house: House) -> str:
    """Return the sentence with something that may be said in each gap; free text is left out."""
    return " ".join(
        _something(piece.values, slots, house) if isinstance(piece, Gap) else piece for piece in sentence
    )


def _something(name: str, slots: Mapping[str, SlotConfig], house: House) -> str:
    slot = slots.get(name)
    if slot is not None and slot.range is not None:
        return f"{slot.range.from_:g}"
    if slot is not None:
        values = [value if isinstance(value, str) else value.in_ for value in slot.values[:1]]
        return " ".join(str(piece) for value in values for piece in written_out(value)[0])
    if name in HOUSE_SLOTS:
        exposed = [thing.name for thing in house.things.values() if thing.exposed]
        areas = [area.name for area in house.areas.values()]
        floors = [floor.name for floor in house.floors.values()]
        return next(iter({"name": exposed, "area": areas, "floor": floors}[name]), "")
    return name.partition("..")[0]
