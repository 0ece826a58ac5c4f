from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub.house import Given
from hub.values.house import Area, Floor
from hub.values.intent import Match, Miss
from hub.values.session import Session
from hub.values.thing import Thing
from hub.values.tool import Done, Pending, Refused
from tests.intents.homes import Home

AREAS = (
    Area(id="kitchen", name="Kitchen", floor="ground", aliases=("cooking area",)),
    Area(id="bedroom", name="Bedroom", floor="upper"),
    Area(id="office", name="Office", floor="upper"),
    Area(id="hall", name="Hall", floor="ground"),
)
FLOORS = (
    Floor(id="ground", name="Ground floor"),
    Floor(id="upper", name="Upper floor", aliases=("upstairs",)),
)
THINGS = (
    Thing(id="light.kitchen", name="Kitchen lamp", area="kitchen", state="on"),
    Thing(id="light.sink", name="Kitchen sink", area="kitchen", state="off", aliases=("basin",)),
    Thing(id="light.office", name="Overhead", area="office", state="off"),
    Thing(id="light.bedroom", name="Overhead", area="bedroom", state="off"),
    Thing(id="light.secret", name="Secret lamp", area="hall", exposed=False),
    Thing(id="cover.garage", name="Big gate", device_class="garage", state="closed"),
    Thing(id="cover.blind", name="Left blind", area="bedroom", device_class="blind", state="open"),
    Thing(id="lock.front", name="Front door", area="hall", state="locked"),
    Thing(
        id="climate.hall", name="Heating", area="hall", state="heat", attributes={"current_temperature": 21.0}
    ),
    Thing(id="sensor.attic", name="Attic", device_class="temperature", state="unknown"),
    Thing(id="binary_sensor.patio", name="Patio door", device_class="door", state="on"),
    Thing(id="media_player.tv", name="TV", area="bedroom", attributes={"volume_level": 0.5}),
    Thing(id="fan.hood", name="Air-Hood", area="kitchen", actions=frozenset({"turn_on", "turn_off"})),
    Thing(id="valve.main", name="Main valve", state="open"),
    Thing(id="scene.film", name="Film night"),
    Thing(id="todo.shopping_list", name="Shopping list"),
)


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    home = Home()
    with home.furnished(*THINGS, areas=AREAS, floors=FLOORS):
        yield home


async def ask(home: Home, text: str, area: str | None = None) -> Match | Miss:
    return await home.intents.recognize(text, Session(id="test", area=area))


Called = list[tuple[str, dict[str, Any], tuple[str, ...]]]


async def calls(home: Home, text: str, area: str | None = None) -> Called:
    match = await ask(home, text, area)
    assert isinstance(match, Match), match
    return [(call.tool, dict(call.arguments), call.target.entities) for call in match.calls]


async def said(home: Home, text: str, area: str | None = None) -> str:
    match = await ask(home, text, area)
    assert isinstance(match, Match), match
    return match.respond([Done(call=call, targets=call.target.entities) for call in match.calls])


async def missed(home: Home, text: str, area: str | None = None) -> Miss:
    miss = await ask(home, text, area)
    assert isinstance(miss, Miss), miss
    return miss


@pytest.mark.parametrize(
    ("text", "tool", "arguments", "targets"),
    [
        ("turn on the kitchen lamp", "light.turn_on", {}, ("light.kitchen",)),
        ("turn off basin", "light.turn_off", {}, ("light.sink",)),
        ("turn off the air hood", "fan.turn_off", {}, ("fan.hood",)),
        ("turn off the air-hood", "fan.turn_off", {}, ("fan.hood",)),
        ("open the big gate", "cover.open_cover", {}, ("cover.garage",)),
        ("close the left blind", "cover.close_cover", {}, ("cover.blind",)),
        ("set the left blind to 30%", "cover.set_cover_position", {"position": 30}, ("cover.blind",)),
        ("close the main valve", "valve.close_valve", {}, ("valve.main",)),
        ("lock the front door", "lock.lock", {}, ("lock.front",)),
        ("unlock the front door", "lock.unlock", {}, ("lock.front",)),
        ("activate film night", "scene.turn_on", {}, ("scene.film",)),
        (
            "set the kitchen lamp brightness to 40 percent",
            "light.turn_on",
            {"brightness_pct": 40},
            ("light.kitchen",),
        ),
        ("set the kitchen lamp to red", "light.turn_on", {"color_name": "red"}, ("light.kitchen",)),
        (
            "set the kitchen lamp color temperature to 2700 kelvin",
            "light.turn_on",
            {"color_temp_kelvin": 2700},
            ("light.kitchen",),
        ),
        ("set heating to 20.5 degrees", "climate.set_temperature", {"temperature": 20.5}, ("climate.hall",)),
        ("set heating to 20 point 5", "climate.set_temperature", {"temperature": 20.5}, ("climate.hall",)),
        (
            "set the tv volume to 30 percent",
            "media_player.volume_set",
            {"volume_level": 0.3},
            ("media_player.tv",),
        ),
        ("pause the tv", "media_player.media_pause", {}, ("media_player.tv",)),
        ("mute the tv", "media_player.volume_mute", {"is_volume_muted": True}, ("media_player.tv",)),
        ("add oat milk to my shopping list", "todo.add_item", {"item": "oat milk"}, ("todo.shopping_list",)),
        ("turn off the lights upstairs", "light.turn_off", {}, ("light.office", "light.bedroom")),
        ("turn off the lights in the cooking area", "light.turn_off", {}, ("light.kitchen", "light.sink")),
    ],
)
async def test_a_sentence_becomes_the_call_home_assistant_would_make(
    home: Home, text: str, tool: str, arguments: dict[str, Any], targets: tuple[str, ...]
) -> None:
    assert await calls(home, text) == [(tool, arguments, targets)]


async def test_the_light_means_the_one_of_the_speakers_room(home: Home) -> None:
    assert await calls(home, "turn on the light", "office") == [("light.turn_on", {}, ("light.office",))]
    assert await calls(home, "turn on the light", "bedroom") == [("light.turn_on", {}, ("light.bedroom",))]


async def test_without_a_room_the_light_is_asked_about_and_the_only_gate_is_not(home: Home) -> None:
    miss = await missed(home, "turn on the light")
    assert (miss.code, miss.reply) == ("unknown-area", "Which room do you mean?")
    assert await calls(home, "open the garage door") == [("cover.open_cover", {}, ("cover.garage",))]
    assert await calls(home, "open the garage door", "kitchen") == [
        ("cover.open_cover", {}, ("cover.garage",))
    ]


async def test_one_name_in_two_rooms(home: Home) -> None:
    office: Called = [("light.turn_on", {}, ("light.office",))]
    bedroom: Called = [("light.turn_on", {}, ("light.bedroom",))]
    assert await calls(home, "turn on overhead in the office") == office
    assert await calls(home, "turn on overhead in the office", "bedroom") == office
    assert await calls(home, "turn on overhead", "bedroom") == bedroom
    miss = await missed(home, "turn on overhead", "kitchen")
    assert miss.code == "ambiguous"
    assert miss.reply is not None
    assert "Overhead in the Office, Overhead in the Bedroom" in miss.reply


async def test_commas_full_stops_fillers_wake_words_and_repeats_change_nothing(home: Home) -> None:
    expected: Called = [("light.turn_off", {}, ("light.sink",))]
    for text in (
        "Turn off, kitchen sink.",
        "TURN OFF THE KITCHEN SINK!",
        "um turn off the kitchen sink",
        "Hey Jarvis, turn off the kitchen sink.",
        "Turn off the kitchen sink. Turn off the kitchen sink.",
        "could you turn off the kitchen sink, please.",
    ):
        assert await calls(home, text) == expected, text
    item = [("todo.add_item", {"item": "milk"}, ("todo.shopping_list",))]
    for text in (
        "add milk to the shopping list please",
        "Add milk to the shopping list. Add milk to the shopping list.",
    ):
        assert await calls(home, text) == item, text


async def test_a_number_in_words_keeps_its_sign(home: Home) -> None:
    up, down = {"volume_level": 0.7}, {"volume_level": 0.3}
    for _ in range(2):
        assert await calls(home, "volume up by twenty percent", "bedroom") == [
            ("media_player.volume_set", up, ("media_player.tv",))
        ]
        assert await calls(home, "volume down by twenty percent", "bedroom") == [
            ("media_player.volume_set", down, ("media_player.tv",))
        ]


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("turn on the flux capacitor", "unknown-name", "flux capacitor"),
        ("turn on the pantry lights", "unknown-area", "pantry"),
        ("turn on the secret lamp", "not-exposed", "Secret lamp"),
        ("turn on the fan in the bedroom", "nothing-there", "fans in the Bedroom"),
        ("turn on the kitchen lamp in the bedroom", "nothing-there", "Kitchen lamp isn't in the Bedroom"),
        ("set the kitchen lamp to 500 percent", "out-of-range", "500"),
        ("set a timer for 5 minutes", "unsupported", "timers"),
        ("turn off the lights in 5 minutes", "unsupported", "timers"),
    ],
)
async def test_a_miss_says_what_is_missing(home: Home, text: str, code: str, part: str) -> None:
    miss = await missed(home, text, "hall")
    assert miss.code == code
    assert part in miss.reason
    assert miss.reply is not None


async def test_a_name_heard_slightly_wrong_is_suggested_in_the_record(home: Home) -> None:
    for text, name in (("close the main valv", "main valve"), ("turn off the lights in the ofice", "office")):
        miss = await missed(home, text)
        assert miss.code in ("unknown-name", "unknown-area")
        assert miss.reason.endswith(f"; did you mean '{name}'?")


async def test_other_sentences_are_left_to_others(home: Home) -> None:
    for text in (
        "when does the next bus leave from stop 1068",
        "tell me a joke",
        "what is the capital of France",
    ):
        miss = await missed(home, text, "bedroom")
        assert (miss.code, miss.reply) == ("no-match", None), text


async def test_nothing_and_too_much_are_told_apart(home: Home) -> None:
    assert (await missed(home, " .., ")).code == "empty"
    assert (await missed(home, "a " * 1000)).reply == "That was too long for me."
    miss = await home.intents.recognize("hello", Session(id="test", language="tlh"))
    assert isinstance(miss, Miss)
    assert miss.code == "no-language"


async def test_answers_tell_the_state(home: Home) -> None:
    assert await said(home, "is the patio door open") == "Yes"
    assert await said(home, "is the patio door closed") == "No, open"
    assert await said(home, "what is the temperature") == "21 degrees"
    assert await said(home, "what is the attic") == "I don't know the state of Attic."
    assert await said(home, "which lights are on") == "Kitchen lamp"
    assert await said(home, "is the front door locked") == "Yes"
    assert await said(home, "who made you") == "I am Earnest, a voice hub made in the open."


async def test_an_answer_speaks_of_what_is_after_the_call(home: Home) -> None:
    match = await ask(home, "are any lights on in the office")
    assert isinstance(match, Match)
    home.states.set("light.office", "on")
    again = await ask(home, "are any lights on in the office")
    home.states.set("light.office", "off")
    assert isinstance(again, Match)
    assert match.respond([]) == "No"
    assert again.respond([]) == "Yes, Overhead"


async def test_an_answer_says_what_failed_was_refused_or_is_asked(home: Home) -> None:
    match = await ask(home, "turn off the lights in the kitchen")
    assert isinstance(match, Match)
    call = match.calls[0]
    both = call.target.entities
    half = Done(call=call, targets=both, ok=False, failed={"light.sink": "It does not answer"})
    assert match.respond([half]) == "1 of 2 did it. Kitchen sink: It does not answer."
    none = Done(call=call, targets=both, ok=False, failed=dict.fromkeys(both, "No power."))
    assert match.respond([none]) == "None of them did it. Kitchen lamp: No power. Kitchen sink: No power."
    broken = Done(call=call, targets=both, ok=False, failed={"": "The bridge is gone"})
    assert match.respond([broken]) == "None of them did it. The bridge is gone."
    denied = Refused(call=call, code="denied", reason="not at night")
    assert match.respond([denied]) == "I'm not allowed to do that: not at night."
    asked = Pending(call=call, id="1", question="Really?", expires=0.0)
    assert match.respond([asked]) == "Really?"
    alone = await ask(home, "turn off the kitchen sink")
    assert isinstance(alone, Match)
    failed = Done(call=alone.calls[0], targets=("light.sink",), ok=False, failed={"light.sink": "No power"})
    assert alone.respond([failed]) == "Kitchen sink didn't do it: No power."


async def test_sixteen_clients_at_once_get_their_own_answers() -> None:
    home = Home()
    lamps = [
        Thing(id=f"light.l{n}", name=f"{word} lamp {n}", state="on" if n % 3 else "off")
        for n, word in enumerate(["old", "new", "red", "tall"] * 32)
    ]
    with home.furnished(*lamps):

        async def client(mine: list[Thing]) -> list[str]:
            found = []
            for lamp in mine:
                found.append(await said(home, f"is the {lamp.name} on"))
                assert await calls(home, f"turn off {lamp.name}") == [("light.turn_off", {}, (lamp.id,))]
            return found

        answers = await asyncio.gather(*(client(lamps[n::16]) for n in range(16)))
    expected = [["Yes" if lamp.state == "on" else "No, off" for lamp in lamps[n::16]] for n in range(16)]
    assert answers == expected


async def test_a_changed_name_holds_from_the_next_sentence_on() -> None:
    home = Home()
    lamp = Thing(id="light.x", name="Old name")
    with home.furnished(lamp):
        assert await calls(home, "turn on old name") == [("light.turn_on", {}, ("light.x",))]
        home.house.give("light.x", Given(name="New name", aliases=("Moonbeam",)))
        assert (await missed(home, "turn on old name")).code == "unknown-name"
        assert await calls(home, "turn on moonbeam") == [("light.turn_on", {}, ("light.x",))]
    assert (await missed(home, "turn on moonbeam")).code == "unknown-name"


async def test_it_keeps_itself_warm_while_the_house_changes() -> None:
    home = Home()
    keeping = asyncio.create_task(home.intents.keep_warm(home.bus))
    with home.furnished(Thing(id="light.x", name="Moonbeam")):
        assert await calls(home, "turn on moonbeam") == [("light.turn_on", {}, ("light.x",))]
    keeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await keeping


SHREDS = [
    "turn on",
    "off",
    "the",
    "add",
    "to",
    "check",
    "from",
    "list",
    "lights",
    "kitchen lamp",
    "is",
    "open",
    "um",
    "please",
    "50",
    "0",
    *",.-%[{(",
]


@given(st.text(max_size=200) | st.lists(st.sampled_from(SHREDS), max_size=40).map(" ".join))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_breaks_it(home: Home, text: str) -> None:
    answer = asyncio.run(ask(home, text))
    assert isinstance(answer, Match) or answer.reason
