"""What strangers say of themselves is taken as far as it makes sense."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.remote.offer import Offer, fitting
from hub.remote.wire import Event

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "models", "voices", "languages", "speakers", "installed"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(["asr", "tts", "wake"]), VALUES))
def test_any_description_at_all_is_read(data: dict[str, object]) -> None:
    offer = Offer.read(Event("info", data))
    assert Offer.read(offer.event()) == offer


@pytest.mark.parametrize(
    ("language", "known", "found"),
    [
        ("en", ["de", "en"], "en"),
        ("en-US", ["en"], "en"),
        ("en", ["en_US", "en_GB"], "en_US"),
        ("de-AT", ["de_DE", "de-AT"], "de-AT"),
        ("de-AT", ["de_DE", "de"], "de"),
        ("de-AT", ["de_DE"], "de_DE"),
        ("fr", ["de"], "fr"),
        ("fr", [], "fr"),
        (None, ["de"], None),
    ],
)
def test_a_language_is_asked_for_by_the_name_the_server_has_for_it(
    language: str | None, known: list[str], found: str | None
) -> None:
    assert fitting(language, known) == found
