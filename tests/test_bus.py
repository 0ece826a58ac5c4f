import asyncio

from hub.bus import Bus
from hub.events import Event, EventsLost, HouseChanged, HubStarted


async def test_a_follower_gets_every_event_in_order() -> None:
    bus, seen = Bus(), list[Event]()
    with bus.follow(seen.append, HouseChanged):
        for number in range(1000):
            bus.publish(HouseChanged(things=(str(number),)))
        bus.publish(HubStarted())
    bus.publish(HouseChanged(things=("late",)))
    assert [event.things for event in seen if isinstance(event, HouseChanged)] == [
        (str(number),) for number in range(1000)
    ]


async def test_a_failing_follower_costs_no_other_its_event() -> None:
    bus, seen = Bus(), list[Event]()

    def fail(event: Event) -> None:
        raise RuntimeError("broken")

    with bus.follow(fail), bus.follow(seen.append):
        bus.publish(HubStarted())
    assert seen == [HubStarted()]


async def test_a_slow_viewer_loses_the_oldest_and_is_told_how_many() -> None:
    bus = Bus()
    with bus.view(size=3) as view:
        for number in range(10):
            bus.publish(HouseChanged(things=(str(number),)))
        assert await anext(view) == EventsLost(count=7)
        rest = [await anext(view) for _ in range(3)]
    assert rest == [HouseChanged(things=(number,)) for number in ("7", "8", "9")]


async def test_a_waiting_viewer_wakes_up() -> None:
    bus = Bus()
    with bus.view(HubStarted) as view:
        waiting = asyncio.ensure_future(anext(view))
        await asyncio.sleep(0)
        bus.publish(HouseChanged())
        bus.publish(HubStarted())
        assert await waiting == HubStarted()
