"""An engine's calls run on threads; what no thread may throw at a loop becomes an error of the engine."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from hub.errors import EngineError
from hub.remote.engine import Bench


def _raising(error: BaseException) -> Callable[[], None]:
    def call() -> None:
        raise error

    return call


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (StopIteration(), "the engine gave up: StopIteration"),
        (SystemExit(2), "the engine gave up: SystemExit 2"),
        (KeyboardInterrupt(), "the engine gave up: KeyboardInterrupt"),
        (GeneratorExit(), "the engine gave up: GeneratorExit"),
        (MemoryError("std::bad_alloc"), "there was not enough memory for this"),
    ],
)
async def test_what_would_break_the_loop_is_an_engine_s_error(error: BaseException, words: str) -> None:
    bench = Bench(1)
    with pytest.raises(EngineError, match=f"^{words}$"):
        await bench.run(_raising(error))
    assert await bench.run(lambda: 7) == 7


async def test_a_call_counts_as_abandoned_from_when_its_client_left_until_it_returns() -> None:
    bench, begun, go = Bench(1), threading.Event(), threading.Event()

    def call() -> None:
        begun.set()
        go.wait()

    asking = asyncio.create_task(bench.run(call))
    await asyncio.to_thread(begun.wait)
    assert bench.longest > 0
    assert bench.abandoned == 0
    asking.cancel()
    await asyncio.wait((asking,))
    assert 0 < bench.abandoned <= bench.longest
    go.set()
    await bench.run(lambda: None)
    assert bench.abandoned == bench.longest == 0


async def test_a_call_that_is_left_before_it_began_never_begins() -> None:
    bench, go, began = Bench(1), threading.Event(), []
    first = asyncio.create_task(bench.run(go.wait))
    second = asyncio.create_task(bench.run(lambda: began.append(2)))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.wait((second,))
    go.set()
    await first
    await bench.run(lambda: None)
    assert not began
