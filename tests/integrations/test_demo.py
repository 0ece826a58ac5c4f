from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from hub.config.schema import parse
from hub.config.source import load
from hub.store import open_store
from hub.values.thing import Thing
from hub.values.tool import Done, Effect, Refused
from integrations.demo import Options, setup
from tests.integrations.furnished import Furnished, furnished

COLORED = "light.living_room_lamp"
DIMMED = "light.kitchen_lamp"
PLAIN = "light.counter_light"


@pytest_asyncio.fixture
async def home(tmp_path: Path) -> AsyncIterator[Furnished]:
    """The demo house."""
    async with furnished(setup, Options(), tmp_path) as home:
        yield home


def test_four_rooms_are_furnished(home: Furnished) -> None:
    assert {thing.area for thing in home.house.things.values()} == {
        "kitchen",
        "living_room",
        "bedroom",
        "garage",
    }
    kinds = {(thing.domain, thing.device_class) for thing in home.house.things.values()}
    assert {
        ("cover", "blind"),
        ("cover", "garage"),
        ("lock", None),
        ("climate", None),
        ("switch", "outlet"),
        ("sensor", "temperature"),
        ("sensor", "humidity"),
        ("binary_sensor", "window"),
        ("binary_sensor", "motion"),
    } <= kinds


def test_every_thing_is_of_a_state_of_its_domain(home: Furnished) -> None:
    from hub.domains import DOMAINS

    for thing in home.house.things.values():
        states = DOMAINS[thing.domain].states
        assert not states or home.state(thing.id) in states
        assert not thing.actions or thing.actions <= {action.name for action in DOMAINS[thing.domain].actions}
        assert thing.device_class is None or thing.device_class in DOMAINS[thing.domain].device_classes


@pytest.mark.parametrize(
    ("tool", "thing", "given", "state", "attributes"),
    [
        ("light.turn_on", DIMMED, {}, "on", {"brightness": 255, "color_mode": "brightness"}),
        ("light.turn_on", DIMMED, {"brightness_pct": 50}, "on", {"brightness": 128}),
        ("light.turn_on", DIMMED, {"brightness": 3}, "on", {"brightness": 3}),
        ("light.turn_on", DIMMED, {"brightness_step_pct": 10}, "on", {"brightness": 26}),
        ("light.turn_on", DIMMED, {"brightness_pct": 0}, "off", {"brightness": None}),
        (
            "light.turn_on",
            COLORED,
            {"color_name": "tomato"},
            "on",
            {"rgb_color": [255, 99, 71], "color_mode": "rgb"},
        ),
        ("light.turn_on", COLORED, {"hs_color": [120, 100]}, "on", {"rgb_color": [0, 255, 0]}),
        ("light.turn_on", COLORED, {"color_temp_kelvin": 2700}, "on", {"color_mode": "color_temp"}),
        ("light.turn_on", PLAIN, {}, "on", {"color_mode": "onoff"}),
        ("light.toggle", PLAIN, {}, "on", {}),
        ("switch.turn_on", "switch.coffee_machine", {}, "on", {}),
        ("switch.toggle", "switch.coffee_machine", {}, "on", {}),
        ("homeassistant.turn_on", "switch.coffee_machine", {}, "on", {}),
        ("cover.close_cover", "cover.living_room_blind", {}, "closed", {"current_position": 0}),
        (
            "cover.set_cover_position",
            "cover.living_room_blind",
            {"position": 40},
            "open",
            {"current_position": 40},
        ),
        ("cover.toggle", "cover.living_room_blind", {}, "closed", {"current_position": 0}),
        ("cover.stop_cover", "cover.living_room_blind", {}, "open", {"current_position": 100}),
        ("cover.open_cover", "cover.garage_door", {}, "open", {}),
        ("lock.unlock", "lock.front_door", {}, "unlocked", {}),
        ("lock.lock", "lock.front_door", {}, "locked", {}),
        (
            "climate.set_temperature",
            "climate.thermostat",
            {"temperature": 18.5},
            "heat",
            {"hvac_action": "idle"},
        ),
        (
            "climate.set_temperature",
            "climate.thermostat",
            {"temperature": 25, "hvac_mode": "auto"},
            "auto",
            {},
        ),
        ("climate.set_hvac_mode", "climate.thermostat", {"hvac_mode": "off"}, "off", {"hvac_action": "off"}),
        (
            "climate.set_preset_mode",
            "climate.thermostat",
            {"preset_mode": "eco"},
            "heat",
            {"preset_mode": "eco"},
        ),
        ("climate.turn_off", "climate.thermostat", {}, "off", {"temperature": 21.0}),
        ("fan.turn_on", "fan.bedroom_fan", {}, "on", {"percentage": 100}),
        ("fan.set_percentage", "fan.bedroom_fan", {"percentage": 30}, "on", {"percentage": 30}),
        ("fan.increase_speed", "fan.bedroom_fan", {}, "on", {"percentage": 25}),
        ("fan.oscillate", "fan.bedroom_fan", {"oscillating": True}, "off", {"oscillating": True}),
    ],
)
async def test_states_follow_what_was_done(
    home: Furnished, tool: str, thing: str, given: dict[str, Any], state: str, attributes: dict[str, Any]
) -> None:
    await home.do(tool, thing, **given)
    assert home.state(thing) == state
    now = dict(home.now(thing).attributes)
    assert {name: now[name] for name in attributes} == attributes


async def test_a_lamp_keeps_what_is_not_spoken_of(home: Furnished) -> None:
    await home.do("light.turn_on", COLORED, color_name="red", brightness_pct=20)
    await home.do("light.turn_on", COLORED, brightness_pct=40)
    assert home.now(COLORED).attributes["rgb_color"] == [255, 0, 0]
    await home.do("light.turn_off", COLORED)
    lamp = home.now(COLORED)
    assert (lamp.state, lamp.attributes["brightness"], lamp.attributes["rgb_color"]) == ("off", None, None)
    assert "rgb" in lamp.attributes["supported_color_modes"]


@pytest.mark.parametrize(
    ("tool", "thing", "given", "says"),
    [
        ("light.turn_on", PLAIN, {"brightness_pct": 50}, "cannot be dimmed"),
        ("light.turn_on", DIMMED, {"color_name": "red"}, "does not know color_name"),
        ("light.turn_on", COLORED, {"color_temp_kelvin": 1500}, "from 2000 to 6500 kelvin"),
        ("light.turn_on", COLORED, {"effect": "party"}, "does not know effect"),
        ("climate.set_temperature", "climate.thermostat", {"temperature": 90}, "from 7 to 35 degrees"),
        ("climate.set_hvac_mode", "climate.thermostat", {"hvac_mode": "cool"}, "not cool"),
        ("climate.set_preset_mode", "climate.thermostat", {"preset_mode": "boost"}, "comfort, eco, away"),
        (
            "climate.set_temperature",
            "climate.thermostat",
            {"target_temp_low": 18, "target_temp_high": 22},
            "takes one temperature",
        ),
    ],
)
async def test_nonsense_is_answered_with_a_sentence_and_changes_nothing(
    home: Furnished, tool: str, thing: str, given: dict[str, Any], says: str
) -> None:
    before = home.now(thing)
    assert says in await home.failure(tool, thing, **given)
    assert home.now(thing) == before


async def test_what_a_thing_cannot_do_is_refused_before_it_is_asked(home: Furnished) -> None:
    half = await home.call("cover.set_cover_position", "cover.garage_door", position=50)
    lit = await home.call("light.turn_on", "sensor.kitchen_temperature")
    assert isinstance(half, Refused)
    assert isinstance(lit, Refused)


async def test_a_room_is_turned_off_at_once(home: Furnished) -> None:
    await home.do("light.turn_on", DIMMED)
    done = await home.call("homeassistant.turn_off", areas=("kitchen",))
    assert isinstance(done, Done)
    assert set(done.targets) == {DIMMED, PLAIN, "switch.coffee_machine"}
    assert home.state(DIMMED) == "off"


def test_only_the_garage_door_and_the_lock_are_dangerous(home: Furnished) -> None:
    from hub.domains import DOMAINS

    def is_dangerous(thing: Thing) -> bool:
        actions = [action for action in DOMAINS[thing.domain].actions if action.is_of(thing)]
        return any(action.on(thing) is Effect.DANGER for action in actions)

    things = home.house.things.values()
    assert {thing.id for thing in things if is_dangerous(thing)} == {"cover.garage_door", "lock.front_door"}


async def test_last_states_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "earnest.db"
    async with open_store(path) as store, furnished(setup, Options(), tmp_path) as home:
        await home.do("light.turn_on", COLORED, color_name="red", brightness_pct=20)
        await home.do("climate.set_temperature", "climate.thermostat", temperature=17)
        await home.do("lock.unlock", "lock.front_door")
        for state in home.states:
            store.keep(state)
    async with open_store(tmp_path / "earnest.db") as store:
        restored = await store.states()
    async with furnished(setup, Options(), tmp_path, restored=restored) as home:
        assert home.now(COLORED).attributes["rgb_color"] == [255, 0, 0]
        assert home.now(COLORED).attributes["brightness"] == 51
        assert home.now("climate.thermostat").attributes["temperature"] == 17
        assert home.state("lock.front_door") == "unlocked"


async def test_lamps_alone_for_measuring(tmp_path: Path) -> None:
    names = ("Kitchen Lights", "Living Room Lights", *(f"Lamp {number}" for number in range(1, 33)))
    async with furnished(setup, Options(rooms=False, lights=names), tmp_path) as home:
        assert len(home.house.things) == 34
        await home.do("light.turn_on", "light.lamp_7", brightness_pct=50)
        assert home.now("light.lamp_7").attributes["brightness"] == 128
        assert home.house.things["light.kitchen_lights"].name == "Kitchen Lights"


@pytest.mark.virtual_time
async def test_a_slow_house_takes_its_time(tmp_path: Path) -> None:
    async with furnished(setup, Options(delay=3), tmp_path) as home:
        before = asyncio.get_running_loop().time()
        await home.do("light.turn_on", DIMMED)
        assert asyncio.get_running_loop().time() - before >= 3


async def test_a_house_abroad_measures_in_its_own_units(tmp_path: Path) -> None:
    async with furnished(setup, Options(), tmp_path, units="imperial") as home:
        warmth = home.now("sensor.kitchen_temperature")
        assert (warmth.state, warmth.attributes["unit_of_measurement"]) == ("70.5", "°F")
        await home.do("climate.set_temperature", "climate.thermostat", temperature=72)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{lights: [Lamp 1, lamp-1]}", "two lamps would be called light.lamp_1"),
        ("{lights: [Reading lamp]}", "two lamps would be called light.reading_lamp"),
        ("{delay: -1}", "delay cannot be negative"),
        ("{light: [x]}", "did you mean 'lights'?"),
    ],
)
def test_options_that_cannot_be_are_problems_of_the_configuration(
    tmp_path: Path, text: str, says: str
) -> None:
    (tmp_path / "demo.yaml").write_text(text)
    options, problems = parse(Options, load(tmp_path / "demo.yaml"))
    assert options is None
    assert says in str(problems[0])
