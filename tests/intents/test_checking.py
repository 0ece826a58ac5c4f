from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hub.config.document import unmarked
from hub.config.schema import parse
from hub.config.source import load
from hub.intents.checking import check
from hub.intents.commands import CommandConfig
from hub.values.tool import Effect, Tool
from tests.intents.homes import Home


@dataclass
class TurnOn:
    brightness_pct: int | None = None


async def run(*_: Any) -> None:
    return None


TOOLS = {
    name: Tool(name=name, description="", parameters=TurnOn, effect=Effect.WRITE, run=run, targets="light")
    for name in ("light.turn_on", "light.turn_off")
}
GOOD: dict[str, Any] = {
    "phrases": ["film in the {area} at {level}", "film"],
    "slots": {"level": {"range": {"from": 0, "to": 100}}},
    "action": {
        "action": "light.turn_on",
        "target": {"area_id": "{{ area }}"},
        "data": {"brightness_pct": "{{ level }}"},
    },
    "reply": "{{ said.area }}",
}


def problems(*, later: frozenset[str] = frozenset(), **commands: dict[str, Any]) -> dict[str, str]:
    """Return the messages by their path."""
    document = unmarked({"commands": commands})
    configs = {}
    for name in commands:
        configs[name], wrong = parse(CommandConfig, document, ("commands", name))
        assert wrong == []
    found = check({k: v for k, v in configs.items() if v}, TOOLS, document, later=later, house=Home().house)
    return {problem.path.removeprefix("commands."): problem.message for problem in found}


def test_a_good_command_has_no_problem() -> None:
    assert problems(film=GOOD) == {}


def action(name: str = "light.turn_on", key: str = "action", **data: Any) -> dict[str, Any]:
    return {"action": {key: name, "data": data}}


def slots(**configs: dict[str, Any]) -> dict[str, Any]:
    return {"slots": configs}


FREE: dict[str, Any] = {"wildcard": True}


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        ({"phrases": ["film (in"]}, "phrases[0]", "never closed"),
        ({"phrases": ["film {aera} {level}"]}, "phrases[0]", "not under `slots`; did you mean 'area'?"),
        ({"phrases": []}, "", "has neither phrases nor an intent"),
        (
            action("light.trun_on"),
            "action[0].action",
            "no tool 'light.trun_on'; did you mean 'light.turn_on'?",
        ),
        (
            {"action": {"action": "light.turn_on", "target": {"area_id": "nope"}}},
            "action[0].target.area_id[0]",
            "there is no area 'nope'",
        ),
        (
            {"action": {"action": "light.turn_on", "target": {"floor_id": ["{{ floor }}", "attic"]}}},
            "action[0].target.floor_id[1]",
            "there is no floor 'attic'",
        ),
        (action("lihgt.turn_on", key="tool"), "action[0].tool", "no tool 'lihgt.turn_on'"),
        ({"action": {"data": {}}}, "action[0]", "needs an action"),
        (action(brightnes_pct=5), "action[0].data", "brightnes_pct"),
        (action(brightness_pct="much"), "action[0].data", "whole number"),
        ({"reply": "{{ said.area }"}, "reply", "not a template that can be read"),
        ({"reply": "{{ aera }}"}, "reply", "there is no slot 'aera'; did you mean 'area'?"),
        (slots(level={}), "slots.level", "needs one of values, range and wildcard"),
        (slots(level={"range": {"from": 9, "to": 1}}), "slots.level.range", "begins after its end"),
        (slots(level={"values": ["(a"]}), "slots.level.values[0]", "never closed"),
        (slots(level=FREE, said=FREE), "slots.said", "taken by the hub"),
        ({"intent": "HassTrunOn"}, "intent", "has no intent 'HassTrunOn'; did you mean 'HassTurnOn'?"),
        ({"intent": " "}, "intent", "needs the name of an intent"),
        (
            {"phrases": [], "intent": "PlayFilm", "reply": "{{ titel }}", "slots": {"title": FREE}},
            "reply",
            "there is no slot 'titel'; did you mean 'title'?",
        ),
    ],
)
def test_a_bad_command_says_what_is_wrong_and_where(change: dict[str, Any], path: str, message: str) -> None:
    found = problems(film={**GOOD, **change})
    assert message in found.get(f"film.{path}".rstrip("."), ""), found


def test_an_intent_belongs_to_one_command() -> None:
    found = problems(
        one={"intent": "PlayFilm", "reply": "Yes."},
        two={"intent": "PlayFilm", "reply": "No.", "phrases": "film"},
        three={"intent": "PlayFilm", "reply": "No.", "enabled": False},
    )
    assert found == {"two.intent": "is the intent of 'one' too; a command is looked up by it"}


def test_a_command_that_does_nothing_and_phrases_given_twice_are_told() -> None:
    found = problems(one={"phrases": "go"}, two={"phrases": ["Go!"], "reply": "Yes."})
    assert found == {
        "one": "does nothing: give it an action or a reply",
        "two.phrases[0]": "is a phrase of 'one' too; give one of them a higher priority",
    }
    assert (
        problems(one={"phrases": "go", "reply": "A"}, two={"phrases": "go", "reply": "B", "priority": 1})
        == {}
    )


def test_tools_of_integrations_that_open_later_are_not_missed() -> None:
    command = {"phrases": "go", "action": {"action": "radio.play"}}
    assert "radio.play" in problems(go=command)["go.action[0].action"]
    assert problems(go=command, later=frozenset({"radio"})) == {}


def test_a_problem_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "main.yaml"
    file.write_text(
        'commands:\n  film:\n    phrases:\n      - "film"\n      - "film (in"\n    reply: "Yes."\n'
    )
    document = load(file)
    config, wrong = parse(CommandConfig, document, ("commands", "film"))
    assert (config is not None, wrong) == (True, [])
    assert config is not None
    (problem,) = check({"film": config}, TOOLS, document, house=Home().house)
    assert (problem.line, problem.column) == (5, 9)
