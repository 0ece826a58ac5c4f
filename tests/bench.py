"""A registry to put instances into: its house, its states, and what they say."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from hub.bus import Bus
from hub.clock import Clock
from hub.engines.limits import EngineLimits
from hub.house import House
from hub.integration import IntegrationContext, OwnStates, Paths, Provides
from hub.models.config import ModelsConfig
from hub.models.shelf import Shelf
from hub.models.store import Models
from hub.registry import Instance, Registry, RegistryLimits, Setup
from hub.states import States
from hub.values.house import Locale
from hub.values.tool import Done, Outcome, Tool, ToolCall
from tests.remote.contexts import no_intents

LIMITS = RegistryLimits(retry_first=1, retry_longest=4, open_timeout=30, start_wait=10, close_timeout=2)


@contextmanager
def _no_tools(tools: Iterable[Tool]) -> Iterator[None]:
    yield


class Bench:
    """A registry over a house of its own."""

    def __init__(self, house: House, states: States, bus: Bus, clock: Clock, folder: Path) -> None:
        self.states = states
        self.house = house
        self.bus = bus
        self.clock = clock

        async def call(call: ToolCall) -> Outcome:
            return Done(call=call)

        def context(
            name: str,
            offer: Callable[[Provides], AbstractContextManager[None]],
            report: Callable[[str | None], None],
            health: Callable[[Mapping[str, Any]], None],
        ) -> IntegrationContext:
            return IntegrationContext(
                name=name,
                offer=offer,
                resolve=no_intents,
                events=bus,
                states=OwnStates(states.get, states.last, states.set),
                call=call,
                report=report,
                health=health,
                models=Models(Shelf(folder / "models"), ModelsConfig()),
                paths=Paths(config=folder, data=folder, cache=folder, run=folder),
                locale=Locale(),
                clock=clock,
                log=logging.getLogger(name),
            )

        self.registry = Registry(
            house=house, states=states, add_tools=_no_tools, context=context, limits=LIMITS
        )

    def state(self, name: str) -> tuple[str, Any]:
        """Return the word and the reason."""
        state = self.states.get(f"integration.{name}")
        assert state
        return state.state, state.attributes.get("reason")

    def facts(self, name: str) -> dict[str, Any]:
        """Return the other attributes that change."""
        state = self.states.get(f"integration.{name}")
        assert state
        own = ("type", "provides", "reason", "retry_seconds")
        return {key: value for key, value in state.attributes.items() if key not in own}

    async def until(self, name: str, wanted: str) -> None:
        """Let time go by until the instance is in the wanted state."""
        for _ in range(1000):
            if self.state(name)[0] == wanted:
                return
            await asyncio.sleep(1)
        raise AssertionError(f"{name} never was {wanted}: {self.state(name)}")


def instance(name: str, setup: Setup, options: object = None) -> Instance:
    """Return an entry under `integrations:`."""
    return Instance(name=name, type="test", options=options, limits=EngineLimits(), setup=setup)
