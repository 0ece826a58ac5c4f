from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.door.targets import NoTarget, Targets, folded
from hub.house import Given, House
from hub.values.house import Area, Floor
from hub.values.thing import Thing
from hub.values.tool import Target, Tool, ToolCall
from tests.door.dwelling import Standing

DOMAINS = ("light", "cover", "sensor")
CLASSES = (None, "blind", "garage")
FLOOR_IDS = ("ground", "upper")
FLOORS = [Floor(id=one, name=one.upper()) for one in FLOOR_IDS]
AREA_IDS = ("a", "b", "c", "d")


async def nothing(call: ToolCall, things: tuple[Thing, ...]) -> None:
    """Do nothing."""


def tool(domain: str, able: frozenset[str] | None = None) -> Tool:
    """Return a tool for a domain that only things of `able` can do."""
    return Tool(
        name=f"{domain if domain != '*' else 'any'}.do",
        description="Do it.",
        parameters=Thing,
        run=nothing,
        targets=domain,
        can=(lambda thing: thing.id in able) if able is not None else None,
    )


@st.composite
def houses(draw: st.DrawFn) -> House:
    """Return a house with things anywhere, some nowhere."""
    areas = [
        Area(id=one, name=f"Area {one}", floor=draw(st.sampled_from((None, *FLOOR_IDS)))) for one in AREA_IDS
    ]
    things = [
        Thing(
            id=f"{draw(st.sampled_from(DOMAINS))}.t{number}",
            name=f"Thing {number}",
            area=draw(st.sampled_from((None, "gone", *AREA_IDS))),
            device_class=draw(st.sampled_from(CLASSES)),
        )
        for number in range(draw(st.integers(0, 12)))
    ]
    return Standing(things, areas, FLOORS)


@st.composite
def targets(draw: st.DrawFn) -> Target:
    """Return a target without explicit things."""
    return Target(
        areas=draw(st.lists(st.sampled_from(AREA_IDS), max_size=3).map(tuple)),
        floors=draw(st.lists(st.sampled_from(FLOOR_IDS), max_size=2).map(tuple)),
        everything=draw(st.booleans()),
        device_classes=draw(st.lists(st.sampled_from(("blind", "garage")), max_size=2).map(tuple)),
    )


@settings(max_examples=100, deadline=None)
@given(houses(), targets(), st.sampled_from((*DOMAINS, "*")), st.data())
def test_areas_floors_and_all_are_what_looking_at_each_thing_finds(
    house: House, target: Target, domain: str, data: st.DataObject
) -> None:
    able = data.draw(st.frozensets(st.sampled_from(sorted(house.things)) if house.things else st.nothing()))
    expected = set()
    for thing in house.things.values():
        area = house.areas.get(thing.area or "")
        is_meant = target.everything or thing.area in target.areas or (area and area.floor in target.floors)
        is_right = domain in ("*", thing.domain) and thing.id in able
        is_class = not target.device_classes or thing.device_class in target.device_classes
        if is_meant and is_right and is_class:
            expected.add(thing.id)
    try:
        found = [thing.id for thing in Targets(house).resolve(tool(domain, able), target)]
    except NoTarget:
        found = []
    assert sorted(found) == sorted(expected)


@settings(max_examples=50, deadline=None)
@given(houses(), st.data())
def test_things_that_are_named_are_in_it_each_once(house: House, data: st.DataObject) -> None:
    if not house.things:
        return
    named = data.draw(st.lists(st.sampled_from(sorted(house.things)), min_size=1))
    words = [
        data.draw(st.sampled_from((one, one.upper(), house.things[one].name, f" {one} "))) for one in named
    ]
    target = Target(entities=tuple(words), areas=data.draw(targets()).areas)
    found = [thing.id for thing in Targets(house).resolve(tool("*"), target)]
    assert set(named) <= set(found)
    assert len(found) == len(set(found))


@settings(max_examples=50, deadline=None)
@given(houses(), st.text(max_size=80))
def test_any_word_finds_a_thing_or_says_why_not(house: House, word: str) -> None:
    found: tuple[Thing, ...] = ()
    with suppress(NoTarget):
        found = Targets(house).resolve(tool("*"), Target(entities=(word,)))
    known = {name for thing in house.things.values() for name in (thing.id, folded(thing.name))}
    assert bool(found) == (folded(word) in known)


LAMPS = [
    Thing(id="light.office", name="Overhead", area="a"),
    Thing(id="light.bed", name="Overhead", area="b"),
    Thing(id="sensor.overhead", name="Overhead", area="b"),
    Thing(id="light.hall", name="Straße", aliases=("light.bed", "Way in")),
]
AREAS = [
    Area(id="a", name="Office"),
    Area(id="b", name="Bedroom", aliases=("den",)),
    Area(id="c", name="Den"),
]


def test_a_name_that_several_things_share_is_asked_about() -> None:
    with pytest.raises(NoTarget, match=r"'overhead' may be light\.bed or light\.office"):
        Targets(Standing(LAMPS, AREAS)).resolve(tool("light"), Target(entities=("overhead",)))


def test_a_name_shared_with_another_domain_means_the_thing_that_the_tool_is_for() -> None:
    (found,) = Targets(Standing(LAMPS, AREAS)).resolve(tool("sensor"), Target(entities=("OVERHEAD",)))
    assert found.id == "sensor.overhead"


def test_an_area_name_that_two_share_is_asked_about() -> None:
    with pytest.raises(NoTarget, match="'den' may be b or c"):
        Targets(Standing(LAMPS, AREAS)).resolve(tool("light"), Target(areas=("den",)))


def test_an_id_comes_before_an_equal_alias_and_names_fold() -> None:
    find = Targets(Standing(LAMPS, AREAS))
    assert find.resolve(tool("light"), Target(entities=("light.bed",)))[0].id == "light.bed"
    assert find.resolve(tool("light"), Target(entities=("STRASSE",)))[0].id == "light.hall"


def test_a_thing_of_another_domain_is_refused_with_what_it_is() -> None:
    with pytest.raises(NoTarget, match=r"'Overhead' is a sensor, and light\.do is for a light"):
        Targets(Standing(LAMPS, AREAS)).resolve(tool("light"), Target(entities=("sensor.overhead",)))


def test_an_empty_place_says_what_is_not_there() -> None:
    find = Targets(Standing(LAMPS, AREAS))
    with pytest.raises(NoTarget, match=r"There is no light for light\.do in 'c'"):
        find.resolve(tool("light"), Target(areas=("c",)))
    with pytest.raises(NoTarget, match="needs a target"):
        find.resolve(tool("light"), Target())


def test_a_new_name_is_found_at_once() -> None:
    house = Standing(LAMPS, AREAS)
    find = Targets(house)
    house.give("light.hall", Given(name="Front lamp", area="c"))
    assert find.resolve(tool("light"), Target(entities=("front lamp",)))[0].id == "light.hall"
    assert find.resolve(tool("light"), Target(areas=("c",)))[0].id == "light.hall"
    with pytest.raises(NoTarget):
        find.resolve(tool("light"), Target(entities=("Straße",)))


def test_a_near_match_never_gives_away_what_is_not_exposed() -> None:
    hidden = [Thing(id="light.safe", name="Secret safe", exposed=False)]
    with pytest.raises(NoTarget) as refused:
        Targets(Standing(hidden, [])).resolve(tool("light"), Target(entities=("secret saf",)))
    assert "safe" not in str(refused.value).replace("secret saf", "")
