import asyncio
import dataclasses
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hub.audio import AudioChunk
from hub.bus import Bus
from hub.clock import Clock
from hub.engines.limits import EngineLimits
from hub.engines.queue import QueuedAsr
from hub.errors import EngineError, EngineUnavailable, IntegrationError
from hub.events import StateChanged
from hub.house import House
from hub.integration import IntegrationContext, OwnStates, Paths, Provides
from hub.models.config import ModelsConfig
from hub.models.shelf import Shelf
from hub.models.store import Models
from hub.registry import Instance, Registry, RegistryLimits, Setup
from hub.states import States
from hub.testing.fakes import Heard, ScriptedAsr, ScriptedTts, ScriptedVad
from hub.values.house import Locale
from hub.values.speech import Hearing
from hub.values.thing import Thing
from hub.values.tool import Done, Outcome, Tool, ToolCall
from tests.remote.contexts import no_intents

pytestmark = pytest.mark.virtual_time
LIMITS = RegistryLimits(retry_first=1, retry_longest=4, open_timeout=30, start_wait=10, close_timeout=2)


@contextmanager
def _no_tools(tools: Iterable[Tool]) -> Iterator[None]:
    yield


class _Bench:
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
        state = self.states.get(f"integration.{name}")
        assert state
        return state.state, state.attributes.get("reason")

    def facts(self, name: str) -> dict[str, Any]:
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


@pytest.fixture
async def bench(
    house: House, states: States, bus: Bus, clock: Clock, tmp_path: Path
) -> AsyncIterator[_Bench]:
    made = _Bench(house, states, bus, clock, tmp_path)
    yield made
    await made.registry.close()


def _instance(name: str, setup: Setup, options: object = None) -> Instance:
    return Instance(name=name, type="test", options=options, limits=EngineLimits(), setup=setup)


@asynccontextmanager
async def _lamp(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
    yield Provides(things=(Thing(id=f"light.{context.name}", name=context.name, state="off"),))


@asynccontextmanager
async def _broken(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
    if context:
        raise ZeroDivisionError("a bug")
    yield Provides()


async def test_one_that_fails_never_stops_the_others_and_says_why(bench: _Bench) -> None:
    await bench.registry.start([_instance("bad", _broken), _instance("good", _lamp)])
    assert bench.state("bad") == ("failed", "ZeroDivisionError: a bug")
    assert bench.state("good") == ("open", None)
    assert "light.good" in bench.house.things


async def test_one_that_wants_to_end_the_program_fails_alone(bench: _Bench) -> None:
    @asynccontextmanager
    async def ends(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        if context:
            raise SystemExit("no\nlicence")
        yield Provides()

    await bench.registry.start([_instance("bad", ends), _instance("good", _lamp)])
    assert bench.state("bad") == ("failed", "SystemExit: no licence")
    assert bench.state("good") == ("open", None)


async def test_a_group_of_failures_is_told_one_by_one(bench: _Bench) -> None:
    @asynccontextmanager
    async def falls(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        async with asyncio.TaskGroup() as group:
            group.create_task(_fail(OSError("no bus")))
            yield Provides()
            assert context

    async def _fail(error: Exception) -> None:
        raise error

    await bench.registry.start([_instance("bad", falls)])
    await bench.until("bad", "failed")
    assert bench.state("bad") == ("failed", "OSError: no bus")


async def test_one_that_failed_is_opened_again_with_growing_pauses(
    bench: _Bench, caplog: pytest.LogCaptureFixture
) -> None:
    tries: list[float] = []

    @asynccontextmanager
    async def fifth_time(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        tries.append(context.clock.monotonic())
        if len(tries) < 5:
            raise IntegrationError("nobody is at home")
        yield Provides(vad=ScriptedVad())

    await bench.registry.start([_instance("late", fifth_time)])
    with pytest.raises(EngineUnavailable, match="'late' is not open: nobody is at home"):
        bench.registry.vad("late")
    await bench.until("late", "open")
    pauses = [round(b - a, 3) for a, b in pairwise(tries)]
    assert pauses == [1, 2, 4, 4]
    assert bench.registry.vad("late")
    assert caplog.text.count("nobody is at home") == 1


async def test_one_that_hangs_while_it_opens_does_not_hold_the_start_for_ever(bench: _Bench) -> None:
    @asynccontextmanager
    async def hang(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        await asyncio.Event().wait()
        yield Provides()

    began = asyncio.get_running_loop().time()
    await bench.registry.start([_instance("slow", hang), _instance("good", _lamp)])
    assert asyncio.get_running_loop().time() - began == pytest.approx(LIMITS.start_wait)
    assert bench.state("good")[0] == "open"
    assert bench.state("slow")[0] == "opening"
    await bench.until("slow", "failed")
    assert "did not open within 30 s" in bench.state("slow")[1]


async def test_what_comes_and_goes_is_offered_while_it_is_there(bench: _Bench) -> None:
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

    await bench.registry.start([_instance("bridge", coming)])
    await here.wait()
    assert "light.x" in bench.house.things
    assert bench.registry.vad("bridge")
    gone.set()
    await asyncio.sleep(1)
    assert "light.x" not in bench.house.things
    with pytest.raises(EngineUnavailable, match="provides no vad"):
        bench.registry.vad("bridge")


async def test_what_an_open_instance_says_of_itself_is_its_state(bench: _Bench) -> None:
    contexts: list[IntegrationContext] = []

    @asynccontextmanager
    async def talking(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        contexts.append(context)
        yield Provides()

    await bench.registry.start([_instance("engine", talking)])
    contexts[0].report("it crashed three times")
    assert bench.state("engine") == ("failing", "it crashed three times")
    contexts[0].report(None)
    assert bench.state("engine") == ("open", None)


async def test_facts_of_an_instance_stand_in_its_state_and_are_not_written_with_every_change(
    bench: _Bench,
) -> None:
    contexts: list[IntegrationContext] = []

    @asynccontextmanager
    async def counting(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        context.health({"downloading": {"file": "tiny.bin", "percent": 3}})
        contexts.append(context)
        yield Provides()

    await bench.registry.start([_instance("engine", counting)])
    assert bench.facts("engine") == {"downloading": {"file": "tiny.bin", "percent": 3}}
    changes: list[Any] = []
    with bench.bus.follow(changes.append, StateChanged):
        for number in range(100):
            contexts[0].health({"downloading": None, "starts": number})
        await asyncio.sleep(LIMITS.health_pause)
        contexts[0].health({"starts": 99})
        await asyncio.sleep(LIMITS.health_pause)
    assert bench.facts("engine") == {"starts": 99}
    assert len(changes) == 1
    contexts[0].report("it crashed")
    assert bench.state("engine") == ("failing", "it crashed")
    assert bench.facts("engine") == {"starts": 99}


async def test_facts_go_with_the_attempt_to_open_that_told_them(bench: _Bench) -> None:
    @asynccontextmanager
    async def broken(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        context.health({"downloading": {"percent": 3}})
        if context:
            raise IntegrationError("the disk is full")
        yield Provides()

    await bench.registry.start([_instance("engine", broken)])
    assert bench.state("engine") == ("failed", "the disk is full")
    assert bench.facts("engine") == {}


async def test_a_change_reopens_only_what_has_changed(bench: _Bench) -> None:
    opened: list[tuple[str, object]] = []

    @asynccontextmanager
    async def noted(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        opened.append((context.name, options))
        yield Provides()

    await bench.registry.start([_instance("a", noted, 1), _instance("b", noted, 1), _instance("c", noted, 1)])
    await bench.registry.change(
        [_instance("a", noted, 1), _instance("b", noted, 2), _instance("d", noted, 1)]
    )
    assert opened == [("a", 1), ("b", 1), ("c", 1), ("b", 2), ("d", 1)]
    assert bench.states.get("integration.c") is None


async def test_one_that_does_not_close_is_left_behind_after_its_limit(bench: _Bench) -> None:
    @asynccontextmanager
    async def clinging(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        yield Provides()
        await asyncio.Event().wait()

    await bench.registry.start([_instance("clinging", clinging)])
    began = asyncio.get_running_loop().time()
    await bench.registry.close()
    assert asyncio.get_running_loop().time() - began == pytest.approx(LIMITS.close_timeout)


async def test_a_thing_that_stands_already_fails_only_the_second_instance(bench: _Bench) -> None:
    @asynccontextmanager
    async def copy(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        yield Provides(things=(Thing(id="light.first", name="copy"),))

    await bench.registry.start([_instance("first", _lamp)])
    await bench.registry.start([_instance("second", copy)])
    assert bench.state("second")[0] == "failed"
    assert "'first'" in bench.state("second")[1]
    assert bench.house.things["light.first"].name == "first"


async def _words(queue: QueuedAsr) -> str:
    async def audio() -> AsyncIterator[AudioChunk]:
        yield AudioChunk(bytes(3200))

    async with queue.transcribe(audio(), Hearing()) as transcripts:
        return [transcript.text async for transcript in transcripts][-1]


def _hearing(*script: Heard | str) -> Setup:
    @asynccontextmanager
    async def setup(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        yield Provides(asr=ScriptedAsr(script), tts=ScriptedTts())

    return setup


async def test_an_engines_work_stands_in_the_state_of_its_instance(
    bench: _Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    broken = Heard(error=EngineError("out of memory"))
    await bench.registry.start([_instance("gpu", _hearing("on", broken, "on"))])
    queue = bench.registry.asr("gpu")
    await _words(queue)
    await asyncio.sleep(1)
    counts = {"requests": 1, "failures": 0, "timeouts": 0, "busy": 0, "running": 0, "waiting": 0}
    assert bench.facts("gpu")["asr"] == counts
    with pytest.raises(EngineError):
        await _words(queue)
    assert bench.state("gpu") == ("failing", "out of memory")
    facts = bench.facts("gpu")["asr"]
    assert (facts["requests"], facts["failures"], facts["last_reason"]) == (2, 1, "out of memory")
    down = datetime.fromisoformat(facts["down_until"]) - bench.clock.now()
    assert down.total_seconds() == pytest.approx(30, abs=1)
    await _words(queue)
    await asyncio.sleep(1)
    assert bench.state("gpu") == ("open", None)
    assert "down_until" not in bench.facts("gpu")["asr"]
    said = [record.message for record in caplog.records]
    assert said == [
        "integration 'gpu' is up",
        "integration 'gpu' is in trouble: out of memory",
        "integration 'gpu' works again",
    ]


async def test_an_outage_that_everybody_notices_is_logged_once(
    bench: _Bench, caplog: pytest.LogCaptureFixture
) -> None:
    contexts: list[IntegrationContext] = []
    away = Heard(error=EngineUnavailable("connection refused"), early=True)

    @asynccontextmanager
    async def remote(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        contexts.append(context)
        yield Provides(asr=ScriptedAsr([away]))

    await bench.registry.start([_instance("gpu", remote)])
    queue = bench.registry.asr("gpu")
    for _ in range(3):
        contexts[0].report("tcp://gpu closed the connection")
        with pytest.raises(EngineUnavailable):
            await _words(queue)
        contexts[0].report("tcp://gpu refused the connection")
    assert [record.message for record in caplog.records] == [
        "integration 'gpu' is in trouble: tcp://gpu closed the connection"
    ]
    assert bench.state("gpu") == ("failing", "tcp://gpu refused the connection")
    contexts[0].report(None)
    assert bench.state("gpu")[0] == "open"
    assert queue.standing.why_down is None


async def test_many_requests_do_not_write_many_states(bench: _Bench) -> None:
    await bench.registry.start([_instance("gpu", _hearing("on"))])
    changes: list[Any] = []
    with bench.bus.follow(changes.append, StateChanged):
        for _ in range(50):
            await _words(bench.registry.asr("gpu"))
            await asyncio.sleep(0.1)
        await asyncio.sleep(1)
    assert 3 <= len(changes) <= 6
    assert bench.facts("gpu")["asr"]["requests"] == 50


async def test_a_change_lets_requests_end_and_ends_those_that_do_not(bench: _Bench) -> None:
    slow = _hearing(Heard(text="quick", delay=1), Heard(text="slow", delay=50))
    many = dataclasses.replace(_instance("gpu", slow), limits=EngineLimits(concurrency=2))
    await bench.registry.start([many])
    queue = bench.registry.asr("gpu")
    quick, stuck = asyncio.create_task(_words(queue)), asyncio.create_task(_words(queue))
    await asyncio.sleep(0.1)
    began = asyncio.get_running_loop().time()
    await bench.registry.change([])
    assert asyncio.get_running_loop().time() - began == pytest.approx(LIMITS.finish)
    assert await quick == "quick"
    with pytest.raises(EngineUnavailable, match="'gpu' was closed"):
        await stuck
    assert bench.states.get("integration.gpu") is None


async def test_what_an_offer_brought_leaves_the_state_with_it(bench: _Bench) -> None:
    gone = asyncio.Event()

    @asynccontextmanager
    async def coming(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        async def come_and_go() -> None:
            with context.offer(Provides(asr=ScriptedAsr(["on"]))):
                await gone.wait()

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(come_and_go())
            yield Provides()

    await bench.registry.start([_instance("bridge", coming)])
    await asyncio.sleep(0.1)
    assert await _words(bench.registry.asr("bridge")) == "on"
    await asyncio.sleep(1)
    assert bench.facts("bridge")["asr"]["requests"] == 1
    gone.set()
    await asyncio.sleep(2)
    assert bench.facts("bridge") == {}
