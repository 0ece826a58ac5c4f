"""Intents that were found elsewhere: Home Assistant's own by the house, others by the commands."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub.errors import EngineError
from hub.intents.commands import (
    ActionConfig,
    CommandConfig,
    Commands,
    RangeConfig,
    SlotConfig,
    TargetConfig,
    ValueConfig,
)
from hub.intents.named import NamedIntents, home_intents
from hub.values.house import Area, Floor, Locale
from hub.values.intent import Match, Miss, NamedIntent
from hub.values.session import Session
from hub.values.thing import Thing
from hub.values.tool import Done, Outcome, Refused
from tests.intents.homes import Home

AREAS = (
    Area(id="kitchen", name="Kitchen", floor="ground", aliases=("cooking area",)),
    Area(id="hall", name="Hall"),
)
FLOORS = (Floor(id="ground", name="Ground floor"),)
THINGS = (
    Thing(id="light.lamp", name="Kitchen lamp", area="kitchen", state="on", attributes={"brightness": 100}),
    Thing(id="light.spot", name="Spot", area="kitchen", state="off"),
    Thing(id="light.hall", name="Hall light", area="hall", state="off"),
    Thing(id="cover.blind", name="Blind", area="kitchen", state="open"),
    Thing(id="todo.shopping_list", name="Shopping list"),
    Thing(id="media_player.radio", name="Radio", area="kitchen", state="playing"),
    Thing(id="lock.secret", name="Secret lock", exposed=False),
)
FILM = CommandConfig(
    intent="PlayFilm",
    slots={
        "title": SlotConfig(wildcard=True),
        "volume": SlotConfig(range=RangeConfig(from_=0, to=100)),
        "mood": SlotConfig(values=("bright", ValueConfig(in_="dark [and scary]", out=3))),
    },
    action=(
        ActionConfig(
            action="media_player.play",
            target=TargetConfig(entity_id=("{{ name | default('media_player.radio') }}",)),
            data={"title": "{{ title }}", "volume": "{{ volume | default(none) }}"},
        ),
    ),
    reply="Here is {{ said.title }}.",
)
OWN = CommandConfig(intent="HassNevermind", reply="As you like.")


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    home = Home()
    with home.furnished(*THINGS, areas=AREAS, floors=FLOORS):
        yield home


async def ask(
    home: Home,
    *intents: NamedIntent,
    area: str | None = "kitchen",
    commands: dict[str, CommandConfig] | None = None,
) -> Match | Miss:
    made = Commands(commands or {"film": FILM}, home.house, home.states, Locale())
    named = NamedIntents(home.intents, lambda: made)
    return await named.resolve("mind", intents, Session(id="s", area=area))


def intent(called: str, told: str | None = None, /, **slots: Any) -> NamedIntent:
    return NamedIntent(name=called, slots=slots, reply=told)


def called(match: Match | Miss) -> list[tuple[str, tuple[str, ...], dict[str, Any]]]:
    assert isinstance(match, Match), match
    return [(call.tool, call.target.entities, dict(call.arguments)) for call in match.calls]


def answer(match: Match | Miss, *outcomes: Outcome) -> str:
    assert isinstance(match, Match), match
    return match.respond(outcomes or [Done(call=call, targets=call.target.entities) for call in match.calls])


@pytest.mark.parametrize(
    ("told", "calls", "reply"),
    [
        (
            intent("HassTurnOn", name="kitchen lamp"),
            [("light.turn_on", ("light.lamp",), {})],
            "Turned on the light",
        ),
        (
            intent("HassTurnOff", name="light.spot"),
            [("light.turn_off", ("light.spot",), {})],
            "Turned off the light",
        ),
        (
            intent("HassTurnOn", area="Cooking area", domain="light"),
            [("light.turn_on", ("light.lamp", "light.spot"), {})],
            "Turned on the lights",
        ),
        (
            intent("HassTurnOff", domain="light"),
            [("light.turn_off", ("light.lamp", "light.spot"), {})],
            "Turned off the lights",
        ),
        (
            intent("HassTurnOff", floor="ground floor", domain=["light"]),
            [("light.turn_off", ("light.lamp", "light.spot"), {})],
            "Turned off the lights",
        ),
        (
            intent("HassLightSet", name="Spot", brightness="40"),
            [("light.turn_on", ("light.spot",), {"brightness_pct": 40})],
            "Brightness set",
        ),
        (
            intent("HassSetPosition", name="blind", position=30.0),
            [("cover.set_cover_position", ("cover.blind",), {"position": 30})],
            "Position set",
        ),
        (intent("HassTurnOn", name="blind"), [("cover.open_cover", ("cover.blind",), {})], "Opening"),
        (
            intent("HassShoppingListAddItem", item="milk"),
            [("todo.add_item", ("todo.shopping_list",), {"item": "milk"})],
            "Added milk",
        ),
        (
            intent("HassSetVolume", volume_level=50),
            [("media_player.volume_set", ("media_player.radio",), {"volume_level": 0.5})],
            "Volume set",
        ),
        (intent("HassGetState", name="Kitchen lamp"), [], "Kitchen lamp is on"),
        (intent("HassGetState", name="Kitchen lamp", state="off"), [], "No, on"),
        (intent("HassGetState", domain="light", state="on", area="kitchen"), [], "Yes, Kitchen lamp"),
        (intent("HassGetCurrentTime"), [], "1:02 AM"),
        (intent("HassNevermind"), [], ""),
        (
            intent("HassTurnOn", "As you wish.", name="Spot"),
            [("light.turn_on", ("light.spot",), {})],
            "As you wish.",
        ),
    ],
)
async def test_home_assistant_s_intents_do_what_the_same_sentence_would(
    home: Home, told: NamedIntent, calls: list[Any], reply: str
) -> None:
    match = await ask(home, told)
    assert called(match) == calls
    assert answer(match) == reply


@pytest.mark.parametrize(
    ("told", "code", "reason"),
    [
        (intent("HassTurnOn", name="kitchen lump"), "unknown-name", "did you mean 'Kitchen lamp'?"),
        (intent("HassTurnOn", name="secret lock"), "unknown-name", "any device called secret lock"),
        (intent("HassTurnOn", area="Kichen", domain="light"), "unknown-area", "did you mean 'Kitchen'?"),
        (intent("HassTurnOn", floor="Mars", domain="light"), "unknown-area", "there is Ground floor"),
        (intent("HassLightSet", name="Spot", brightness="very"), "out-of-range", "very"),
        (intent("HassSetPosition", name="Blind"), "failed", "HassSetPosition needs position"),
        (intent("HassStartTimer", minutes=5), "unsupported", "timer"),
        (
            intent("PlayFlim"),
            "unsupported",
            "nothing handles the intent 'PlayFlim'; did you mean 'PlayFilm'?",
        ),
        (intent("HassTurnOnn"), "unsupported", "did you mean 'HassTurnOn'?"),
        (intent("Beam"), "unsupported", "a command takes it with `intent: Beam`"),
        (intent("PlayFilm", title="Up", volume=150), "out-of-range", "the slot 'volume' does not take '150'"),
        (intent("PlayFilm", title="Up", mood="brihgt"), "no-match", "'brihgt'; did you mean 'bright'?"),
        (
            intent("PlayFilm", title="Up", name="Radeo"),
            "unknown-name",
            "no name called 'Radeo'; did you mean 'Radio'?",
        ),
        (intent("PlayFilm"), "failed", "'title' is undefined"),
    ],
)
async def test_what_cannot_be_done_is_said(home: Home, told: NamedIntent, code: str, reason: str) -> None:
    miss = await ask(home, told)
    assert isinstance(miss, Miss), miss
    assert (miss.stage, miss.code) == ("mind", code)
    assert reason in miss.reason


@pytest.mark.parametrize(
    ("slots", "data"),
    [
        ({"title": "Up", "volume": 30}, {"title": "Up", "volume": 30}),
        ({"title": "Up", "volume": "thirty"}, {"title": "Up", "volume": 30}),
        ({"title": "Up", "director": "somebody"}, {"title": "Up", "volume": None}),
        ({"title": "Up", "mood": 3}, {"title": "Up", "volume": None}),
    ],
)
async def test_entities_fill_the_slots_of_a_command(
    home: Home, slots: dict[str, Any], data: dict[str, Any]
) -> None:
    match = await ask(home, intent("PlayFilm", **slots))
    assert called(match) == [("media_player.play", ("media_player.radio",), data)]
    assert answer(match) == "Here is Up."


async def test_a_slot_s_words_stand_for_its_value_and_a_name_for_its_thing(home: Home) -> None:
    match = await ask(home, intent("PlayFilm", title="Up", mood="Dark and scary", name="spot"))
    assert isinstance(match, Match)
    assert match.slots == {"title": "Up", "mood": 3, "name": "light.spot"}
    assert match.calls[0].target.entities == ("light.spot",)


async def test_a_command_may_be_said_and_be_found_elsewhere(home: Home) -> None:
    both = dataclasses.replace(FILM, phrases=("show me {title}",))
    made = Commands({"film": both}, home.house, home.states, Locale())
    said = await made.recognize("show me Brazil", Session(id="s", area="kitchen"))
    found = await ask(home, intent("PlayFilm", title="Brazil"), commands={"film": both})
    assert called(said) == called(found)
    assert isinstance(said, Match)
    assert isinstance(found, Match)
    assert (said.slots, said.intent) == (found.slots, found.intent)


async def test_a_command_goes_before_the_house_s_own(home: Home) -> None:
    assert answer(await ask(home, intent("HassNevermind"), commands={"own": OWN})) == "As you like."


async def test_several_intents_are_done_together_and_answered_in_order(home: Home) -> None:
    match = await ask(home, intent("HassTurnOn", name="Spot"), intent("PlayFilm", title="Up"))
    assert [tool for tool, *_ in called(match)] == ["light.turn_on", "media_player.play"]
    assert answer(match) == "Turned on the light. Here is Up."
    assert isinstance(match, Match)
    first, second = match.calls
    refused = Refused(call=second, code="denied", reason="not at night")
    assert (
        match.respond([Done(call=first), refused])
        == "Turned on the light. I'm not allowed to do that: not at night."
    )


async def test_one_that_cannot_be_done_stops_all(home: Home) -> None:
    miss = await ask(home, intent("HassTurnOn", name="Spot"), intent("Beam"))
    assert isinstance(miss, Miss)


async def test_the_recogniser_s_answer_is_not_given_when_something_went_wrong(home: Home) -> None:
    match = await ask(home, intent("HassTurnOn", "Done, as always!", name="Spot"))
    assert isinstance(match, Match)
    failed = Done(call=match.calls[0], targets=("light.spot",), ok=False, failed={"light.spot": "No power"})
    assert "No power" in match.respond([failed])


async def test_nothing_and_too_much(home: Home) -> None:
    assert isinstance(await ask(home), Miss)
    with pytest.raises(EngineError, match="11 intents in one sentence; 10 are taken"):
        await ask(home, *[intent("HassNevermind")] * 11)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["Spot", "light"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
SLOTS = st.sampled_from(
    [
        "name",
        "area",
        "floor",
        "domain",
        "device_class",
        "state",
        "brightness",
        "position",
        "item",
        "title",
        "volume",
        "color",
        "temperature",
        "volume_level",
        "volume_step",
        "percentage",
    ]
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(sorted(home_intents() | {"PlayFilm", "x"})),
    slots=st.dictionaries(SLOTS, VALUES, max_size=5),
)
async def test_any_slots_at_all_are_a_match_or_a_miss(home: Home, name: str, slots: dict[str, Any]) -> None:
    found = await ask(home, NamedIntent(name=name, slots=slots))
    if isinstance(found, Match):
        found.respond([Done(call=call, targets=call.target.entities) for call in found.calls])
