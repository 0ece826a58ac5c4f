"""The words of a house by their sound, so that what was heard finds what may have been meant."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hub.intents.sound import Ear, skeleton

Unit: TypeAlias = "tuple[str, ...]"
"""One word, or two that follow each other, folded."""

SHORT = 3
"""Letters up to which a word is so short that it has to sound exactly like another."""
LISTED = 0.85
"""Likeness of words that a language's list says are taken for each other."""
JOINED = 0.99
"""Likeness of words that are only written together, or apart."""
BEGUN = 0.8
"""Least likeness of a name's word that goes on, or breaks off, for up to three letters after `LONG`."""
LONG = 5
LONGEST = 40
"""Letters of the longest word that is looked for."""
MOST_AT_A_SOUND = 64
"""Words that are compared for one sound; with more that also begin alike, a house is too much alike."""
REMEMBERED = 4096
"""Words whose neighbours are kept."""


@dataclass(frozen=True, slots=True)
class Option:
    """Words `start` up to before `end` of a sentence may have been others."""

    start: int
    end: int
    heard: Unit
    meant: Unit


def changed(said: Sequence[str], changes: Sequence[Option]) -> list[str]:
    """Return the words with these changes, which are in their order."""
    words, place = [], 0
    for change in changes:
        words += [*said[place : change.start], *change.meant]
        place = change.end
    return [*words, *said[place:]]


class Lexicon:
    """Made once for a house, then only read, by any thread; what it remembers only saves time.

    `floor` is the least likeness of what it finds.
    """

    def __init__(
        self,
        language: str,
        literals: Iterable[Unit],
        names: Iterable[Unit],
        mistaken: Iterable[Iterable[str]],
        floor: float,
    ) -> None:
        self._ear = Ear.of(language)
        self._floor = floor
        self._names = frozenset(names)
        self._longest = max(map(len, self._names), default=0)
        self._parts = frozenset(unit for name in self._names for unit in _units(name))
        self._words = frozenset(word for unit in (*literals, *self._parts) for word in unit)
        self._listed: dict[str, tuple[str, ...]] = {}
        for group in map(tuple, mistaken):
            for word in group:
                others = (*self._listed.get(word, ()), *(one for one in group if one != word))
                self._listed[word] = tuple(dict.fromkeys(others))
        self._by_letters: dict[str, list[Unit]] = {}
        self._sounds: dict[str, str] = {}
        self._by_key: dict[str, list[Unit]] = {}
        for unit in sorted({*literals, *self._parts}):
            self._enter(unit)
        self._found: dict[Unit, tuple[Unit, ...]] = {}
        self._scores: dict[tuple[Unit, Unit], float] = {}

    def __contains__(self, word: str) -> bool:
        """Whether it is a word of a name or a sentence of this house."""
        return word in self._words

    def knows(self, word: str) -> bool:
        """Whether nothing is strange about a word: it is one of this house, or not made of letters."""
        return word in self._words or not word.isalpha()

    def strange(self, said: Iterable[str]) -> int:
        """Return how many of these words are not of this house."""
        return sum(not self.knows(word) for word in said)

    def named(self, said: Sequence[str]) -> set[int]:
        """Return the places of words that are names of this house just as they were heard."""
        return {
            place
            for start in range(len(said))
            for end in range(start + 1, min(start + self._longest, len(said)) + 1)
            if tuple(said[start:end]) in self._names and sum(map(len, said[start:end])) > SHORT
            for place in range(start, end)
        }

    def spans(self, said: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Yield where one word, or two, may be changed: not in a name of this house."""
        kept = self.named(said)
        for start in range(len(said)):
            for end in (start + 1, start + 2):
                if end <= len(said) and kept.isdisjoint(range(start, end)):
                    yield start, end

    def options(self, said: Sequence[str], start: int, end: int) -> Iterator[Option]:
        """Yield what these words may have been instead; many of these are too unlike to count."""
        heard = tuple(said[start:end])
        yield from (Option(start, end, heard, meant) for meant in self._around(heard))
        if (start, end) == (0, 1) and said[0] not in self:
            yield from (Option(0, 1, (said[0],), meant) for meant in self._ending(said[0]))

    def sounds_alike(self, option: Option) -> bool:
        """Whether the one sounds just like the other."""
        return self._ear.sound(_letters(option.heard)) == self._ear.sound(_letters(option.meant))

    def score(self, option: Option) -> float:
        """Return how easily the one is heard for the other, 0 to 1; 0 for what is under the floor."""
        key = (option.heard, option.meant)
        score = self._scores.get(key)
        if score is None:
            score = self._score(*key)
            if len(self._scores) >= REMEMBERED:
                self._scores.clear()
            self._scores[key] = score
        return score

    def _score(self, heard: Unit, meant: Unit) -> float:
        if len(heard) == len(meant) == 1 and meant[0] in self._listed.get(heard[0], ()):
            return round(LISTED - self._listed[heard[0]].index(meant[0]) / 1000, 3)
        letters, other = _letters(heard), _letters(meant)
        if letters == other:
            return JOINED
        if len(heard) == len(meant) == 2 and (heard[0] == meant[0] or heard[1] == meant[1]):
            return 0.0
        if len(heard) == 1 and heard[0] not in self and meant in self._ending(letters):
            return BEGUN
        sound, theirs = self._ear.sound(letters), self._sounds.get(other) or self._ear.sound(other)
        if min(len(letters), len(other)) <= SHORT and sound != theirs:
            return 0.0
        score = self._ear.likeness(letters, other, sound, theirs, self._floor)
        if sound == theirs and len(sound) >= SHORT:
            return max(score, LISTED)
        longer, shorter = sorted((letters, other), key=len, reverse=True)
        more = len(longer) - len(shorter)
        if meant in self._parts and len(shorter) >= LONG > more + 1 and longer.startswith(shorter):
            return max(score, BEGUN)
        return score

    def _around(self, heard: Unit) -> tuple[Unit, ...]:
        """Return the units that one word or two may have been, in a fixed order."""
        units = self._found.get(heard)
        if units is None:
            listed = self._listed.get(heard[0], ()) if len(heard) == 1 else ()
            found: dict[Unit, None] = {(word,): None for word in listed}
            letters = _letters(heard)
            if letters.isalpha() and len(letters) <= LONGEST:
                found |= dict.fromkeys(self._by_letters.get(letters, ()))
                found |= dict.fromkeys(self._apart(heard))
                found |= dict.fromkeys(self._sounding(letters, len(heard)))
            found.pop(heard, None)
            units = tuple(found)
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            self._found[heard] = units
        return units

    def _apart(self, heard: Unit) -> Iterator[Unit]:
        """Yield two words of the house that were written as one that it does not have."""
        word = heard[0]
        if len(heard) == 1 and word not in self:
            for cut in range(2, len(word) - 1):
                if word[:cut] in self and word[cut:] in self:
                    yield word[:cut], word[cut:]

    def _sounding(self, letters: str, width: int) -> Iterator[Unit]:
        """Yield each unit that may sound alike; two short words have to share all that is hard to mishear."""
        if width == 2 and len(letters) <= SHORT:
            return
        sound, own = self._ear.sound(letters), set(letters)
        is_open = width == 1 or len(letters) >= 2 * LONG
        for key in _keys(letters, sound) if is_open else (skeleton(sound),):
            for unit in self._few(self._by_key.get(key, ()), letters[0]):
                if 2 * len(own.intersection("".join(unit))) >= len(own):
                    yield unit

    def _few(self, units: Sequence[Unit], first: str) -> Sequence[Unit]:
        """Return the units; of a crowd those that begin with the same letter, none if that is one still."""
        if len(units) > MOST_AT_A_SOUND:
            units = [unit for unit in units if unit[0][0] == first]
        return units if len(units) <= MOST_AT_A_SOUND else ()

    def _ending(self, heard: str) -> tuple[Unit, ...]:
        """Return words whose start was cut off: one letter, or two of a long one."""
        return (*self._by_key.get(f"${heard}", ()), *self._by_key.get(f"$${heard}", ()))

    def _enter(self, unit: Unit) -> None:
        letters = _letters(unit)
        if not letters.isalpha() or len(letters) > LONGEST:
            return
        self._by_letters.setdefault(letters, []).append(unit)
        self._sounds[letters] = self._ear.sound(letters)
        keys = set(_keys(letters if len(unit) == 1 else "", self._sounds[letters]))
        if len(unit) == 1 and len(letters) > SHORT:
            keys |= {f"${letters[1:]}"} | ({f"$${letters[2:]}"} if len(letters) > LONG else set())
        for key in keys:
            self._by_key.setdefault(key, []).append(unit)


def _units(name: Unit) -> Iterator[Unit]:
    """Yield the words of a name, and those that follow each other."""
    for word in name:
        yield (word,)
    yield from itertools.pairwise(name)


def _letters(unit: Unit) -> str:
    return "".join(unit).replace("'", "")


def _keys(letters: str, sound: str) -> Iterator[str]:
    """Yield what two words that are alike share: consonants but one, letters but one, or how they begin."""
    bones = skeleton(sound)
    yield bones
    if len(bones) > 2:
        yield from {bones[:cut] + bones[cut + 1 :] for cut in range(len(bones))}
    if len(letters) >= LONG:
        yield f"^{letters[:LONG]}"
        yield from {f"={letters[:cut]}{letters[cut + 1 :]}" for cut in range(len(letters))}
        yield f"={letters}"
