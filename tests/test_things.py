import pytest

from hub.bus import Bus
from hub.clock import Clock
from hub.errors import IntegrationError
from hub.events import Event, HouseChanged
from hub.house import Given, House
from hub.states import States
from hub.values.house import Area
from hub.values.thing import Thing


def _house(**given: Given) -> tuple[House, States, Bus]:
    bus = Bus()
    states = States(bus, Clock())
    return House(bus, states, given={k.replace("__", "."): v for k, v in given.items()}), states, bus


async def test_a_thing_is_there_with_its_state_as_long_as_it_is_brought() -> None:
    house, states, bus = _house()
    seen: list[Event] = []
    with (
        bus.follow(seen.append, HouseChanged),
        house.bring("demo", [Thing(id="light.a", name="Lamp", state="on")]),
    ):
        assert house.things["light.a"].name == "Lamp"
        assert house.owner("light.a") == "demo"
        state = states.get("light.a")
        assert state
        assert state.state == "on"
    assert not house.things
    assert states.get("light.a") is None
    assert seen == [HouseChanged(things=("light.a",))] * 2, "one when it came, one when it went"


async def test_names_given_by_people_win_whenever_they_are_given() -> None:
    house, _, _ = _house(light__a=Given(name="Reading lamp", area="kitchen"))
    with house.bring("demo", [Thing(id="light.a", name="Lamp", aliases=("x",))]):
        assert house.things["light.a"].name == "Reading lamp"
        before = house.generation
        house.give("light.a", Given(name="Desk lamp"))
        assert house.things["light.a"].name == "Desk lamp"
        assert house.things["light.a"].aliases == ("x",)
        assert house.generation > before


async def test_two_integrations_cannot_bring_the_same_thing_and_the_first_stays() -> None:
    house, states, _ = _house()
    with house.bring("one", [Thing(id="light.a", name="Lamp", state="on")]):
        with (
            pytest.raises(IntegrationError, match=r"light\.a .*'one'"),
            house.bring("two", [Thing(id="light.b", name="B"), Thing(id="light.a", name="A")]),
        ):
            pass
        assert set(house.things) == {"light.a"}
        assert states.get("light.a")


async def test_a_thing_that_does_not_know_its_state_gets_the_last_one_back() -> None:
    house, states, _ = _house()
    with house.bring("demo", [Thing(id="light.a", name="Lamp", state="on", attributes={"x": 1})]):
        pass
    with house.bring("demo", [Thing(id="light.a", name="Lamp")]):
        state = states.get("light.a")
        assert state
        assert (state.state, dict(state.attributes)) == ("on", {"x": 1})


def test_the_first_given_wins_field_by_field() -> None:
    ours = Given(name="A", exposed=False)
    assert ours.over(Given(name="B", area="x", exposed=True)) == Given(name="A", area="x", exposed=False)


async def test_what_the_yaml_declares_wins_and_a_reload_changes_it() -> None:
    bus = Bus()
    states = States(bus, Clock())
    house = House(
        bus,
        states,
        given={"light.a": Given(name="Spoken", aliases=("x",))},
        declared={"light.a": Given(name="Written")},
    )
    with house.bring("demo", [Thing(id="light.a", name="Lamp")]):
        assert house.things["light.a"].name == "Written"
        assert house.things["light.a"].aliases == ("x",)
        house.declare([], [Area(id="den", name="Den")], {})
        assert house.things["light.a"].name == "Spoken"
        assert set(house.areas) == {"den"}
