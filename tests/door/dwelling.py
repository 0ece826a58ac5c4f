"""A small house with a door, and tools whose runs a test can watch and hold."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from voluptuous import Range

from hub import domains
from hub.bus import Bus
from hub.clock import Clock
from hub.door.audit import AuditConfig, actions, open_audit
from hub.door.limits import DoorLimits
from hub.door.policy import Policy, Rule
from hub.door.toolbox import Toolbox
from hub.house import House
from hub.states import States
from hub.values.house import Area, Floor
from hub.values.thing import Thing
from hub.values.tool import Caller, Outcome, Target, Tool, ToolCall

ANNA = Caller(("cli:anna",))
LAMP = "light.kitchen_lamp"

FLOORS = (
    Floor(id="ground", name="Ground floor", aliases=("downstairs",)),
    Floor(id="upper", name="Upstairs"),
)
AREAS = (
    Area(id="kitchen", name="Kitchen", floor="ground", aliases=("cooking area",)),
    Area(id="garage", name="Garage", floor="ground"),
    Area(id="bedroom", name="Bedroom", floor="upper"),
    Area(id="shed", name="Shed"),
)


class Standing(House):
    """A house whose things are there for as long as it is."""

    def __init__(self, things: Iterable[Thing], areas: Iterable[Area], floors: Iterable[Floor] = FLOORS):
        bus = Bus()
        super().__init__(bus, States(bus, Clock()), floors, areas)
        self._held = ExitStack()
        self._held.enter_context(self.bring("test", things))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Parameters of the tools of these tests."""

    level: Annotated[int, Range(min=0, max=9)] = 0
    key: str = field(default="", metadata={"secret": True})


def tool(run: Any, **more: Any) -> Tool:
    """Return a tool without a target."""
    return Tool(name="test.do", description="Do it.", parameters=Wanted, run=run, **more)


@dataclass(slots=True)
class Appliances:
    """The things of the small house; `done` is what they were told, `trouble` what they answer instead."""

    done: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    trouble: dict[str, BaseException] = field(default_factory=dict)
    held: dict[str, asyncio.Event] = field(default_factory=dict)
    """A thing waits for its event before it does anything."""
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    def thing(self, thing_id: str, name: str, area: str | None = None, **more: Any) -> Thing:
        """Return a thing that does what it is told, and remembers it."""

        async def perform(action: str, arguments: Mapping[str, Any]) -> Mapping[str, Any] | None:
            self.begun.set()
            if thing_id in self.held:
                await self.held[thing_id].wait()
            if thing_id in self.trouble:
                raise self.trouble[thing_id]
            self.done.append((thing_id, action, dict(arguments)))
            return {"was": action} if thing_id.startswith("todo.") else None

        return Thing(id=thing_id, name=name, area=area, perform=perform, **more)

    def house(self) -> tuple[Thing, ...]:
        """Return the things of the small house."""
        return (
            self.thing("light.kitchen_lamp", "Kitchen lamp", "kitchen", aliases=("big light",)),
            self.thing("light.counter", "Counter light", "kitchen"),
            self.thing("light.bedside", "Bedside lamp", "bedroom"),
            self.thing("switch.kettle", "Kettle", "kitchen"),
            self.thing("cover.blind", "Blind", "bedroom", device_class="blind"),
            self.thing("cover.garage_door", "Garage door", "garage", device_class="garage"),
            self.thing("lock.front_door", "Front door", actions=frozenset({"lock", "unlock"})),
            self.thing("todo.shopping", "Shopping list"),
            Thing(id="sensor.warmth", name="Warmth", area="kitchen", device_class="temperature"),
        )


@dataclass(slots=True)
class Door:
    """An open toolbox over the small house."""

    toolbox: Toolbox
    house: House
    appliances: Appliances
    audit: Path

    async def __call__(
        self,
        tool: str,
        *entities: str,
        caller: Caller = ANNA,
        areas: tuple[str, ...] = (),
        text: str | None = None,
        **arguments: Any,
    ) -> Outcome:
        """Call a tool as a test reads best."""
        target = Target(entities=entities, areas=areas)
        return await self.toolbox.call(
            ToolCall(tool=tool, target=target, arguments=arguments, text=text), caller
        )

    def lines(self) -> list[dict[str, Any]]:
        """Return the actions of all days in the audit."""
        return [action for file in sorted(self.audit.glob("*.jsonl")) for action in actions(file)]


@dataclass(frozen=True, slots=True)
class Builder:
    """Opens doors; each with its own rules, limits and tools."""

    folder: Path
    bus: Bus
    clock: Clock

    @asynccontextmanager
    async def door(
        self,
        *rules: Rule,
        limits: DoorLimits | None = None,
        tools: Sequence[Tool] = (),
        config: AuditConfig | None = None,
    ) -> AsyncIterator[Door]:
        """Hold a door open."""
        appliances = Appliances()
        house = House(self.bus, States(self.bus, self.clock), FLOORS, AREAS)
        limits = limits or DoorLimits()
        async with AsyncExitStack() as stack:
            stack.enter_context(house.bring("test", appliances.house()))
            audit = await stack.enter_async_context(
                open_audit(config or AuditConfig(close_within=0.01), self.folder, self.clock)
            )
            toolbox = await stack.enter_async_context(
                Toolbox(house=house, bus=self.bus, audit=audit, policy=Policy(rules, house), limits=limits)
            )
            stack.enter_context(toolbox.add(domains.tools(house, thing_timeout=limits.thing_timeout)))
            stack.enter_context(toolbox.add(tools))
            yield Door(toolbox, house, appliances, self.folder / "audit")
