from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.intents.sound import Ear, skeleton

WORDS = st.text(string.ascii_lowercase + "äöüßéèçñ", min_size=1, max_size=12)


def likeness(language: str, heard: str, meant: str) -> float:
    ear = Ear.of(language)
    return ear.likeness(heard, meant, ear.sound(heard), ear.sound(meant))


@pytest.mark.parametrize(
    ("language", "heard", "meant"),
    [
        ("en", "lamb", "lamp"),
        ("en", "mail", "male"),
        ("en", "lumus", "lumos"),
        ("en", "leaving", "living"),
        ("en", "knight", "night"),
        ("en", "of", "off"),
        ("en", "blend", "blind"),
        ("de", "wonzimmer", "wohnzimmer"),
        ("de", "steelampe", "stehlampe"),
        ("de-AT", "vlur", "flur"),
        ("fr", "cuisines", "cuisine"),
        ("nl", "ligt", "licht"),
        ("es", "bentilador", "ventilador"),
        ("es", "cosina", "cocina"),
        ("sv", "kök", "kok"),
    ],
)
def test_what_sounds_alike_is_alike(language: str, heard: str, meant: str) -> None:
    assert likeness(language, heard, meant) >= 0.8


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        ("ramp", "lamp"),
        ("red", "bed"),
        ("bathroom", "bedroom"),
        ("on", "off"),
        ("in", "on"),
        ("up", "down"),
        ("open", "close"),
        ("start", "stop"),
        ("lock", "unlock"),
        ("increase", "decrease"),
        ("fifteen", "fifty"),
        ("kitchen", "chicken"),
        ("hall", "wall"),
        ("timer", "time"),
    ],
)
def test_what_means_the_opposite_or_another_place_is_not(heard: str, meant: str) -> None:
    assert likeness("en", heard, meant) < 0.8
    assert likeness("en", meant, heard) < 0.8


@given(WORDS, WORDS, st.sampled_from(["en", "de", "fr", "nl", "es", "fi", ""]))
def test_a_likeness_lies_between_none_and_the_same(one: str, two: str, language: str) -> None:
    assert 0 <= likeness(language, one, two) <= 1
    assert likeness(language, one, one) == 1
    assert skeleton(Ear.of(language).sound(one)) == skeleton(Ear.of(language).sound(one))
