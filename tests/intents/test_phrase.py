from __future__ import annotations

import pytest
from hassil.parse_expression import parse_sentence
from hassil.recognize import is_match
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hub.intents.phrase import MOST_SENTENCES, Gap, PhraseError, written_out


def sentences(phrase: str) -> set[str]:
    return {
        " ".join(f"{{{piece.slot}}}" if isinstance(piece, Gap) else piece for piece in sentence)
        for sentence in written_out(phrase)
    }


def test_a_template_stands_for_all_its_sentences() -> None:
    assert sentences("Good night!") == {"good night"}
    assert sentences("[turn] (on|off) the light[s]") == {
        f"{turn}{state} the light{s}" for turn in ("turn ", "") for state in ("on", "off") for s in ("s", "")
    }
    assert sentences("(red;wine) {area:room}") == {"red wine {room}", "wine red {room}"}
    assert sentences("dim to {0..100:level}%") == {"dim to {level} %"}


@pytest.mark.parametrize(
    ("phrase", "reason"),
    [
        ("turn (on", "'(' at character 6 that is never closed"),
        ("turn on)", "')' at character 8 that closes nothing"),
        ("turn (on]", "']' at character 9 that closes nothing"),
        ("[anything]", "without saying anything"),
        ("", "has no words"),
        ("?!", "has no words"),
        ("turn <on>", "uses the rule <on>"),
        ("{item} and {item}", "the slot {item} twice"),
        ("put {item:} there", "a slot {}"),
        ("{}", "not a sentence template"),
        ("(" * 11 + "a" + ")" * 11, "more than 10 brackets"),
        ("[a]" * 11, "2048 sentences; at most 1000"),
        ("(a;b;c;d;e;f;g;h)", "40320 sentences"),
        ("(" + ";".join("abcdefghijklmnopqrstuvwxyz" * 4) + ")", "too many sentences"),
        ("x" * 10_000, "10000 characters"),
        ("[a]" * 3_000, "9000 characters"),
    ],
)
def test_a_phrase_that_cannot_be_used_says_why(phrase: str, reason: str) -> None:
    with pytest.raises(PhraseError) as caught:
        written_out(phrase)
    assert reason in str(caught.value)


@given(st.text(alphabet="ab ()[]{}<>|;:.,\\@", max_size=60) | st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_is_a_phrase_or_is_refused(text: str) -> None:
    try:
        found = written_out(text)
    except PhraseError:
        return
    assert 0 < len(found) <= MOST_SENTENCES


TEMPLATES = st.recursive(
    st.sampled_from(["red", "lamp", "on"]),
    lambda inner: st.one_of(
        inner.map(lambda one: f"[{one}]"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}|{two[1]})"),
        st.tuples(inner, inner).map(" ".join),
    ),
    max_leaves=6,
)


@given(TEMPLATES, st.lists(st.sampled_from(["red", "lamp", "on"]), min_size=1, max_size=4).map(" ".join))
@settings(max_examples=100, deadline=None)
def test_what_is_written_out_is_what_hassil_matches(template: str, text: str) -> None:
    try:
        found = sentences(template)
    except PhraseError:
        assume(False)
    assert (text in found) == (is_match(text, parse_sentence(template)) is not None)
    for sentence in found:
        assert is_match(sentence, parse_sentence(template)) is not None
