"""The pytest plugin: `pytest_plugins = ["hub.testing.plugin"]` in a `conftest.py`.

- `@pytest.mark.virtual_time` runs an async test (and its async fixtures) on a `VirtualLoop`.
- every async test fails that leaves a task behind.
- fixtures: `clock bus states house seen`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping

import pytest
import pytest_asyncio

from hub.bus import Bus
from hub.clock import Clock
from hub.events import Event
from hub.house import House
from hub.private import keep_private
from hub.states import States
from hub.testing.clock import VirtualLoop

_GRACE = 20
"""Rounds of the loop in which a task that was told to end may still end."""


def pytest_configure(config: pytest.Config) -> None:
    """Declare the plugin's markers; tests are as private as a house."""
    keep_private()
    config.addinivalue_line("markers", "virtual_time: time jumps to the next timer when nothing else happens")


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Give a test marked `virtual_time` its own kind of loop."""
    if item.get_closest_marker("virtual_time"):
        return {"virtual": VirtualLoop}
    return {"real": asyncio.SelectorEventLoop}


@pytest.fixture(autouse=True)
def _no_leaked_tasks(request: pytest.FixtureRequest) -> None:
    """Watch the tasks of an async test, outside of all its other fixtures."""
    if pytest_asyncio.is_async_test(request.node):
        request.getfixturevalue("_leaked_tasks")


@pytest_asyncio.fixture
async def _leaked_tasks() -> AsyncIterator[None]:
    yield
    here = asyncio.current_task()
    for _ in range(_GRACE):
        left = asyncio.all_tasks() - {here}
        if not left:
            return
        await asyncio.sleep(0)
    names = ", ".join(sorted(f"{task.get_name()} ({_where(task)})" for task in left))
    pytest.fail(f"tasks were left behind: {names}")


def _where(task: asyncio.Task[object]) -> str:
    coroutine = task.get_coro()
    return getattr(coroutine, "__qualname__", repr(coroutine))


@pytest.fixture
def clock() -> Clock:
    """The house's clock, in UTC."""
    return Clock()


@pytest.fixture
def bus() -> Bus:
    """An empty bus."""
    return Bus()


@pytest.fixture
def states(bus: Bus, clock: Clock) -> States:
    """No states yet."""
    return States(bus, clock)


@pytest.fixture
def house(bus: Bus, states: States) -> House:
    """A house without areas and things."""
    return House(bus, states)


@pytest.fixture
def seen(bus: Bus) -> Iterator[list[Event]]:
    """Every event of the bus, in order."""
    events: list[Event] = []
    with bus.follow(events.append):
        yield events
