import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hub.bus import Bus
from hub.clock import Clock
from hub.errors import EngineUnavailable, IntegrationError
from hub.house import House
from hub.integration import IntegrationContext, Provides
from hub.states import States
from hub.testing.fakes import ScriptedVad
from hub.values.thing import Thing
from tests.bench import LIMITS, Bench, instance

pytestmark = pytest.mark.virtual_time


@pytest.fixture
async def bench(house: House, states: States, bus: Bus, clock: Clock, tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(house, states, bus, clock, tmp_path)
    yield made
    await made.registry.close()


@asynccontextmanager
async def _lamp(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
    yield Provides(things=(Thing(id=f"light.{context.name}", name=context.name, state="off"),))


@asynccontextmanager
async def _broken(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
    if context:
        raise ZeroDivisionError("a bug")
    yield Provides()


async def test_one_that_fails_never_stops_the_others_and_says_why(bench: Bench) -> None:
    await bench.registry.start([instance("bad", _broken), instance("good", _lamp)])
    assert bench.state("bad") == ("failed", "ZeroDivisionError: a bug")
    assert bench.state("good") == ("open", None)
    assert "light.good" in bench.house.things


async def test_one_that_wants_to_end_the_program_fails_alone(bench: Bench) -> None:
    @asynccontextmanager
    async def ends(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        if context:
            raise SystemExit("no\nlicence")
        yield Provides()

    await bench.registry.start([instance("bad", ends), instance("good", _lamp)])
    assert bench.state("bad") == ("failed", "SystemExit: no licence")
    assert bench.state("good") == ("open", None)


async def test_a_group_of_failures_is_told_one_by_one(bench: Bench) -> None:
    @asynccontextmanager
    async def falls(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        async with asyncio.TaskGroup() as group:
            group.create_task(_fail(OSError("no bus")))
            yield Provides()
            assert context

    async def _fail(error: Exception) -> None:
        raise error

    await bench.registry.start([instance("bad", falls)])
    await bench.until("bad", "failed")
    assert bench.state("bad") == ("failed", "OSError: no bus")


async def test_one_that_failed_is_opened_again_with_growing_pauses(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    tries: list[float] = []

    @asynccontextmanager
    async def fifth_time(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        tries.append(context.clock.monotonic())
        if len(tries) < 5:
            raise IntegrationError("nobody is at home")
        yield Provides(vad=ScriptedVad())

    await bench.registry.start([instance("late", fifth_time)])
    with pytest.raises(EngineUnavailable, match="'late' is not open: nobody is at home"):
        bench.registry.vad("late")
    await bench.until("late", "open")
    pauses = [round(b - a, 3) for a, b in pairwise(tries)]
    assert pauses == [1, 2, 4, 4]
    assert bench.registry.vad("late")
    assert caplog.text.count("nobody is at home") == 1


async def test_one_that_hangs_while_it_opens_does_not_hold_the_start_for_ever(bench: Bench) -> None:
    @asynccontextmanager
    async def hang(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        await asyncio.Event().wait()
        yield Provides()

    began = asyncio.get_running_loop().time()
    await bench.registry.start([instance("slow", hang), instance("good", _lamp)])
    assert asyncio.get_running_loop().time() - began == pytest.approx(LIMITS.start_wait)
    assert bench.state("good")[0] == "open"
    assert bench.state("slow")[0] == "opening"
    await bench.until("slow", "failed")
    assert "did not open within 30 s" in bench.state("slow")[1]


async def test_what_comes_and_goes_is_offered_while_it_is_there(bench: Bench) -> None:
    here, gone = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def coming(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        async def come_and_go() -> None:
            with context.offer(Provides(things=(Thing(id="light.x", name="X"),), vad=ScriptedVad())):
                here.set()
                await gone.wait()

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(come_and_go())
            yield Provides()
            gone.set()

    await bench.registry.start([instance("bridge", coming)])
    await here.wait()
    assert "light.x" in bench.house.things
    assert bench.registry.vad("bridge")
    gone.set()
    await asyncio.sleep(1)
    assert "light.x" not in bench.house.things
    with pytest.raises(EngineUnavailable, match="provides no vad"):
        bench.registry.vad("bridge")


async def test_a_change_reopens_only_what_has_changed(bench: Bench) -> None:
    opened: list[tuple[str, object]] = []

    @asynccontextmanager
    async def noted(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        opened.append((context.name, options))
        yield Provides()

    await bench.registry.start([instance("a", noted, 1), instance("b", noted, 1), instance("c", noted, 1)])
    await bench.registry.change([instance("a", noted, 1), instance("b", noted, 2), instance("d", noted, 1)])
    assert opened == [("a", 1), ("b", 1), ("c", 1), ("b", 2), ("d", 1)]
    assert bench.states.get("integration.c") is None


async def test_one_that_does_not_close_is_left_behind_after_its_limit(bench: Bench) -> None:
    @asynccontextmanager
    async def clinging(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        yield Provides()
        await asyncio.Event().wait()

    await bench.registry.start([instance("clinging", clinging)])
    began = asyncio.get_running_loop().time()
    await bench.registry.close()
    assert asyncio.get_running_loop().time() - began == pytest.approx(LIMITS.close_timeout)


async def test_a_thing_that_stands_already_fails_only_the_secondinstance(bench: Bench) -> None:
    @asynccontextmanager
    async def copy(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        yield Provides(things=(Thing(id="light.first", name="copy"),))

    await bench.registry.start([instance("first", _lamp)])
    await bench.registry.start([instance("second", copy)])
    assert bench.state("second")[0] == "failed"
    assert "'first'" in bench.state("second")[1]
    assert bench.house.things["light.first"].name == "first"
