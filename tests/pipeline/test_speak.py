import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.pipeline.speak import LONGEST, SentenceCutter

LIMIT = settings(max_examples=100, deadline=None)


def cut(text: str, language: str = "en", size: int = 3) -> list[str]:
    cutter = SentenceCutter(language)
    found = [piece for at in range(0, len(text), size) for piece in cutter.feed(text[at : at + size])]
    return found + cutter.end()


WHOLE = [
    "It costs $29.50 today.",
    "Dr. Smith and Mrs. Jones are here.",
    "It is 21.5 °C in the kitchen.",
    "Bring fruit, e.g. apples, i.e. what you like.",
    "See https://example.org/a.b?c=d.e for more.",
    "Write to anna@example.org today.",
    "The train leaves at 7:30 a.m. on Monday.",
    "Hmm... let me see.",
    "Well… maybe.",
    "Version 1.2.3 is out.",
    "J. R. R. Tolkien wrote it.",
    "It is on 192.0.2.7 now.",
    'He said "Stop!" and left.',
    "The U.S. President spoke.",
    "Take no. 5 or No. 7.",
    "That is 1,234.56 in all.",
    "Use light.turn_on for that.",
]


@pytest.mark.parametrize("sentence", WHOLE)
@pytest.mark.parametrize("size", [1, 4, 1000])
def test_a_sentence_stays_whole(sentence: str, size: int) -> None:
    assert cut(f"{sentence} Then more.", size=size) == [sentence, "Then more."]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Done. The light is on.", ["Done.", "The light is on."]),
        ("Really? Yes! Good.", ["Really?", "Yes!", "Good."]),
        ("No. The light is off.", ["No.", "The light is off."]),
        ("So do I. Then he went.", ["So do I.", "Then he went."]),
        ("It is 5. Then it was 6.", ["It is 5.", "Then it was 6."]),
        ("He came at 7 p.m. Then he left.", ["He came at 7 p.m.", "Then he left."]),
        ("First line\nsecond line", ["First line", "second line"]),
        ("1. Open it.\n2. Close it.", ["1. Open it.", "2. Close it."]),
        ("**Done.** Next one.", ["**Done.**", "Next one."]),
        ('"Stop." Then "go."', ['"Stop."', 'Then "go."']),
        ("好。再见\uff01很好", ["好。", "再见\uff01", "很好"]),
        ("Wait... What?", ["Wait...", "What?"]),
        ("  \n \n", []),
        ("", []),
    ],
)
def test_sentences_are_cut(text: str, pieces: list[str]) -> None:
    assert cut(text) == pieces


def test_german_ordinals_stay_whole() -> None:
    text = "Am 3. Mai kommt z.B. Dr. Müller um 7.30 Uhr. Gut so."
    assert cut(text, "de") == ["Am 3. Mai kommt z.B. Dr. Müller um 7.30 Uhr.", "Gut so."]


def test_the_first_sentence_comes_as_soon_as_it_is_certain() -> None:
    cutter = SentenceCutter()
    assert cutter.feed("The light is on.") == []
    assert cutter.feed(" The") == ["The light is on."]
    assert cutter.feed(" fan too.\n") == ["The fan too."]
    assert cutter.feed("好。再") == ["好。"]


def test_a_text_without_end_is_cut_at_a_comma() -> None:
    pieces = cut("one two three four five, " * 100)
    assert all(len(piece) <= LONGEST for piece in pieces)
    assert all(piece.endswith(("five,", "five")) for piece in pieces)


def test_a_word_without_end_is_cut_all_the_same() -> None:
    pieces = cut("x" * 2000)
    assert [len(piece) for piece in pieces] == [LONGEST] * 5


words = st.text(st.sampled_from("aBc1.!?…。,;:\"')*\u00b0$é"), min_size=1, max_size=12)
texts = st.lists(st.tuples(words, st.sampled_from([" ", "  ", "\n", "\n\n", "\t"])), max_size=60).map(
    lambda pairs: "".join(word + space for word, space in pairs)
)


@LIMIT
@given(texts, st.integers(1, 50), st.sampled_from(["en", "de", "ja"]))
def test_joined_pieces_have_the_words_of_the_text(text: str, size: int, language: str) -> None:
    pieces = cut(text, language, size)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(piece and piece == piece.strip() and len(piece) <= LONGEST for piece in pieces)
    if "。" not in text:
        assert " ".join(pieces).split() == text.split()


@LIMIT
@given(texts, st.integers(1, 50))
def test_how_a_text_comes_makes_no_difference(text: str, size: int) -> None:
    if len(text) < LONGEST:
        assert cut(text, size=size) == cut(text, size=10_000)


@LIMIT
@given(st.text(max_size=3000))
def test_any_text_is_cut_without_loss(text: str) -> None:
    pieces = cut(text, size=17)
    assert "".join("".join(pieces).split()) == "".join(text.split())
