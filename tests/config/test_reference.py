from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest
import voluptuous as vol

from hub.config.record import options_of
from hub.config.reference import PAGE, described, main, page
from hub.config.root import Root
from hub.config.types import kind_of
from hub.loader import load, names


def test_the_page_in_docs_is_current() -> None:
    """If not: `python -m hub.config.reference`."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_key_and_every_integration_has_its_place() -> None:
    text = page()
    for key in options_of(Root):
        assert f"| `{key}` |" in text
    for name in names():
        assert f"### `type: {name}`" in text
        for key in options_of(load(name).options):
            assert f"| `{key}` |" in text


def test_it_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    main([str(tmp_path / "page.md")])
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == page()


@dataclass(frozen=True, kw_only=True)
class Part:
    level: Annotated[int, vol.Range(min=0, max=9)] = 3


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (str, "text"),
        (int | None, "whole number"),
        (Annotated[float, vol.Range(min=0)], "number of at least 0"),
        (Annotated[float, vol.Range(min=0, max=1, max_included=False)], "number from 0 and below 1"),
        (Literal["a", "b"], "`a`, `b`"),
        (tuple[str, ...], "list of text"),
        (dict[str, Part], "mapping of name: options, see below"),
        (float | Literal["auto"], "number or `auto`"),
    ],
)
def test_types_are_described_in_words(hint: object, words: str) -> None:
    assert described(kind_of(hint)) == words
