"""How people speak: the same wish with a filler in front, a "please" behind, or said twice."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hub.phrases import Heard

MAX_CHARACTERS = 1000
"""Longest sentence that is looked at; people do not speak longer commands."""

_WORD = re.compile(r"-?\d+(?:[.,]\d+)*|[^\W_]+(?:['\u2019][^\W_]+)*|[%°]")
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?$")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a sentence, folded for comparison, with its place in the text."""

    text: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """Return the words of `text` without case and punctuation; numbers and `%` stand alone."""
    return [
        Word(match[0].casefold().replace("\u2019", "'"), match.start(), match.end())
        for match in _WORD.finditer(text)
    ]


def number(word: str) -> float | None:
    """Return the number that a word in digits stands for, with a point or a comma."""
    return float(word.replace(",", ".")) if _NUMBER.match(word) else None


class Manner:
    """What one language puts around a wish. Keeps nothing between sentences."""

    def __init__(self, heard: Heard) -> None:
        fillers, wake = _any(heard.fillers), _any(heard.wake_words)
        self._lead = re.compile(rf"^[\W_]*(?:(?:{fillers}|{wake})(?:[\W_]+|$))+", re.IGNORECASE)
        self._tail = re.compile(rf"(?<=\w)[\W_]+(?:(?:{_any(heard.polite)})[\W_]*)+$", re.IGNORECASE)
        self._point = re.compile(rf"(?<=\d) +(?:{_any(heard.point)}) +(?=\d)", re.IGNORECASE)
        halves = {"am": heard.morning, "pm": heard.afternoon}
        self._hours = tuple(
            (re.compile(rf"\b(\d{{1,2}})(?:[:.](\d\d))?\s*{_spelled(said)}(?!\w)", re.IGNORECASE), half)
            for half, said in halves.items()
            if said
        )
        self._same = tuple(
            (re.compile(rf"(?<!\w){re.escape(said)}(?!\w)", re.IGNORECASE), one)
            for said, one in heard.same.items()
        )

    def plain(self, text: str) -> str:
        """Return the text on one line, with decimals in digits, and once if it was said twice."""
        if not text.isascii():
            text = unicodedata.normalize("NFC", text).replace("\u2019", "'")
        if not text.isprintable():
            text = "".join(c if c.isprintable() else " " for c in text)
        return _once(self._point.sub(".", " ".join(text.split())))

    def polite(self, text: str) -> str:
        """Return a plain text without the politeness at its end."""
        return self._tail.sub("", text) or text

    def bare(self, text: str) -> str:
        """Return a plain text without politeness, fillers and a wake word left in front."""
        return self.polite(self._lead.sub("", text) or text)

    def canonical(self, text: str) -> str:
        """Return the one form that stands for all ways to write the same; for comparisons only."""
        for pattern, one in self._same:
            text = pattern.sub(one, text)
        for pattern, half in self._hours:
            text = pattern.sub(lambda match, half=half: _hour(match, half), text)  # type: ignore[misc]
        return text


def variants(manner: Manner, text: str) -> Iterator[str]:
    """Yield a plain text as it was said, then with less and less around the wish."""
    seen: set[str] = set()
    for variant in (text, manner.polite(text), manner.bare(text)):
        if variant not in seen:
            seen.add(variant)
            yield variant


def _once(text: str) -> str:
    """Return the first of two or three equal halves or thirds of at least two words each."""
    folded = text.casefold()
    first = folded.partition(" ")[0].strip(".,!?")
    if folded.count(first) < 2:
        return text
    said = words(text)
    for times in (2, 3):
        length, rest = divmod(len(said), times)
        if rest or length < 2:
            continue
        parts = [[word.text for word in said[i * length : (i + 1) * length]] for i in range(times)]
        if all(part == parts[0] for part in parts):
            return text[: said[length - 1].end]
    return text


def _hour(match: re.Match[str], half: str) -> str:
    minutes = f":{match[2]}" if match[2] and match[2] != "00" else ""
    return f"{int(match[1])}{minutes} {half}"


def _any(said: Iterable[str]) -> str:
    """Return a pattern for any of these words; one that matches nothing when there are none."""
    longest_first = sorted(said, key=len, reverse=True)
    return "|".join(r"[\W_]+".join(map(re.escape, one.split())) for one in longest_first) or r"(?!)"


def _spelled(said: Iterable[str]) -> str:
    """Return a pattern for words that may be spelled with dots: `am`, `a.m.`."""
    return "(?:" + "|".join(r"\.?\s?".join(map(re.escape, one)) + r"\.?" for one in said) + ")"
