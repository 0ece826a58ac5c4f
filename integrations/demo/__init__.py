"""A house to try everything in: four rooms with lamps, a blind, a garage door, a lock, sensors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from hub import IntegrationContext, Provides, Thing, ToolError

from .furniture import Piece, extra_lights, rooms

SLOTS = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings of one demo house, under `integrations.<name>` in the YAML."""

    rooms: bool = True
    """Whether the four rooms are furnished."""
    lights: tuple[str, ...] = ()
    """Names of further lamps that can be dimmed; `Kitchen Lights` becomes `light.kitchen_lights`."""
    delay: float = 0.0
    """Seconds a thing takes to do what it is told."""

    def __post_init__(self) -> None:
        if self.delay < 0:
            raise ValueError("delay cannot be negative")
        ids = [piece.id for piece in extra_lights(self.lights)]
        ids += [piece.id for piece in rooms("metric")] if self.rooms else []
        doubled = sorted({one for one in ids if ids.count(one) > 1})
        if doubled:
            raise ValueError(f"two lamps would be called {', '.join(doubled)}; choose other names")


@asynccontextmanager
async def setup(options: Options, context: IntegrationContext) -> AsyncIterator[Provides]:
    """Bring the house's things, as they were when the hub last stopped."""
    pieces = extra_lights(options.lights)
    if options.rooms:
        pieces = (*rooms(context.locale.units), *pieces)
    yield Provides(things=tuple(_thing(piece, options.delay, context) for piece in pieces))


def _thing(piece: Piece, delay: float, context: IntegrationContext) -> Thing:
    """Return a piece of the house as a thing that remembers what it last was."""
    state, attributes = piece.state, dict(piece.attributes)
    last = context.states.last(piece.id)
    if piece.react and last and last.state in piece.states:
        state = last.state
        attributes |= {name: last.attributes[name] for name in attributes if name in last.attributes}

    async def perform(action: str, arguments: Mapping[str, Any]) -> None:
        if delay:
            await asyncio.sleep(delay)
        now = context.states.get(piece.id)
        if now is None or piece.react is None:
            raise ToolError("It is not there any more.")
        context.states.set(piece.id, *piece.react(action, arguments, now.state, now.attributes))

    return Thing(
        id=piece.id,
        name=piece.name,
        area=piece.area,
        aliases=piece.aliases,
        device_class=piece.device_class,
        actions=piece.actions,
        perform=perform if piece.react else None,
        state=state,
        attributes=attributes,
    )
