from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.intents.names import Names, Picture, forms
from hub.intents.reading import Reader, Reading
from hub.intents.sentences import Sentences
from hub.values.house import Area, Floor
from hub.values.thing import Thing
from tests.intents.homes import cases, homes, slug


@cache
def reader() -> Reader:
    sentences = Sentences.load("en-GB")
    assert sentences is not None
    return Reader(sentences)


@cache
def everything() -> Names:
    """Return a house with all that the homes of the test sentences hold."""
    things: dict[str, Thing] = {}
    areas: dict[str, Area] = {}
    floors: dict[str, Floor] = {}
    for home in homes().values():
        for area in home.get("areas", ()):
            areas[slug(area["name"])] = Area(id=slug(area["name"]), name=area["name"])
        for floor in home.get("floors", ()):
            floors[slug(floor["name"])] = Floor(id=slug(floor["name"]), name=floor["name"])
        for entity in home.get("entities", ()):
            thing_id = f"{entity['domain']}.{slug(entity['name'])}"
            things[thing_id] = Thing(id=thing_id, name=entity["name"])
    return Names(Picture(0, tuple(things.values()), areas, floors))


def both(text: str) -> tuple[tuple[Reading, ...], tuple[Reading, ...]]:
    """Read with the templates that fit, and with all there are."""
    names, read = everything(), reader()
    here = names.picture.areas["kitchen"]
    fitting = read.read(text, here, names, read.candidates(text, names))
    return fitting, read.read(text, here, names, read.sentences.templates)


def test_leaving_templates_out_never_changes_what_a_sentence_means() -> None:
    for case in cases()[::5]:
        fitting, plain = both(case["sentence"])
        assert fitting == plain, case["sentence"]


VOCABULARY = sorted({word for case in cases() for word in case["sentence"].split()})


@given(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=9))
@settings(max_examples=100, deadline=None)
def test_nor_does_it_for_any_words(words: list[str]) -> None:
    fitting, plain = both(" ".join(words))
    assert fitting == plain


@given(st.sampled_from(cases()[::7]), st.data())
@settings(max_examples=100, deadline=None)
def test_nor_for_sentences_with_other_words_in_them(case: dict[str, str], data: st.DataObject) -> None:
    words = case["sentence"].split()
    place = data.draw(st.integers(0, len(words)))
    words[place : place + data.draw(st.integers(0, 1))] = data.draw(
        st.lists(
            st.sampled_from(["please", "could you", "lamps", "jane", "twenty", "50%", "qwx", "first floor"])
        )
    )
    fitting, plain = both(" ".join(words))
    assert fitting == plain


def test_nor_for_a_name_with_a_skipped_word_inside() -> None:
    fitting, plain = both("turn on the overhead please light in the living for me room")
    assert fitting == plain
    assert [reading.slots for reading in fitting][:1] == [{"name": "Overhead Light", "area": "Living Room"}]


def test_few_templates_are_left_to_try() -> None:
    left = sorted(len(reader().candidates(case["sentence"], everything())) for case in cases())
    assert len(reader().sentences.templates) > 800
    assert left[len(left) // 2] <= 3
    assert left[-1] <= 60


def test_a_name_has_the_forms_a_recogniser_writes() -> None:
    assert list(forms("Dr. Smith's  TV-Lamp!")) == ["dr smith's tv-lamp", "dr smith's tv lamp"]
    assert list(forms("...")) == []
    assert list(forms("x" * 500)) == []


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("de", "Putzen zur Haushaltsliste hinzufügen", {"item": "Putzen", "name": "Haushalt"}),
        ("fr", "Reprends la lecture de l'épisode dans l'entrée", {"area": "Entrée"}),
    ],
)
def test_a_name_may_be_a_part_of_a_word(language: str, text: str, slots: dict[str, str]) -> None:
    sentences = Sentences.load(language)
    assert sentences is not None
    things = (Thing(id="todo.household", name="Haushalt"),)
    names = Names(Picture(0, things, {"entry": Area(id="entry", name="Entrée")}, {}))
    read = Reader(sentences)
    (best, *_) = read.read(text, None, names, read.candidates(text, names))
    assert best.slots == slots
