from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.intents.numbers import NumberWords
from hub.intents.spoken import Manner, number, variants, words
from hub.phrases import Heard, load

MANNER = Manner(load("en").heard)
NUMBERS = NumberWords("en", ("point",))


@pytest.mark.parametrize(
    ("text", "plain", "bare"),
    [
        ("um turn it on", "um turn it on", "turn it on"),
        ("Hey, Jarvis: turn it on.", "Hey, Jarvis: turn it on.", "turn it on."),
        ("Uh, okay nabu... so turn it on, please!", "Uh, okay nabu... so turn it on, please!", "turn it on"),
        ("Turn it on. Turn it on.", "Turn it on", "Turn it on"),
        ("turn on turn on turn on", "turn on", "turn on"),
        ("no no", "no no", "no no"),
        ("please", "please", "please"),
        ("um", "um", "um"),
        ("20 point 5\tdegrees\x00", "20.5 degrees", "20.5 degrees"),
        ("umbrella on", "umbrella on", "umbrella on"),
        ("call me Computer", "call me Computer", "call me Computer"),
    ],
)
def test_what_is_around_a_wish(text: str, plain: str, bare: str) -> None:
    assert MANNER.plain(text) == plain
    assert list(variants(MANNER, plain))[-1] == bare


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_keeps_some_of_its_words(text: str) -> None:
    plain = MANNER.plain(text)
    assert MANNER.plain(plain) == plain
    for variant in variants(MANNER, plain):
        assert bool(words(variant)) == bool(words(plain))
    MANNER.canonical(NUMBERS.digits(plain))


def test_a_language_without_manners_changes_nothing() -> None:
    bare = Manner(Heard())
    assert list(variants(bare, "um turn it on please")) == ["um turn it on please"]
    assert bare.canonical("it's 4 am") == "it's 4 am"


def test_words_and_numbers() -> None:
    assert [word.text for word in words("Set it, to 20,5% (now)! It\u2019s")] == [
        "set",
        "it",
        "to",
        "20,5",
        "%",
        "now",
        "it's",
    ]
    assert (number("20,5"), number("-3"), number("x"), number("1.2.3")) == (20.5, -3.0, None, None)


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("twenty point five degrees", "20.5 degrees"),
        ("twenty-five or six", "25 or 6"),
        ("one hundred", "100"),
        ("4:00 and 20 point 5", "4:00 and 20 point 5"),
        ("nothing here", "nothing here"),
    ],
)
def test_number_words_become_digits(text: str, digits: str) -> None:
    assert NUMBERS.digits(text) == digits


def test_a_language_that_has_no_number_words_still_reads_digits() -> None:
    unknown = NumberWords("tlh", ())
    assert unknown.at(["5", "five"], 0) == (5.0, 1)
    assert unknown.at(["5", "five"], 1) is None
