"""An integration in a house with a door, as the hub holds it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hub import domains
from hub.bus import Bus
from hub.clock import Clock
from hub.door.audit import AuditConfig, open_audit
from hub.door.policy import Policy
from hub.door.toolbox import Toolbox
from hub.house import House
from hub.integration import IntegrationContext, OwnStates, Paths, Provides
from hub.models.config import ModelsConfig
from hub.models.shelf import Shelf
from hub.models.store import Models
from hub.states import States
from hub.values.house import Area, Locale
from hub.values.thing import State
from hub.values.tool import Caller, Done, Outcome, Target, ToolCall
from tests.remote.contexts import no_intents

ANNA = Caller(("cli:anna",))
AREAS = tuple(Area(id=one, name=one) for one in ("kitchen", "living_room", "bedroom", "garage"))

Setup = Callable[[Any, IntegrationContext], AbstractAsyncContextManager[Provides]]


@dataclass(frozen=True, slots=True)
class Furnished:
    """A house into which one integration brought its things."""

    house: House
    states: States
    bus: Bus
    _toolbox: Toolbox

    async def call(self, tool: str, *entities: str, areas: tuple[str, ...] = (), **arguments: Any) -> Outcome:
        """Call a tool."""
        target = Target(entities=entities, areas=areas)
        return await self._toolbox.call(ToolCall(tool=tool, target=target, arguments=arguments), ANNA)

    async def do(self, tool: str, *entities: str, **arguments: Any) -> Any:
        """Call a tool that must succeed; return what the first thing answers."""
        done = await self.call(tool, *entities, **arguments)
        assert isinstance(done, Done), done
        assert done.ok, done.failed
        return (done.result or {}).get(entities[0])

    async def failure(self, tool: str, *entities: str, **arguments: Any) -> str:
        """Call a tool that must fail; return the sentence why."""
        done = await self.call(tool, *entities, **arguments)
        assert isinstance(done, Done), done
        assert not done.ok
        return done.failed[entities[0]]

    def state(self, entity_id: str) -> str:
        """Return what a thing is."""
        return self.now(entity_id).state

    def now(self, entity_id: str) -> State:
        """Return all that is known of a thing."""
        state = self.states.get(entity_id)
        assert state, entity_id
        return state


@asynccontextmanager
async def furnished(
    setup: Setup,
    options: Any,
    folder: Path,
    *,
    restored: Iterable[State] = (),
    units: Literal["metric", "imperial"] = "metric",
) -> AsyncIterator[Furnished]:
    """Hold a house open in which the integration is the only one."""
    bus, clock = Bus(), Clock()
    states = States(bus, clock, restored)
    house = House(bus, states, (), AREAS)
    policy = Policy((), house)
    async with (
        open_audit(AuditConfig(), folder, clock) as audit,
        Toolbox(house=house, bus=bus, audit=audit, policy=policy) as toolbox,
        setup(options, _context(bus, states, toolbox, folder, units)) as provides,
    ):
        with house.bring("test", provides.things), toolbox.add(domains.tools(house)):
            yield Furnished(house, states, bus, toolbox)


def _context(
    bus: Bus, states: States, toolbox: Toolbox, folder: Path, units: Literal["metric", "imperial"]
) -> IntegrationContext:
    async def call(wish: ToolCall) -> Outcome:
        return await toolbox.call(wish, Caller(("integration:test",)))

    def offer(provides: Provides) -> AbstractContextManager[None]:
        return nullcontext()

    def unheard(_: object) -> None:
        """Nobody listens."""

    return IntegrationContext(
        name="test",
        offer=offer,
        resolve=no_intents,
        events=bus,
        states=OwnStates(states.get, states.last, states.set),
        call=call,
        report=unheard,
        health=unheard,
        models=Models(Shelf(folder / "models"), ModelsConfig()),
        paths=Paths(config=folder, data=folder, cache=folder, run=folder),
        locale=Locale(units=units),
        clock=Clock(),
        log=logging.getLogger("integrations.test"),
    )
