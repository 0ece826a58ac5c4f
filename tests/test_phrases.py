from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from hub.errors import ConfigError
from hub.phrases import FOLDER, languages, load, read


def test_every_language_is_whole() -> None:
    assert "en" in languages()
    for language in languages():
        assert load(language).language == language


def test_a_language_is_found_by_its_family_and_english_stands_in() -> None:
    assert load("en-GB").language == "en"
    assert load("tlh").language == "en"


def test_sentences_are_filled_in() -> None:
    english = load("en")
    assert english.say("unknown_name", name="Moonbeam") == "I don't know any device called Moonbeam."
    assert "no agent is configured" in english.say("no_agent")
    with pytest.raises(KeyError):
        english.say("no_such_key")


def test_kinds_and_states_have_words() -> None:
    english = load("en")
    assert english.kind("cover", "garage") == "garage doors"
    assert english.kind("cover", "trapdoor") == "covers"
    assert english.kind("water_heater") == "water heater"
    assert english.state("binary_sensor", "door", "on") == "open"
    assert english.state("binary_sensor", "sound", "on") == "on"
    assert english.state("vacuum", None, "returning_home") == "returning home"


def test_a_file_that_is_not_whole_says_all_that_is_wrong(tmp_path: Path) -> None:
    content = yaml.safe_load((FOLDER / "en.yaml").read_text(encoding="utf-8"))
    del content["sentences"]["done"], content["kinds"]
    content["sentences"] |= {"extra": "x", "unknown_name": "Was?", "timeout": 5}
    file = tmp_path / "xx.yaml"
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read(file)
    assert {problem.path: problem.message for problem in caught.value.problems} == {
        "sentences.done": "is missing",
        "sentences.extra": "is not known",
        "sentences.unknown_name": "words to fill in: name",
        "sentences.timeout": "has to be text, in quotes",
        "kinds": "this section is missing",
    }


@pytest.mark.parametrize("content", ["", "- a", "a: [", "\x00"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "xx.yaml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError):
        read(file)
