"""The rules as they stand in the YAML."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hub.config.schema import parse
from hub.config.source import load
from hub.domains import DEVICE_CLASSES
from hub.door.check import Known, check
from hub.door.policy import Rule
from tests.door.dwelling import Door


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """A configuration with nothing but rules."""

    policies: tuple[Rule, ...] = ()


def problems(tmp_path: Path, door: Door, text: str, *, opened: bool = True) -> list[str]:
    """Return what is wrong with the rules, as a person reads it."""
    file = tmp_path / "earnest.yaml"
    file.write_text(text)
    document = load(file)
    parsed, wrong = parse(Policies, document)
    if parsed is None:
        return list(map(str, wrong))
    known = Known.of(door.house, door.toolbox.tools, DEVICE_CLASSES, opened=opened)
    return list(map(str, check(parsed.policies, document, known)))


async def test_rules_that_match_something_are_right(tmp_path: Path, door: Door) -> None:
    text = """\
policies:
  - tools: [lock.unlock, "cover.*", homeassistant.turn_on]
    callers: [voice, "voice:kitchen", "automation.*", "*"]
    targets: {areas: garage, domains: [cover, lock], device_classes: [garage], entities: ["cover.*"]}
    effects: danger
    then: deny
    except: [{areas: [shed], floors: [upper], callers: [cli]}]
  - {then: allow, tools: house.*}
"""
    assert problems(tmp_path, door, text) == []


async def test_each_pattern_that_matches_nothing_is_a_problem_with_its_place(
    tmp_path: Path, door: Door
) -> None:
    text = """\
policies:
  - tools: [lock.unlok]
    callers: [voise]
    targets: {areas: [kichen], floors: [uper], domains: [ligth], device_classes: [garrage]}
    then: deny
    except: [{entities: [light.kitchen_lam]}]
"""
    assert problems(tmp_path, door, text) == [
        "earnest.yaml:2:13: policies[0].tools[0]: no tool matches 'lock.unlok'; did you mean 'lock.unlock'?",
        "earnest.yaml:3:15: policies[0].callers[0]: no kind of caller matches 'voise'; did you mean 'voice'?",
        "earnest.yaml:4:23: policies[0].targets.areas[0]: no area matches 'kichen'; did you mean 'kitchen'?",
        "earnest.yaml:4:41: policies[0].targets.floors[0]: no floor matches 'uper'; did you mean 'upper'?",
        "earnest.yaml:4:58: policies[0].targets.domains[0]: no domain matches 'ligth'; did you mean 'light'?",
        "earnest.yaml:4:83: policies[0].targets.device_classes[0]: no device class matches 'garrage';"
        " did you mean 'garage'?",
        "earnest.yaml:6:26: policies[0].except[0].entities[0]: no thing matches 'light.kitchen_lam';"
        " did you mean 'light.kitchen_lamp'?",
    ]


async def test_things_are_checked_only_when_it_is_known_which_there_are(tmp_path: Path, door: Door) -> None:
    text = "policies: [{then: deny, targets: {entities: light.unknown}}]\n"
    assert problems(tmp_path, door, text, opened=False) == []
    (problem,) = problems(tmp_path, door, text)
    assert "no thing matches 'light.unknown'" in problem


async def test_what_the_door_cannot_do_yet_is_no_word_for_it(tmp_path: Path, door: Door) -> None:
    (problem,) = problems(tmp_path, door, "policies: [{then: confirm}]\n")
    assert problem.startswith("earnest.yaml:1:19: policies[0].then:")
    assert "allow" in problem
