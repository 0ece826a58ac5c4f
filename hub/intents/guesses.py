"""What may have been said instead of a sentence, the likeliest first, and what each guess would mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Protocol, runtime_checkable

import voluptuous as vol

from hub.intents.lexicon import Lexicon, Option, Unit
from hub.intents.spoken import Word
from hub.values.intent import Match, Miss
from hub.values.session import Session

MOST_PAIRED = 16
"""Single changes, the likeliest, that are also tried two at a time."""
MOST_PAIRED_STRANGE = 4
"""Words that the house does not know in a sentence that is changed in two places."""
MOST_FREE = 3
"""Words of a repaired sentence that may be neither of the house nor of a command: an item for a list."""

_SHORT = 2
"""Words of a sentence that leave little room to be sure."""
_DONE = "ed"
"""Ends a verb that tells of the past."""

_Part = Annotated[float, vol.Range(min=0.0, max=1.0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairLimits:
    """How sure the hub must be that it heard a name or a word of a command wrong."""

    likeness: _Part = 0.8
    """How much what was heard and what was meant must sound and look alike, 0 to 1."""
    margin: _Part = 0.1
    """By how much the best guess must be better than the next one that means something else."""
    certain: _Part = 0.9
    """The likeness that is needed where more letters of a sentence would change than stay."""
    longest: Annotated[int, vol.Range(min=0, max=50)] = 24
    """Words of a sentence that is repaired; nobody speaks longer commands. 0 repairs nothing."""
    tries: Annotated[int, vol.Range(min=1, max=100)] = 12
    """Guesses that are thought through; where that does not show the one that was meant, none is taken."""


class Sieve(Protocol):
    """Tells quickly which changes of one sentence may help."""

    def may(self, count: int) -> bool:
        """Whether so many changes, 1 or 2, can help at all."""

    def spares(self, start: int, end: int) -> bool:
        """Whether one change of these words alone may help."""

    def hints(self, change: Option) -> bool:
        """Whether the change, with another one, may help."""

    def passes(self, changes: Sequence[Option]) -> bool:
        """Whether the sentence may be understood with these changes."""


@runtime_checkable
class Repairable(Protocol):
    """A recogniser whose sentences are known, so that one nearly said can be found."""

    async def literals(self, session: Session) -> frozenset[Unit]:
        """Return the words of its sentences; the same object until they change."""

    async def sieve(self, said: Sequence[str], session: Session) -> Sieve | None:
        """Return what tells which changes of these (folded) words may help; None: no change can."""

    async def glance(self, text: str, session: Session) -> Match | Miss | None:
        """Return what the whole text means, or why that cannot be done; None, at once, for any other text."""


@dataclass(frozen=True, slots=True)
class Guess:
    """What may have been said."""

    text: str
    changes: tuple[Option, ...]
    score: float

    @property
    def rank(self) -> tuple[float, int, str]:
        """Order of guesses: the likeliest first."""
        return -self.score, len(self.changes), self.text

    def overdoes(self, other: Guess) -> bool:
        """Whether it makes all changes that the other makes, word for word, and further ones for nothing."""
        return _words_changed(self.changes) > _words_changed(other.changes)


@dataclass(frozen=True, slots=True)
class Sentence:
    """What was heard, without what people say around a wish."""

    text: str
    said: Sequence[Word]
    session: Session

    @property
    def folded(self) -> list[str]:
        """Its words."""
        return [word.text for word in self.said]

    def changed(self, changes: Sequence[Option]) -> str:
        """Return the text with these changes, which are in its order."""
        parts, place = [], 0
        for change in changes:
            parts += [self.text[place : self.said[change.start].start], " ".join(change.meant)]
            place = self.said[change.end - 1].end
        return "".join((*parts, self.text[place:]))

    def heard(self, change: Option) -> str:
        """Return the words that were heard in its place."""
        return self.text[self.said[change.start].start : self.said[change.end - 1].end]


class Search:
    """One sentence's guesses, and what they mean."""

    def __init__(
        self,
        sentence: Sentence,
        lexicon: Lexicon,
        sieves: Mapping[Repairable, Sieve],
        limits: RepairLimits,
    ) -> None:
        self.sentence = sentence
        self.lexicon = lexicon
        self.limits = limits
        self._sieves = sieves
        self._strange = {n for n, word in enumerate(sentence.folded) if not lexicon.knows(word)}
        """Places of words that are of no name and no sentence of this house."""
        self._guesses: list[Guess] = []

    def look(self) -> None:
        """Gather the guesses with one change, the likeliest first; waits for nothing."""
        if self._may(1):
            few = ((one,) for one in self._changing(self._is_spared))
            self._guesses = sorted(self._passing(few), key=lambda one: one.rank)

    def look_further(self) -> None:
        """Gather the guesses with two changes; then no word may be left that the house does not know."""
        self._guesses = []
        if self._may(2) and len(self._strange) <= MOST_PAIRED_STRANGE:
            self._guesses = sorted(self._passing(self._pairs()), key=lambda one: one.rank)

    def _is_spared(self, start: int, end: int) -> bool:
        """Whether all words but these may be right, and no more of them free than may be."""
        return len(self._strange.difference(range(start, end))) <= MOST_FREE and any(
            sieve.spares(start, end) for sieve in self._sieves.values()
        )

    def _changing(self, is_wanted: Callable[[int, int], bool]) -> Iterator[Option]:
        said = self.sentence.folded
        for start, end in self.lexicon.spans(said):
            if is_wanted(start, end):
                yield from self.lexicon.options(said, start, end)

    def _may(self, count: int) -> bool:
        return any(sieve.may(count) for sieve in self._sieves.values())

    def _pairs(self) -> Iterator[tuple[Option, ...]]:
        """Yield two of the likeliest changes at a time."""
        sieves = self._sieves.values()
        options = self._changing(lambda *_: True)
        hints = [one for one in options if any(sieve.hints(one) for sieve in sieves)]
        if not self._strange <= _places(hints):
            return
        scored = [(self.lexicon.score(one), one) for one in hints]
        scored = [pair for pair in scored if pair[0] >= self.limits.likeness]
        scored.sort(key=lambda pair: (-pair[0], pair[1].start, pair[1].end, pair[1].meant))
        likely = sorted((one for _, one in scored[:MOST_PAIRED]), key=place_of)
        for one, two in combinations(likely, 2):
            if one.end <= two.start and self._strange <= _places((one, two)):
                yield one, two

    def _passing(self, several: Iterable[tuple[Option, ...]]) -> Iterator[Guess]:
        for changes in several:
            if any(sieve.passes(changes) for sieve in self._sieves.values()):
                scores = [self.lexicon.score(change) for change in changes]
                if all(scores):
                    score = round(1 - sum(1 - score for score in scores), 3)
                    yield Guess(self.sentence.changed(changes), changes, score)

    async def think(self) -> list[tuple[Guess, Match | Miss]] | None:
        """Return the best guess that is understood and all that come near it; None if there are too many."""
        found: list[tuple[Guess, Match | Miss]] = []
        for count, guess in enumerate(self._guesses):
            if found and guess.score <= found[0][0].score - self.limits.margin:
                break
            if count == self.limits.tries:
                return None
            for recognizer in self._sieves:
                answer = await recognizer.glance(guess.text, self.sentence.session)
                if answer is not None:
                    found.append((guess, answer))
                    break
        return found

    def is_sure(self, guess: Guess) -> bool:
        """Whether it may be done without a question.

        Two words, or what is to be done in three, are easily those of another sentence ("part time" is no
        "party time"), and who says that something was done does not ask for it ("closed the door").
        """
        length = len(self.sentence.said)
        return not any(
            _is_another_form(one)
            or (
                (length <= _SHORT or (length == _SHORT + 1 and one.start == 0))
                and not self.lexicon.sounds_alike(one)
                and self.lexicon.score(one) < self.limits.certain
            )
            for one in guess.changes
        )

    def is_near(self, guess: Guess) -> bool:
        """Whether the guess is like enough what was heard, and enough of the sentence stays as it was."""
        said, limits = self.sentence.folded, self.limits
        changed = _places(guess.changes)
        known = [word for n, word in enumerate(said) if n not in changed and self.lexicon.knows(word)]
        stays, goes = sum(map(len, known)), sum(len(said[place]) for place in changed)
        least = limits.likeness if stays >= goes else max(limits.certain, limits.likeness)
        return all(self.lexicon.score(change) >= least for change in guess.changes)


def _places(changes: Iterable[Option]) -> set[int]:
    return {place for one in changes for place in range(one.start, one.end)}


def _is_another_form(change: Option) -> bool:
    """Whether a verb was only in the past: "turned" for "turn"."""
    heard, meant = change.heard[0], change.meant[0]
    return change.start == 0 and heard != meant and heard in (meant + _DONE, meant + _DONE[1:])


def _words_changed(changes: Iterable[Option]) -> set[tuple[int, str]]:
    """Return the words that are others than those heard, with their places."""
    several = [one for one in changes if len(one.heard) != len(one.meant)]
    found = {(one.start, " ".join(one.meant)) for one in several}
    for one in changes:
        if one not in several:
            pairs = enumerate(zip(one.heard, one.meant, strict=True), start=one.start)
            found |= {(place, meant) for place, (heard, meant) in pairs if heard != meant}
    return found


def place_of(option: Option) -> tuple[int, int]:
    """Return where in the sentence the option is."""
    return option.start, option.end
