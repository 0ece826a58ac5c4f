from __future__ import annotations

from typing import Any

import pytest

from hub.config.words import dotted, joined, known, shown


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("a",), "a"),
        (("policies", 0, "tools", 12), "policies[0].tools[12]"),
        (("things", "light.a", True), "things.light.a.True"),
        (("a\nb\x1b",), "a�b�"),
        (("x" * 500,), "x" * 60),
    ],
)
def test_paths_are_written_with_dots(path: tuple[Any, ...], text: str) -> None:
    assert dotted(path) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        (True, "true"),
        ("it's", '"it\'s"'),
        ("a\nb\x1b", r"'a\nb\x1b'"),
        ("x" * 500, "'" + "x" * 60 + "…'"),
        (5.5, "5.5"),
        ({"a": 1}, "a mapping"),
        ([1], "a list"),
        (b"x", "a bytes"),
    ],
)
def test_values_are_shown_short_and_on_one_line(value: Any, text: str) -> None:
    assert shown(value) == text


def test_known_names_are_listed_up_to_a_limit() -> None:
    assert known(()) == "there is none"
    assert known(("a",)) == "there is a"
    assert known(map(str, range(15))) == "there are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more"


def test_words_are_joined() -> None:
    assert joined(()) == ""
    assert joined(("a", "b", "c")) == "a, b or c"
