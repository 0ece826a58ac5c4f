"""Which words of an answer were heard before it was broken off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_ENOUGH = 0.02
"""Seconds that may be missing of a sentence that was heard whole."""


def heard_part(sentences: Sequence[str], marks: Mapping[int | None, float], played: float) -> str:
    """Return the words that were heard within `played` seconds, joined by spaces.

    `marks` holds the seconds of sound of each sentence by its number, in order. Within a sentence every
    character is taken to last as long as the others, and a word counts when it was heard whole. Sound of
    unknown sentences is spread over them all.
    """
    if None in marks:
        whole = " ".join(sentences)
        return _part(whole, sum(marks.values()), played)
    found: list[str] = []
    for number, seconds in marks.items():
        if number is None or number >= len(sentences):
            continue
        found.append(_part(sentences[number], seconds, played))
        played -= seconds
        if played < _ENOUGH:
            break
    return " ".join(filter(None, found))


def _part(text: str, seconds: float, played: float) -> str:
    """Return the words of a text that lasts `seconds` which were heard whole after `played` of them."""
    if played >= seconds - _ENOUGH:
        return text
    reach = len(text) * max(played, 0.0) / seconds
    words: list[str] = []
    end = 0
    for word in text.split():
        end = text.index(word, end) + len(word)
        if end > reach:
            break
        words.append(word)
    return " ".join(words)
