from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from hub.config.schema import arguments, json_schema
from hub.domains import DEVICE_CLASSES, DOMAINS, tools
from hub.domains.light import color_name
from hub.values.color import COLORS
from hub.values.thing import Thing
from hub.values.tool import Effect, Tool
from tests.door.dwelling import Standing

TOOLS: dict[str, Tool] = {tool.name: tool for tool in tools(Standing((), ()))}


async def perform(action: str, given: Mapping[str, Any]) -> None:
    """Do nothing."""


def thing(thing_id: str, device_class: str | None = None, **more: Any) -> Thing:
    """Return a thing that can be controlled."""
    return Thing(id=thing_id, name="It", device_class=device_class, perform=perform, **more)


def effect(name: str, device_class: str | None = None) -> Effect:
    """Return what a tool does to a thing of its domain."""
    said = TOOLS[name].effect
    return said if isinstance(said, Effect) else said(thing(f"{name.partition('.')[0]}.it", device_class))


def test_every_tool_can_be_told_to_a_model() -> None:
    assert len(TOOLS) > 100
    for tool in TOOLS.values():
        schema = json.loads(json.dumps(json_schema(tool.parameters)))
        assert schema["type"] == "object"
        assert tool.description.endswith(".")


def test_every_domain_says_what_its_things_are_and_can() -> None:
    asked = (
        "light switch cover lock climate fan media_player vacuum valve sensor binary_sensor todo button scene"
    )
    assert set(asked.split()) <= set(DOMAINS)
    for name, domain in DOMAINS.items():
        assert domain.name == name
        assert domain.description
        assert {tool for tool in TOOLS if tool.startswith(f"{name}.")} == {
            f"{name}.{action.name}" for action in domain.actions
        }


@pytest.mark.parametrize(
    ("name", "device_class", "expected"),
    [
        ("cover.open_cover", "blind", "write"),
        ("cover.open_cover", None, "write"),
        ("cover.open_cover", "garage", "danger"),
        ("cover.open_cover", "door", "danger"),
        ("cover.open_cover", "gate", "danger"),
        ("cover.toggle", "garage", "danger"),
        ("cover.set_cover_position", "gate", "danger"),
        ("cover.close_cover", "garage", "write"),
        ("cover.stop_cover", "garage", "write"),
        ("lock.lock", None, "write"),
        ("lock.unlock", None, "danger"),
        ("lock.open", None, "danger"),
        ("valve.open_valve", "water", "write"),
        ("valve.open_valve", "gas", "danger"),
        ("valve.close_valve", "gas", "write"),
        ("alarm_control_panel.alarm_disarm", None, "danger"),
        ("alarm_control_panel.alarm_arm_away", None, "write"),
        ("vacuum.send_command", None, "danger"),
        ("todo.get_items", None, "read"),
        ("light.turn_on", None, "write"),
    ],
)
def test_what_an_action_does_depends_on_the_thing(name: str, device_class: str | None, expected: str) -> None:
    assert effect(name, device_class).label == expected


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("light.turn_on", {"rgb_color": [255, 0, 10], "brightness_pct": 12.5, "transition": 2}),
        ("light.turn_on", {"color_temp_kelvin": 2700, "flash": "short"}),
        ("climate.set_temperature", {"temperature": 21.5, "hvac_mode": "heat"}),
        ("climate.set_temperature", {"target_temp_low": 18, "target_temp_high": 22}),
        ("cover.set_cover_position", {"position": 40.0}),
        ("fan.set_percentage", {"percentage": 33}),
        ("media_player.volume_set", {"volume_level": 0.4}),
        ("todo.add_item", {"item": "milk", "due_date": "2027-02-28"}),
        ("todo.remove_item", {"item": ["milk", "bread"]}),
        ("todo.get_items", {"status": ["completed"]}),
        ("vacuum.clean_area", {"cleaning_area_id": "kitchen"}),
        ("lock.unlock", {"code": "1234"}),
    ],
)
def test_home_assistants_arguments_are_understood(name: str, given: dict[str, Any]) -> None:
    parameters = TOOLS[name].parameters
    valid = arguments(parameters, given)
    assert valid.keys() == given.keys()
    parameters(**valid)


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("light.turn_on", {"brightness": 256}, "brightness"),
        ("light.turn_on", {"color_name": "gren"}, "did you mean 'green'?"),
        ("light.turn_on", {"color_name": "red", "color_temp_kelvin": 2700}, "only one of color_name"),
        ("climate.set_temperature", {}, "temperature"),
        ("climate.set_temperature", {"target_temp_low": 25, "target_temp_high": 20}, "above"),
        ("climate.set_hvac_mode", {"hvac_mode": "heet"}, "did you mean 'heat'?"),
        ("cover.set_cover_position", {}, "position"),
        ("todo.add_item", {"item": ""}, "item"),
        ("todo.add_item", {"item": "x", "due_date": "tomorrow"}, "due_date"),
        ("todo.update_item", {"item": "x", "status": "done"}, "status"),
        ("media_player.volume_set", {"volume_level": 40}, "volume_level"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(name: str, given: dict[str, Any], says: str) -> None:
    parameters = TOOLS[name].parameters
    with pytest.raises(ValueError, match=re.escape(says)):
        parameters(**arguments(parameters, given))


def test_only_what_has_the_action_can_be_turned_on() -> None:
    generic = TOOLS["homeassistant.turn_on"]
    assert generic.can
    can = {name for name in DOMAINS if generic.can(thing(f"{name}.it"))}
    assert {"light", "switch", "fan", "climate", "media_player", "scene"} <= can
    assert not can & {"lock", "cover", "sensor", "todo", "button"}
    assert not generic.can(thing("light.it", actions=frozenset({"turn_off"})))
    assert not generic.can(Thing(id="light.it", name="It"))
    assert not generic.can(thing("unheard_of.it"))


def test_the_generic_toggle_of_a_garage_door_is_danger() -> None:
    said = TOOLS["homeassistant.toggle"].effect
    assert not isinstance(said, Effect)
    assert said(thing("cover.it", "garage")) is Effect.DANGER
    assert said(thing("light.it")) is Effect.WRITE


def test_device_classes_are_known_for_the_rules() -> None:
    assert {"garage", "temperature", "motion", "outlet", "tv"} <= DEVICE_CLASSES


def test_colours_go_by_their_css_names() -> None:
    assert len(COLORS) == 148
    assert COLORS["tomato"] == (255, 99, 71)
    assert color_name(" Light Sea Green ") == "lightseagreen"
