"""docs/intents.md tells what is understood; these tests keep it true."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from home_assistant_intents import get_intents

from hub.config.document import unmarked
from hub.config.schema import parse
from hub.intents.commands import CommandConfig
from hub.intents.deeds import UNSUPPORTED
from hub.intents.plan import SUPPORTED
from hub.phrases import load

PAGE = (Path(__file__).parents[2] / "docs" / "intents.md").read_text(encoding="utf-8")


def listed(section: str) -> set[str]:
    """Return the intents in the table under a heading."""
    body = PAGE.partition(f"### {section}\n")[2].partition("\n### ")[0]
    return set(re.findall(r"^\| (Hass\w+) \|", body, re.MULTILINE))


def test_every_supported_intent_is_listed() -> None:
    assert listed("Done") == SUPPORTED


def test_every_other_intent_is_listed_with_a_reason_and_has_a_sentence_that_says_so() -> None:
    assert listed("Understood, and not done yet") == set(UNSUPPORTED)
    assert all(load("en").say(key) for key in UNSUPPORTED.values())


def test_together_they_are_all_that_the_package_knows_in_english() -> None:
    content = get_intents("en")
    assert content is not None
    assert set(content["intents"]) == SUPPORTED | set(UNSUPPORTED)


def test_the_example_commands_can_be_read() -> None:
    blocks = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert blocks
    for commands in (yaml.safe_load(block)["commands"] for block in blocks):
        for name in commands:
            config, wrong = parse(CommandConfig, unmarked({"commands": commands}), ("commands", name))
            assert wrong == []
            assert config is not None
            assert config.phrases or config.intent
