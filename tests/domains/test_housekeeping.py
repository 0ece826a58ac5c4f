from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from hub import domains
from hub.bus import Bus
from hub.clock import Clock
from hub.domains.housekeeping import house_tools
from hub.door.audit import AuditConfig, open_audit
from hub.door.policy import Policy
from hub.door.toolbox import Toolbox
from hub.errors import StoreError
from hub.events import Event, ToolCalled
from hub.house import Given, House
from hub.states import States
from hub.store import open_store
from hub.values.tool import Done, Outcome, Target, ToolCall
from tests.door.dwelling import ANNA, AREAS, FLOORS, Appliances

LAMP = "light.kitchen_lamp"


class Home:
    """A hub's house and store, as they are between a start and a stop."""

    def __init__(self, folder: Path, declared: dict[str, Given] | None = None) -> None:
        self.folder = folder
        self.bus = Bus()
        self._declared = declared
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Home:
        enter = self._stack.enter_async_context
        store = await enter(open_store(self.folder / "earnest.db"))
        states = States(self.bus, Clock())
        self.house = House(self.bus, states, FLOORS, AREAS, await store.given(), self._declared)
        self._stack.enter_context(self.house.bring("test", Appliances().house()))
        audit = await enter(open_audit(AuditConfig(), self.folder, Clock()))
        policy = Policy((), self.house)
        self._toolbox = await enter(Toolbox(house=self.house, bus=self.bus, audit=audit, policy=policy))
        self._stack.enter_context(self._toolbox.add(domains.tools(self.house, store.give)))
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def update(self, *entities: str, **arguments: object) -> Outcome:
        """Say what is to hold for a thing."""
        call = ToolCall(tool="house.update_thing", target=Target(entities=entities), arguments=arguments)
        return await self._toolbox.call(call, ANNA)


async def test_names_and_areas_given_at_run_time_survive_a_restart(tmp_path: Path) -> None:
    async with Home(tmp_path) as home:
        done = await home.update(LAMP, name="Big lamp", area="Bedroom", aliases=["moon"], exposed=False)
        assert isinstance(done, Done)
        assert done.ok
        assert home.house.things[LAMP].name == "Big lamp"
        await home.update("Big lamp", name="Moon lamp")
    async with Home(tmp_path) as home:
        lamp = home.house.things[LAMP]
        assert (lamp.name, lamp.area, lamp.aliases, lamp.exposed) == (
            "Moon lamp",
            "bedroom",
            ("moon",),
            False,
        )


async def test_updates_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    async with Home(tmp_path) as home:
        await asyncio.gather(home.update(LAMP, name="Big lamp"), home.update(LAMP, area="shed"))
    async with Home(tmp_path) as home:
        lamp = home.house.things[LAMP]
        assert (lamp.name, lamp.area) == ("Big lamp", "shed")


@pytest.mark.parametrize(
    ("entities", "arguments", "says"),
    [
        ((LAMP,), {}, "Say what is to change"),
        ((LAMP,), {"area": "kitchn"}, "did you mean 'Kitchen'?"),
        ((LAMP, "light.counter"), {"name": "Both"}, "one thing at a time"),
        (("light.bedside",), {"name": "Other"}, "The YAML says the name of 'From the YAML'"),
    ],
)
async def test_what_cannot_hold_is_answered_with_a_sentence(
    tmp_path: Path, entities: tuple[str, ...], arguments: dict[str, object], says: str
) -> None:
    async with Home(tmp_path, {"light.bedside": Given(name="From the YAML")}) as home:
        done = await home.update(*entities, **arguments)
    assert isinstance(done, Done)
    assert not done.ok
    assert says in done.failed[""]


async def test_moving_a_lock_is_as_dangerous_as_opening_it(tmp_path: Path) -> None:
    effects: list[str] = []

    def follow(event: Event) -> None:
        if isinstance(event, ToolCalled):
            effects.append(event.effect)

    async with Home(tmp_path) as home:
        with home.bus.follow(follow):
            await home.update("Front door", area="shed")
            await home.update("Kettle", area="shed")
            await home.update("Warmth", area="shed")
    assert effects == ["danger", "write", "write"]


async def test_what_cannot_be_kept_does_not_hold(tmp_path: Path) -> None:
    async def lose(thing_id: str, given: Given) -> None:
        raise StoreError("The disk is full.")

    async with Home(tmp_path) as home:
        (tool,) = house_tools(home.house, lose, domains.DOMAINS)
        things = (home.house.things[LAMP],)
        with pytest.raises(StoreError):
            await tool.run(ToolCall(tool=tool.name, arguments={"name": "Lost"}), things)
        assert home.house.things[LAMP].name == "Kitchen lamp"
