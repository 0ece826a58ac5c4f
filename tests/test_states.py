from datetime import UTC, datetime

from hub.bus import Bus
from hub.clock import Clock
from hub.events import Event, StateChanged
from hub.states import States
from hub.values.thing import State


async def test_only_a_change_is_an_event() -> None:
    bus, seen = Bus(), list[Event]()
    states = States(bus, Clock())
    with bus.follow(seen.append):
        first = states.set("light.a", "on", {"brightness": 3})
        again = states.set("light.a", "on", {"brightness": 3})
        dimmed = states.set("light.a", "on", {"brightness": 2})
    assert again is first
    assert [event.new for event in seen if isinstance(event, StateChanged)] == [first, dimmed]
    assert dimmed.last_changed == first.last_changed


async def test_attributes_stay_when_none_are_given() -> None:
    states = States(Bus(), Clock())
    states.set("light.a", "on", {"brightness": 3})
    assert states.set("light.a", "off").attributes == {"brightness": 3}


async def test_what_is_gone_is_not_there_but_its_last_state_is_known() -> None:
    states = States(Bus(), Clock())
    last = states.set("light.a", "on")
    states.remove("light.a")
    assert states.get("light.a") is None
    assert states.last("light.a") == last
    assert list(states) == []


async def test_a_restored_state_is_the_last_one_until_a_new_one_comes() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    old = State(entity_id="light.a", state="on", last_changed=moment, last_updated=moment)
    states = States(Bus(), Clock(), [old])
    assert states.get("light.a") is None
    assert states.last("light.a") == old
