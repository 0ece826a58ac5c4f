import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.pipeline.answer import Answer
from hub.pipeline.plain import spoken


async def test_markdown_arrows_and_pictures_are_not_read_aloud() -> None:
    # inputs-that-failed-elsewhere.yaml, b41
    answer = Answer("en")
    answer.write("**Done** → `light.kitchen` is *on* ✅\n- 21.5 °C\n[link](http://x.y)")
    answer.end()
    said = [sentence async for sentence in answer.sentences.read()]
    assert said == ["Done, light.kitchen is on", "21.5 degrees", "link"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Turned on the light.", "Turned on the light."),
        ("It costs $29.50 (about 27 €).", "It costs $29.50 (about 27 €)."),
        ("**bold** and *thin* and __both__ and _one_", "bold and thin and both and one"),
        ("light.living_room and snake_case_name", "light.living_room and snake_case_name"),
        ("# Title", "Title"),
        ("> quoted", "quoted"),
        ("* [x] bought", "bought"),
        ("-5 °C outside", "-5 degrees outside"),
        ("70°F, 90° left", "70 degrees, 90 degrees left"),
        ("```python", ""),
        ("---", ""),
        ("|---|:---:|", ""),
        ("| milk | 2 |", "milk, 2"),
        ("see https://example.org/a?b=c.", "see."),
        ("see <https://example.org> and www.example.org now", "see and now"),
        ("![a cat](cat.png) here", "a cat here"),
        ("a -> b => c ← d", "a, b, c, d"),
        ("<b>loud</b><br/>and 3 < 5", "loud and 3 < 5"),
        ("5 * 3 = 15", "5 \u00d7 3 = 15"),
        ("👍🏽 good 👨\u200d👩\u200d👧 1\ufe0f\u20e3", "good 1"),
        ("✅", ""),
        ("...", ""),
        ("zero\u200bwidth \u202eturned", "zerowidth turned"),
        ("© 2026 № 5", "© 2026 № 5"),
        ("Καλημέρα, здравствуйте, 你好, مرحبا", "Καλημέρα, здравствуйте, 你好, مرحبا"),
    ],
)
def test_text_becomes_what_is_said(text: str, said: str) -> None:
    assert spoken(text) == said


@pytest.mark.parametrize(
    ("language", "word"), [("de", "Grad"), ("fr-CA", "degrés"), ("nl", "graden"), ("es", "grados")]
)
def test_degrees_are_said_in_the_language(language: str, word: str) -> None:
    assert spoken("21.5 °C", language) == f"21.5 {word}"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=400))
def test_nothing_unspeakable_is_left(text: str) -> None:
    said = spoken(text)
    assert not set(said) & set("*`\u2190\u2192\u2705\ufe0f\u200d")
    assert "http://" not in said
    assert said == said.strip()


def test_a_nasty_text_takes_no_time() -> None:
    for unit in ("[", "](", "<", "-", "=", "| ", "> ", "_", "*", "http://", ", ", "- "):
        spoken(unit * 400)
