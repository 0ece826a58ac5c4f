from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.door.mask import HIDDEN, Mask


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters with a secret whose name does not say so."""

    word: str = field(default="", metadata={"secret": True})
    note: str = ""


@pytest.mark.parametrize("name", ["code", "pin", "PIN", "user_password", "api_key", "access-token", "secret"])
def test_a_secret_is_known_by_its_name(name: str) -> None:
    mask = Mask.over(Parameters, {name: "s3cret", "inner": [{name: 1234}]})
    assert mask.value({name: "s3cret"}) == {name: HIDDEN}
    assert mask.text("s3cret and 1234") == f"{HIDDEN} and {HIDDEN}"


@pytest.mark.parametrize("name", ["item", "color_name", "hvac_mode", "encoder", "pinned", "monkey"])
def test_what_is_none_stays_readable(name: str) -> None:
    assert Mask.over(Parameters, {name: "x"}).value({name: "x"}) == {name: "x"}


def test_a_parameter_may_say_that_it_is_secret() -> None:
    mask = Mask.over(Parameters, {"word": "sesame", "note": "say sesame"})
    assert mask.value({"word": "sesame", "note": "say sesame"}) == {"word": HIDDEN, "note": f"say {HIDDEN}"}


def test_a_secret_that_comes_back_as_a_number_is_hidden() -> None:
    given = {"code": "4711", "tried": [4711, 47110]}
    assert Mask.over(Parameters, given).value(given) == {"code": HIDDEN, "tried": [HIDDEN, 47110]}


def test_what_is_endless_is_cut_and_no_secret_shows_at_the_cut() -> None:
    endless = {"pin": "sesame", "text": "x" * 997 + "sesame", "k" * 5000: 10**5000, "n": 10**400}
    shown = Mask.over(Parameters, endless).value(endless)
    assert shown == {"pin": HIDDEN, "text": "x" * 997 + HIDDEN, "k" * 100 + "…": "…", "n": "…"}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(values)
def test_anything_becomes_strict_json(value: Any) -> None:
    json.dumps(Mask().value(value), allow_nan=False)


@settings(max_examples=100, deadline=None)
@given(values, st.text(st.characters(categories=["L"]), min_size=6))
def test_a_secret_stays_nowhere(value: Any, secret: str) -> None:
    given = {"pin": secret, "note": value, "said": f"my pin is {secret}!"}
    shown = json.dumps(Mask.over(Parameters, given).value(given), ensure_ascii=False)
    assert secret not in shown
