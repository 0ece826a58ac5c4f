"""Which words of a broken-off answer were heard."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.pipeline.heard import heard_part

NUMBERS = ["one, two, three, four, five,", "six, seven, eight."]


@pytest.mark.parametrize(
    ("played", "heard"),
    [
        (0.0, ""),
        (0.3, "one,"),
        (1.6, "one, two, three, four,"),
        (2.0, "one, two, three, four, five,"),
        (2.5, "one, two, three, four, five, six,"),
        (9.0, "one, two, three, four, five, six, seven, eight."),
    ],
)
def test_what_was_heard_ends_with_the_last_whole_word(played: float, heard: str) -> None:
    assert heard_part(NUMBERS, {0: 2.0, 1: 1.5}, played) == heard


def test_sound_of_unknown_sentences_is_spread_over_all() -> None:
    assert heard_part(NUMBERS, {None: 3.0}, 3.0) == " ".join(NUMBERS)
    assert heard_part(NUMBERS, {None: 3.0}, 1.5) == "one, two, three, four,"


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text("abc ", min_size=1, max_size=20).filter(str.strip), min_size=1, max_size=4),
    st.floats(0, 20),
    st.floats(0.1, 5),
)
def test_it_is_always_a_beginning_of_the_answer(sentences: list[str], played: float, each: float) -> None:
    heard = heard_part(sentences, dict.fromkeys(range(len(sentences)), each), played)
    whole = " ".join(sentences).split()
    assert heard.split() == whole[: len(heard.split())]
    if played >= each * len(sentences):
        assert heard.split() == whole
