"""Sentences as a recogniser might have written them: one word heard wrong, by a seeded chance."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

HOMOPHONES = """to two too|for four|of off|mail male|night knight nite|right write|hall haul|weather whether
    |light lite|red read|blue blew|white wight|by buy|hour our|one won|eight ate|add ad|all awl|in inn|is his
    |what watt|close clothes|lock loch|room rheum|door dore|blind blinde|fan phan|set sett|time thyme|you ewe
    |turn tern|down doun|heat heed|list lissed|lamp lamb|garage garish|kitchen kitschen|and end|in and|and in
    |add and|add had|on own|it's its|vacuum vacume|music musick|volume vollume|start stard|the a|a the"""
_NEAR = "pb td kg fv sz mn"
_VOWELS = "ei ie ea ae oa ou uo ai"


def misheard(sentence: str, chance: random.Random) -> str:
    """Return the sentence with one word as it might have been heard, or as it was if that fails."""
    said = sentence.split()
    place = chance.randrange(len(said))
    error = chance.choice(_ERRORS)
    return error(said, place, chance)


def _with(said: list[str], place: int, word: str) -> str:
    return " ".join([*said[:place], word, *said[place + 1 :]])


def _homophone(said: list[str], place: int, chance: random.Random) -> str:
    groups = [group.split() for group in HOMOPHONES.split("|")]
    able = [n for n, word in enumerate(said) if any(word.lower() in group for group in groups)]
    if not able:
        return " ".join(said)
    place = chance.choice(able)
    others = [
        w for group in groups if said[place].lower() in group for w in group if w != said[place].lower()
    ]
    return _with(said, place, chance.choice(others))


def _swapped(pairs: str) -> Callable[[list[str], int, random.Random], str]:
    table = {pair[n]: pair[1 - n] for pair in pairs.split() for n in (0, 1)}

    def error(said: list[str], place: int, chance: random.Random) -> str:
        word = said[place]
        able = [n for n, letter in enumerate(word) if letter in table]
        if len(word) < 4 or not able:
            return " ".join(said)
        at = chance.choice(able)
        return _with(said, place, word[:at] + table[word[at]] + word[at + 1 :])

    return error


def _doubled(said: list[str], place: int, chance: random.Random) -> str:
    word = said[place]
    if double := re.search(r"([a-z])\1", word):
        return _with(said, place, word[: double.start()] + word[double.start() + 1 :])
    at = chance.randrange(len(word))
    return _with(said, place, word[:at] + word[at] + word[at:] if word.isalpha() else word)


def _plural(said: list[str], place: int, chance: random.Random) -> str:
    word = said[place]
    return _with(said, place, word[:-1] if word.endswith("s") and len(word) > 3 else f"{word}s")


def _ended(said: list[str], place: int, chance: random.Random) -> str:
    return _with(said, 0, said[0] + ("d" if said[0].endswith("e") else "ed"))


def _cut(said: list[str], place: int, chance: random.Random) -> str:
    return _with(said, 0, said[0][1:] if len(said[0]) > 3 else said[0])


def _apart(said: list[str], place: int, chance: random.Random) -> str:
    word = said[place]
    at = len(word) // 2
    return _with(said, place, f"{word[:at]} {word[at:]}" if len(word) > 5 else word)


def _together(said: list[str], place: int, chance: random.Random) -> str:
    joined = "".join(said[place : place + 2])
    return " ".join([*said[:place], joined, *said[place + 2 :]])


_ERRORS = (
    _homophone,
    _homophone,
    _homophone,
    _swapped(_NEAR),
    _swapped(_VOWELS),
    _swapped(_VOWELS),
    _doubled,
    _plural,
    _ended,
    _cut,
    _apart,
    _together,
)
