"""Sentences out of pieces of text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.remote.cut import Cutter


def _cut(*pieces: str) -> list[str]:
    cutter = Cutter()
    found = [sentence for piece in pieces for sentence in cutter.feed(piece)]
    return [*found, *filter(None, [cutter.rest()])]


@pytest.mark.parametrize(
    "sentences",
    [
        ["The light is on.", "It is late."],
        ["It costs $29.50 at 7.30 p.m. or so.", "Dear, is it?"],
        ["Dr. Who and J. R. live here!", "Really?"],
        ["He said: “Come in.”", "Then he left."],
        ["Es ist der 3. August.", "Übermorgen kommt er."],
        ["今日は晴れです。", "明日は雨です。"],
        ["هل الباب مغلق؟", "نعم."],
    ],
)
def test_sentences_come_out_whole_however_they_were_cut(sentences: list[str]) -> None:
    text = " ".join(sentences)
    assert _cut(text) == _cut(*text) == sentences


def test_a_blank_line_ends_a_sentence_at_once() -> None:
    cutter = Cutter()
    assert list(cutter.feed("No stop here\n\n")) == ["No stop here"]
    assert list(cutter.feed("Wrapped\nat the margin")) == []


def test_a_sentence_comes_as_soon_as_the_next_one_begins() -> None:
    cutter = Cutter()
    assert list(cutter.feed("The light is on. ")) == []
    assert list(cutter.feed("I")) == ["The light is on."]


def test_text_that_never_ends_is_cut_all_the_same() -> None:
    assert max(map(len, _cut("a" * 50_000))) <= 10_000


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet="ab. !?\n。Z1", max_size=8), max_size=12))
def test_nothing_is_lost_or_said_twice(pieces: list[str]) -> None:
    assert "".join("".join(_cut(*pieces)).split()) == "".join("".join(pieces).split())
