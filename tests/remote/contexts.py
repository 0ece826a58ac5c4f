"""A context for an integration that is opened without a hub."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hub.bus import Bus
from hub.clock import Clock
from hub.integration import IntegrationContext, OwnStates, Paths, Provides
from hub.models.config import ModelsConfig
from hub.models.shelf import Shelf
from hub.models.store import Models
from hub.states import States
from hub.values.house import Locale
from hub.values.tool import Done, Outcome, ToolCall


def context(
    folder: Path, said: list[str | None], name: str = "parrot", facts: dict[str, Any] | None = None
) -> IntegrationContext:
    """Return a context whose reports end up in `said`, and its health in `facts`."""
    bus, clock = Bus(), Clock()
    states = States(bus, clock)

    async def call(call: ToolCall) -> Outcome:
        return Done(call=call)

    return IntegrationContext(
        name=name,
        offer=_offer,
        events=bus,
        states=OwnStates(states.get, states.last, states.set),
        call=call,
        report=said.append,
        health=(facts if facts is not None else {}).update,
        models=Models(Shelf(folder / "models"), ModelsConfig()),
        paths=Paths(config=folder, data=folder, cache=folder, run=folder),
        locale=Locale(),
        clock=clock,
        log=logging.getLogger(name),
    )


@contextmanager
def _offer(provides: Provides) -> Iterator[None]:
    yield
