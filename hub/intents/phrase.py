"""A phrase of a command: a hassil template, written out into the sentences it stands for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TypeAlias

from hub.intents.spoken import words

LONGEST_PHRASE = 500
"""Characters."""
DEEPEST = 10
"""Brackets inside brackets."""
MOST_SENTENCES = 1000
"""Sentences that one phrase may stand for."""

_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}


@dataclass(frozen=True, slots=True)
class Gap:
    """A place for a slot."""

    slot: str
    """Name of the slot that the value goes to."""
    values: str
    """Name of the list, range or free text it is taken from; `0..100` for a range on the spot."""


Piece: TypeAlias = "str | Gap"
Written: TypeAlias = "tuple[Piece, ...]"
"""One sentence: folded words and gaps."""


class PhraseError(ValueError):
    """A phrase that cannot be used; the text says why."""


def is_template(phrase: str) -> bool:
    """Whether the phrase is more than the words it is written with."""
    return any(sign in phrase for sign in "()[]{}<>|")


def written_out(phrase: str) -> tuple[Written, ...]:
    """Return every sentence the phrase stands for, each once; raises `PhraseError`."""
    if len(phrase) > LONGEST_PHRASE:
        raise PhraseError(f"is {len(phrase)} characters long; at most {LONGEST_PHRASE} can be said")
    if not is_template(phrase):
        return (_said(_plain(phrase)),)
    _check_brackets(phrase)
    from hassil.errors import HassilError
    from hassil.parse_expression import parse_sentence
    from hassil.parser import ParseError

    try:
        expression = parse_sentence(phrase).expression
    except (ParseError, HassilError, ValueError, AssertionError) as error:
        raise PhraseError("is not a sentence template that can be read") from error
    count = _count(expression)
    if count > MOST_SENTENCES:
        amount = "too many" if count > 10**9 else str(count)
        raise PhraseError(f"stands for {amount} sentences; at most {MOST_SENTENCES} are kept")
    found = dict.fromkeys(_said(pieces) for pieces in _sentences(expression))
    for sentence in found:
        _check_sentence(sentence)
    return tuple(found)


def _plain(phrase: str) -> list[Piece]:
    if not words(phrase):
        raise PhraseError("has no words")
    return [phrase]


def _check_brackets(phrase: str) -> None:
    open_: list[tuple[str, int]] = []
    for place, sign in enumerate(phrase, 1):
        if phrase[place - 2 : place - 1] == "\\":
            continue
        if sign in _PAIRS:
            open_.append((sign, place))
            if len(open_) > DEEPEST:
                raise PhraseError(f"has more than {DEEPEST} brackets inside each other")
        elif sign in _PAIRS.values():
            if not open_ or _PAIRS[open_[-1][0]] != sign:
                raise PhraseError(f"has a '{sign}' at character {place} that closes nothing")
            open_.pop()
    if open_:
        sign, place = open_[-1]
        raise PhraseError(f"has a '{sign}' at character {place} that is never closed")


def _count(expression: object) -> int:
    """Return for how many sentences a part of a template stands, without writing them out."""
    from hassil.expression import Alternative, Group, Permutation

    if not isinstance(expression, Group):
        return 1
    counts = [_count(item) for item in expression.items]
    if isinstance(expression, Alternative):
        return sum(counts)
    orders = math.factorial(len(counts)) if isinstance(expression, Permutation) else 1
    return math.prod(counts) * orders


def _sentences(expression: object) -> Iterator[list[Piece]]:
    from hassil.expression import Alternative, ListReference, Permutation, RuleReference, Sequence, TextChunk

    if isinstance(expression, TextChunk):
        yield [expression.text]
    elif isinstance(expression, ListReference):
        yield [Gap(expression.slot_name, expression.list_name)]
    elif isinstance(expression, RuleReference):
        raise PhraseError(f"uses the rule <{expression.rule_name}>; write out what it stands for")
    elif isinstance(expression, Alternative):
        for item in expression.items:
            yield from _sentences(item)
    elif isinstance(expression, Permutation):
        for order in permutations(expression.items):
            yield from _joined(order)
    elif isinstance(expression, Sequence):
        yield from _joined(expression.items)


def _joined(items: Sequence[object]) -> Iterator[list[Piece]]:
    """Yield every way to write the items one after the other; parts of a word grow together."""
    if not items:
        yield []
        return
    for rest in _joined(items[1:]):
        for first in _sentences(items[0]):
            if first and rest and isinstance(first[-1], str) and isinstance(rest[0], str):
                yield [*first[:-1], first[-1] + rest[0], *rest[1:]]
            else:
                yield [*first, *rest]


def _said(pieces: Sequence[Piece]) -> Written:
    """Return the words and gaps of a sentence."""
    said: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Gap):
            said.append(piece)
        else:
            said += [word.text for word in words(piece)]
    return tuple(said)


def _check_sentence(sentence: Written) -> None:
    if not sentence:
        raise PhraseError("may be said without saying anything: every part of it is optional")
    gaps = [piece.slot for piece in sentence if isinstance(piece, Gap)]
    for slot in gaps:
        if not slot.isidentifier():
            raise PhraseError(f"has a slot {{{slot}}}; a slot's name is letters, digits and _")
    doubled = {slot for slot in gaps if gaps.count(slot) > 1}
    if doubled:
        raise PhraseError(f"has the slot {{{min(doubled)}}} twice in one sentence")
