"""What an instance and its engines do stands in one state, and in a line of the log down and up."""

import asyncio
import dataclasses
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
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
from hub.integration import IntegrationContext, Provides
from hub.registry import Setup
from hub.states import States
from hub.testing.fakes import Heard, ScriptedAsr, ScriptedTts
from hub.values.speech import Hearing
from tests.bench import LIMITS, Bench, instance

pytestmark = pytest.mark.virtual_time


@pytest.fixture
async def bench(house: House, states: States, bus: Bus, clock: Clock, tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(house, states, bus, clock, tmp_path)
    yield made
    await made.registry.close()


async def test_what_an_open_instance_says_of_itself_is_its_state(bench: Bench) -> None:
    contexts: list[IntegrationContext] = []

    @asynccontextmanager
    async def talking(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        contexts.append(context)
        yield Provides()

    await bench.registry.start([instance("engine", talking)])
    contexts[0].report("it crashed three times")
    assert bench.state("engine") == ("failing", "it crashed three times")
    contexts[0].report(None)
    assert bench.state("engine") == ("open", None)


async def test_facts_of_an_instance_stand_in_its_state_and_are_not_written_with_every_change(
    bench: Bench,
) -> None:
    contexts: list[IntegrationContext] = []

    @asynccontextmanager
    async def counting(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        context.health({"downloading": {"file": "tiny.bin", "percent": 3}})
        contexts.append(context)
        yield Provides()

    await bench.registry.start([instance("engine", counting)])
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


async def test_facts_go_with_the_attempt_to_open_that_told_them(bench: Bench) -> None:
    @asynccontextmanager
    async def broken(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        context.health({"downloading": {"percent": 3}})
        if context:
            raise IntegrationError("the disk is full")
        yield Provides()

    await bench.registry.start([instance("engine", broken)])
    assert bench.state("engine") == ("failed", "the disk is full")
    assert bench.facts("engine") == {}


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


async def test_an_engines_work_stands_in_the_state_of_itsinstance(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    broken = Heard(error=EngineError("out of memory"))
    await bench.registry.start([instance("gpu", _hearing("on", broken, "on"))])
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
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    contexts: list[IntegrationContext] = []
    away = Heard(error=EngineUnavailable("connection refused"), early=True)

    @asynccontextmanager
    async def remote(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        contexts.append(context)
        yield Provides(asr=ScriptedAsr([away]))

    await bench.registry.start([instance("gpu", remote)])
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


async def test_many_requests_do_not_write_many_states(bench: Bench) -> None:
    await bench.registry.start([instance("gpu", _hearing("on"))])
    changes: list[Any] = []
    with bench.bus.follow(changes.append, StateChanged):
        for _ in range(50):
            await _words(bench.registry.asr("gpu"))
            await asyncio.sleep(0.1)
        await asyncio.sleep(1)
    assert 3 <= len(changes) <= 6
    assert bench.facts("gpu")["asr"]["requests"] == 50


async def test_a_change_lets_requests_end_and_ends_those_that_do_not(bench: Bench) -> None:
    slow = _hearing(Heard(text="quick", delay=1), Heard(text="slow", delay=50))
    many = dataclasses.replace(instance("gpu", slow), limits=EngineLimits(concurrency=2))
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


async def test_what_an_offer_brought_leaves_the_state_with_it(bench: Bench) -> None:
    gone = asyncio.Event()

    @asynccontextmanager
    async def coming(options: Any, context: IntegrationContext) -> AsyncIterator[Provides]:
        async def come_and_go() -> None:
            with context.offer(Provides(asr=ScriptedAsr(["on"]))):
                await gone.wait()

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(come_and_go())
            yield Provides()

    await bench.registry.start([instance("bridge", coming)])
    await asyncio.sleep(0.1)
    assert await _words(bench.registry.asr("bridge")) == "on"
    await asyncio.sleep(1)
    assert bench.facts("bridge")["asr"]["requests"] == 1
    gone.set()
    await asyncio.sleep(2)
    assert bench.facts("bridge") == {}
