from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.clock import Clock
from hub.house import House
from hub.intents.commands import (
    ActionConfig,
    CommandConfig,
    Commands,
    RangeConfig,
    SlotConfig,
    TargetConfig,
    ValueConfig,
)
from hub.intents.indexing import index
from hub.intents.numbers import NumberWords
from hub.intents.spoken import Manner, words
from hub.phrases import load
from hub.states import States
from hub.values.house import Area, Locale
from hub.values.intent import Match, Miss
from hub.values.session import Session
from hub.values.thing import Thing
from hub.values.tool import Done, Outcome, Refused
from tests.intents.homes import Home

AREAS = (Area(id="kitchen", name="Kitchen"), Area(id="office", name="Office", aliases=("study",)))
THINGS = (
    Thing(id="light.a", name="Overhead", area="kitchen"),
    Thing(id="light.b", name="Overhead", area="office"),
    Thing(id="light.sink", name="Sink", area="kitchen", attributes={"brightness": 128.0}),
    Thing(id="light.secret", name="Secret", exposed=False),
)
LIGHTS_ON = ActionConfig(action="light.turn_on", target=TargetConfig(area_id=("{{ area }}",)))


def plain(*phrases: str, priority: int = 0, enabled: bool = True) -> CommandConfig:
    return CommandConfig(phrases=phrases, reply="Yes.", priority=priority, enabled=enabled)


Made = Callable[..., Commands]


@pytest.fixture
def made() -> Iterator[Made]:
    home = Home()
    with home.furnished(*THINGS, areas=AREAS):
        yield lambda **commands: Commands(commands, home.house, home.states, Locale())


async def ask(commands: Commands, text: str, area: str | None = None) -> Match | Miss:
    return await commands.recognize(text, Session(id="test", area=area))


async def heard(commands: Commands, text: str) -> tuple[str, dict[str, Any]] | None:
    answer = await ask(commands, text)
    return (answer.intent, dict(answer.slots)) if isinstance(answer, Match) else None


async def test_case_space_commas_and_full_stops_do_not_matter(made: Made) -> None:
    commands = made(lights=plain("turn off the big lights"), goodnight=plain("Good night, house!"))
    for text in (
        "turn off the big lights.",
        "Turn  off the BIG lights",
        "Turn off, the big lights!",
        "… turn off the big lights",
    ):
        assert await heard(commands, text) == ("lights", {}), text
    assert await heard(commands, "good night house") == ("goodnight", {})
    assert await heard(commands, "good morning house") is None


async def test_a_timer_of_ones_own_matches_with_its_full_stop(made: Made) -> None:
    timer = CommandConfig(
        phrases=("set a timer for {1..120:minutes} minute[s]",), reply="{{ minutes }} minutes."
    )
    for text in ("Set a timer for 5 minutes.", "set a timer for five minutes"):
        match = await ask(made(timer=timer), text)
        assert isinstance(match, Match)
        assert (match.slots, match.respond([])) == ({"minutes": 5}, "5 minutes.")


async def test_exact_beats_prefix_longer_prefix_beats_shorter_then_priority(made: Made) -> None:
    commands = made(
        short=plain("movie", priority=9),
        long=plain("movie night"),
        whole=plain("movie night in the kitchen"),
        slotted=plain("movie night in the {area}"),
        twin=plain("movie night", priority=1),
    )
    assert await heard(commands, "movie night in the kitchen") == ("whole", {})
    assert await heard(commands, "movie night in the study") == ("slotted", {"area": "office"})
    assert await heard(commands, "movie night please now") == ("twin", {})
    assert await heard(commands, "movie now") == ("short", {})
    assert await heard(commands, "movies now") is None


async def test_a_mere_beginning_is_not_certain_and_says_what_was_left_over(made: Made) -> None:
    match = await ask(made(stop=plain("stop")), "stop the music in the hall")
    assert isinstance(match, Match)
    assert match.score == pytest.approx(1 / 6)
    assert match.why == "it begins with the phrase “stop”; “the music in the hall” was left over"


async def test_a_phrase_with_slots_is_no_beginning(made: Made) -> None:
    commands = made(say=CommandConfig(phrases=("remind me in {0..9:n} days",), reply="Yes."))
    assert await heard(commands, "remind me in 3 days") == ("say", {"n": 3})
    assert await heard(commands, "remind me in 3 days or so") is None


async def test_a_phrase_whose_slot_was_left_out_is_no_beginning_either(made: Made) -> None:
    commands = made(film=plain("movie time [at {0..100:level} percent]"))
    assert isinstance(await ask(commands, "movie time"), Match)
    assert isinstance(await ask(commands, "movie time at 20 percent"), Match)
    assert isinstance(await ask(commands, "movie time at 999 percent"), Miss)


async def test_slots_hold_lists_ranges_names_and_free_text(made: Made) -> None:
    slots = {
        "color": SlotConfig(values=("red", ValueConfig(in_="(sky|light) blue", out="#87ceeb"))),
        "level": SlotConfig(range=RangeConfig(from_=0, to=1, step=0.25)),
        "what": SlotConfig(wildcard=True),
    }
    commands = made(
        paint=CommandConfig(phrases=("paint {name} [in] {color} at {level}",), slots=slots, reply="Yes."),
        note=CommandConfig(phrases=("note {what} for {area}", "note {what}"), slots=slots, reply="Yes."),
    )
    assert await heard(commands, "paint the sink in red at 0.5") is None
    assert await heard(commands, "Paint Sink in light blue at 0.75") == (
        "paint",
        {"name": "light.sink", "color": "#87ceeb", "level": 0.75},
    )
    assert await heard(commands, "paint sink red at 0.3") is None
    assert await heard(commands, "paint secret red at 1") is None
    assert await heard(commands, "Note: call Bob, for Kitchen!") == (
        "note",
        {"what": "call Bob", "area": "kitchen"},
    )
    assert await heard(commands, "note 2 Eggs") == ("note", {"what": "2 Eggs"})


async def test_a_name_in_two_rooms_means_the_speakers_or_is_asked_about(made: Made) -> None:
    commands = made(dim=CommandConfig(phrases=("dim {name}",), reply="Yes."))
    match = await ask(commands, "dim overhead", "office")
    assert isinstance(match, Match)
    assert match.slots == {"name": "light.b"}
    miss = await ask(commands, "dim overhead", "hall")
    assert isinstance(miss, Miss)
    assert (miss.code, "Overhead in the Kitchen, Overhead in the Office" in str(miss.reply)) == (
        "ambiguous",
        True,
    )


async def test_spoken_decimals_reach_the_slot_of_ones_own_sentence(made: Made) -> None:
    config = CommandConfig(
        phrases=("set the heating to {temperature}",),
        slots={"temperature": SlotConfig(range=RangeConfig(from_=5, to=30))},
        reply="{{ temperature }}",
    )
    commands = made(heating=config)
    for text in ("20.5", "20,5", "20 point 5", "twenty point five"):
        assert await heard(commands, f"set the heating to {text}") == ("heating", {"temperature": 20.5}), text


async def test_times_are_written_in_many_ways(made: Made) -> None:
    commands = made(four=plain("it's four a.m."), dinner=plain("it is 6:30 PM"))
    for text in ("It's 4:00 AM.", "its 4am", "it is four a.m.", "it\u2019s 4 a.m"):
        assert await heard(commands, text) == ("four", {}), text
    assert await heard(commands, "It's 6.30 p.m.") == ("dinner", {})
    assert await heard(commands, "it's 5 am") is None


async def test_calls_are_filled_in_with_what_was_said(made: Made) -> None:
    config = CommandConfig(
        phrases=("film in the {area} at {0..100:level} percent",),
        action=(
            LIGHTS_ON,
            ActionConfig(
                tool="light.turn_on",
                target=TargetConfig(entity_id=("light.sink",)),
                data={"brightness_pct": "{{ level }}", "deep": [{"note": "at {{ said.level }}"}], "plain": 1},
            ),
        ),
        reply="{{ said.area }} at {{ level + 1 }}, sink was {{ state_attr('light.sink', 'brightness') }}.",
    )
    match = await ask(made(film=config), "Film in the Study at ten percent")
    assert isinstance(match, Match)
    first, second = match.calls
    assert (first.tool, first.target.areas) == ("light.turn_on", ("office",))
    assert (second.target.entities, second.arguments) == (
        ("light.sink",),
        {"brightness_pct": 10, "deep": [{"note": "at ten"}], "plain": 1},
    )
    done = [Done(call=call, targets=call.target.entities) for call in match.calls]
    assert match.respond(done) == "Study at 11, sink was 128."
    denied: list[Outcome] = [
        done[0],
        Refused(call=second, code="denied", reason="no", targets=("light.sink",)),
    ]
    assert match.respond(denied) == "Sink didn't do it: no."


async def test_a_template_that_fails_is_a_miss_with_its_reason(made: Made) -> None:
    config = CommandConfig(phrases=("go",), action=(ActionConfig(action="a.b", data={"x": "{{ 1 / 0 }}"}),))
    miss = await ask(made(go=config), "go")
    assert isinstance(miss, Miss)
    assert (miss.code, "division by zero" in miss.reason) == ("failed", True)
    broken = await ask(made(go=CommandConfig(phrases=("go",), reply="{{ nothing.at.all }}")), "go")
    assert isinstance(broken, Match)
    assert broken.respond([]).startswith("Something went wrong")


async def test_templates_cannot_leave_their_sandbox(made: Made) -> None:
    config = CommandConfig(phrases=("go",), reply="{{ ''.__class__.__mro__[1].__subclasses__() }}")
    match = await ask(made(go=config), "go")
    assert isinstance(match, Match)
    assert match.respond([]).startswith("Something went wrong")


async def test_a_command_can_be_off(made: Made) -> None:
    miss = await ask(made(off=plain("go", enabled=False)), "go")
    assert isinstance(miss, Miss)
    assert miss.reason == "there are no commands"


async def test_what_is_said_around_a_command_is_left_away_only_if_it_must_be(made: Made) -> None:
    commands = made(please=plain("say please"), go=plain("go away"))
    assert await heard(commands, "say please") == ("please", {})
    for text in ("go away please", "Hey Jarvis, go away!", "Go away. Go away."):
        match = await ask(commands, text)
        assert isinstance(match, Match)
        assert (match.intent, match.score) == ("go", 1.0)


class Steps(list[str]):
    """Words of a sentence that count how often they are looked at."""

    looked = 0

    def __getitem__(self, place: Any) -> Any:
        self.looked += 1
        return super().__getitem__(place)


def steps(count: int, text: str) -> int:
    """Return how often the words are looked at to find the best of `count` commands."""
    home = Home()
    own = load("en")
    commands = {
        f"c{n}": CommandConfig(
            phrases=(f"start program {n}", f"put {{item}} on shelf {n}", f"{{room}} scene {n}"),
            slots={"item": SlotConfig(wildcard=True), "room": SlotConfig(values=(f"room {n}", f"hall {n}"))},
        )
        for n in range(count)
    }
    tree = index(commands, home.house, Manner(own.heard), NumberWords("en", own.heard.point))
    said = Steps(word.text for word in words(text))
    hit = tree.best(said)
    assert hit is not None
    assert hit.ending.command == "c77"
    return said.looked


@pytest.mark.parametrize(
    "text", ["start program 77", "put the old red shoes on shelf 77", "room 77 scene 77"]
)
def test_many_commands_are_hardly_more_work_than_few(text: str) -> None:
    assert steps(2000, text) <= 2 * steps(100, text)


@given(st.lists(st.sampled_from(["a", "b", "c", "d", "a", "a"]), max_size=60))
@settings(max_examples=50, deadline=None)
def test_free_text_cannot_make_it_slow(said: list[str]) -> None:
    home = House(bus := Home().bus, States(bus, Clock()))
    slots = {name: SlotConfig(wildcard=True) for name in "xyz"}
    config = CommandConfig(phrases=("{x} a {y} a {z} a", "{x} a {y} b {z} c d"), slots=slots)
    own = load("en")
    counted = Steps(said)
    index({"c": config}, home, Manner(own.heard), NumberWords("en", ())).best(counted)
    assert counted.looked <= 20 * (len(said) + 1) ** 2
