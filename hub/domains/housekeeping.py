"""`house.update_thing`: names, areas and aliases that people change while the hub runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from voluptuous import Length

from hub.config.schema import near
from hub.domains.domain import Domain
from hub.domains.ranges import Words
from hub.errors import ToolError
from hub.house import Given, House
from hub.values.thing import Thing
from hub.values.tool import Effect, Tool, ToolCall

Keep = Callable[[str, Given], Awaitable[None]]
"""`await keep(thing_id, given)` returns when it survives a restart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateThing:
    """What is to hold for a thing from now on; what is not given stays as it is."""

    name: Words | None = None
    """What people call it."""
    area: Words | None = None
    """Id or name of the area it is in."""
    aliases: Annotated[tuple[Words, ...], Length(max=50)] | None = None
    """What people also call it."""
    exposed: bool | None = None
    """Whether voice and models may name it."""


def house_tools(house: House, keep: Keep, domains: Mapping[str, Domain]) -> tuple[Tool, ...]:
    """Return the tools that change the house itself; what they change survives a restart."""
    one_by_one = asyncio.Lock()

    async def update_thing(call: ToolCall, things: tuple[Thing, ...]) -> None:
        if len(things) != 1:
            raise ToolError("A name or an area is given to one thing at a time.")
        async with one_by_one:
            given = _given(house, things[0], call.arguments)
            await keep(things[0].id, given)
            house.give(things[0].id, given)

    def effect(thing: Thing) -> Effect:
        domain = domains.get(thing.domain)
        able = [action for action in domain.actions if action.is_of(thing)] if domain else []
        return max((Effect.WRITE, *(action.on(thing) for action in able)))

    return (
        Tool(
            name="house.update_thing",
            description="Give a thing another name, area or aliases, or say whether voice may name it.",
            parameters=UpdateThing,
            effect=effect,
            run=update_thing,
            targets="*",
        ),
    )


def _given(house: House, thing: Thing, said: Mapping[str, Any]) -> Given:
    """Return what holds besides the YAML once this was said; raises `ToolError` where the YAML wins."""
    said = dict(said)
    if not said:
        raise ToolError("Say what is to change: name, area, aliases or exposed.")
    if "area" in said:
        said["area"] = _area(house, said["area"])
    declared = house.declared(thing.id)
    fixed = [name for name, value in said.items() if getattr(declared, name) not in (None, value)]
    if fixed:
        raise ToolError(f"The YAML says the {' and '.join(fixed)} of '{thing.name}': change it there.")
    return Given(**said).over(house.given(thing.id))


def _area(house: House, word: str) -> str:
    folded = " ".join(word.casefold().split())
    for area in house.areas.values():
        if folded in (area.id.casefold(), area.name.casefold(), *(one.casefold() for one in area.aliases)):
            return area.id
    names = [area.name for area in house.areas.values()]
    raise ToolError(f"There is no area called '{word}'{near(word, names) or '.'}")
