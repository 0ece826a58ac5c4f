"""A context for an integration that is opened without a hub."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hub.bus import Bus
from hub.clock import Clock
from hub.integration import IntegrationContext, OwnStates, Paths, Provides
from hub.models.config import ModelsConfig
from hub.models.shelf import Shelf
from hub.models.store import Models
from hub.remote.intent import Resolve
from hub.states import States
from hub.values.house import Locale
from hub.values.intent import Match, Miss, NamedIntent
from hub.values.session import Session
from hub.values.tool import Done, Outcome, ToolCall


async def no_intents(intents: Sequence[NamedIntent], session: Session) -> Match | Miss:
    """Take none."""
    return Miss(stage="test", code="unsupported", reason="nobody takes intents here")


def context(
    folder: Path,
    said: list[str | None],
    name: str = "parrot",
    facts: dict[str, Any] | None = None,
    offered: list[Provides] | None = None,
    resolve: Resolve = no_intents,
) -> IntegrationContext:
    """Return a context whose reports end up in `said`, its health in `facts`, its offers in `offered`."""
    bus, clock = Bus(), Clock()
    states = States(bus, clock)

    async def call(call: ToolCall) -> Outcome:
        return Done(call=call)

    return IntegrationContext(
        name=name,
        offer=lambda provides: _offering(offered if offered is not None else [], provides),
        resolve=resolve,
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
def _offering(offered: list[Provides], provides: Provides) -> Iterator[None]:
    offered.append(provides)
    try:
        yield
    finally:
        offered.remove(provides)


def stage(offered: Iterable[Provides], slot: str) -> Any:
    """Return what is offered for the slot."""
    return next(getattr(provides, slot) for provides in offered if getattr(provides, slot))
