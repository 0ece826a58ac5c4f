from __future__ import annotations

import math

import pytest

from hub.config.scalars import plain

WORDS = """
on off yes no y 7:30 10:30:00 0123 -007 007.5 00 1_000 0b11 0o8 2024-01-01 1.2.3 tRUE nULL + - . ..
1e e5 0x 1,5 = << inf
"""


@pytest.mark.parametrize("text", WORDS.split())
def test_what_yaml_1_2_calls_text_stays_text(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("12", 12),
        ("+12", 12),
        ("-12", -12),
        ("0x1F", 31),
        ("0o17", 15),
        ("1.5", 1.5),
        ("-.5", -0.5),
        ("2.", 2.0),
        ("1e3", 1000.0),
        ("1.5E-1", 0.15),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
    ],
)
def test_numbers_booleans_and_nothing_are_what_they_look_like(text: str, value: object) -> None:
    found = plain(text)
    assert found == value
    assert type(found) is type(value)


def test_not_a_number_is_a_number_of_yaml() -> None:
    found = plain(".nan")
    assert isinstance(found, float)
    assert math.isnan(found)


def test_a_number_of_absurd_length_is_text() -> None:
    assert plain("9" * 5000) == "9" * 5000
    assert plain("0x" + "f" * 5000) == "0x" + "f" * 5000
