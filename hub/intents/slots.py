"""What may stand in the gaps of a command's phrases: words of a list, numbers, names, free text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hub.house import House
from hub.intents.numbers import NumberWords
from hub.intents.phrase import Gap, PhraseError, written_out
from hub.intents.phrase_index import Value
from hub.intents.spoken import words
from hub.values.house import Area, Floor
from hub.values.thing import Thing


class ListValues:
    """Words of a list, each with the value it stands for. Two lists with the same words are equal."""

    def __init__(self, values: Iterable[tuple[str, Any]]) -> None:
        self._values: dict[tuple[str, ...], Any] = {}
        for phrase, value in values:
            for sentence in written_out(phrase):
                if any(isinstance(piece, Gap) for piece in sentence):
                    raise PhraseError("cannot have slots inside the values of a slot")
                self._values.setdefault(tuple(map(str, sentence)), value)
        self._longest = max(map(len, self._values), default=0)
        self._key = frozenset((said, repr(value)) for said, value in self._values.items())

    @property
    def listed(self) -> Mapping[tuple[str, ...], Any]:
        """All values by their words."""
        return self._values

    def at(self, said: Sequence[str], start: int) -> Iterator[Value]:
        """Yield the longest value first."""
        for end in range(min(start + self._longest, len(said)), start, -1):
            key = tuple(said[start:end])
            if key in self._values:
                yield self._values[key], end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListValues) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@dataclass(frozen=True, slots=True)
class RangeValues:
    """Numbers between two limits, in digits or words; `step` 0 takes all that lie between."""

    low: float
    high: float
    step: float
    numbers: NumberWords

    @property
    def listed(self) -> None:
        """Not a list."""

    def at(self, said: Sequence[str], start: int) -> Iterator[Value]:
        """Yield the number that stands here, as an int if it is whole."""
        found = self.numbers.at(said, start)
        if found is None or not self.low <= found[0] <= self.high:
            return
        value, end = found
        steps = (value - self.low) / self.step if self.step else 0.0
        if abs(steps - round(steps)) < 1e-6:
            yield int(value) if value.is_integer() else value, end


@dataclass(frozen=True, slots=True)
class FreeText:
    """One word or more, as it was said."""

    @property
    def listed(self) -> None:
        """Not a list."""

    def at(self, said: Sequence[str], start: int) -> Iterator[Value]:
        """Yield ever more words; the value is taken from the text."""
        for end in range(start + 1, len(said) + 1):
            yield None, end


class HouseValues:
    """The names of the house's exposed things, areas or floors, as they are at the moment.

    For one house all of a kind are equal.
    """

    def __init__(self, kind: str, house: House) -> None:
        self.kind = kind
        self._house = house
        self._generation = -1
        self._named: Mapping[tuple[str, ...], tuple[Any, ...]] = {}
        self._longest = 0

    @property
    def listed(self) -> None:
        """Not a list."""

    def at(self, said: Sequence[str], start: int) -> Iterator[Value]:
        """Yield all that are called this, the longest name first."""
        self._refresh()
        for end in range(min(start + self._longest, len(said)), start, -1):
            found = self._named.get(tuple(said[start:end]))
            if found:
                yield found, end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HouseValues) and self.kind == other.kind

    def __hash__(self) -> int:
        return hash(self.kind)

    def _refresh(self) -> None:
        if self._generation == self._house.generation:
            return
        named: dict[tuple[str, ...], dict[str, Any]] = {}
        for one in self._all():
            for name in (one.name, *one.aliases):
                key = tuple(word.text for word in words(name))
                if key:
                    named.setdefault(key, {})[one.id] = one
        self._named = {key: tuple(some.values()) for key, some in named.items()}
        self._longest = max(map(len, named), default=0)
        self._generation = self._house.generation

    def _all(self) -> Iterable[Thing | Area | Floor]:
        if self.kind == "area":
            return self._house.areas.values()
        if self.kind == "floor":
            return self._house.floors.values()
        return [thing for thing in self._house.things.values() if thing.exposed]
