"""Who goes first, who waits, and who is sent away."""

import asyncio

import pytest

from hub.engines.limits import EngineLimits
from hub.engines.line import Line, Place
from hub.errors import EngineBusy

pytestmark = pytest.mark.virtual_time
EARLY = Place(speculative=True)


def _line(places: int = 1, **limits: float) -> Line:
    return Line("whisper", places, EngineLimits(**limits))  # type: ignore[arg-type]


async def _standing(line: Line, place: Place = Place()) -> asyncio.Task[float]:  # noqa: B008
    """Return a request that stands in line by now, or was let through or sent away."""
    task = asyncio.create_task(line.enter(place))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return task


async def test_a_free_place_is_taken_at_once() -> None:
    line = _line(places=2)
    assert [await line.enter(), await line.enter()] == [0.0, 0.0]
    assert (line.running, line.waiting) == (2, 0)


async def test_the_others_wait_in_order_and_know_how_long() -> None:
    line = _line()
    await line.enter()
    first, second = await _standing(line), await _standing(line)
    await asyncio.sleep(3)
    line.leave()
    assert await first == pytest.approx(3)
    assert not second.done()
    await asyncio.sleep(1)
    line.leave()
    assert await second == pytest.approx(4)


async def test_committed_work_goes_before_speculation_that_came_first() -> None:
    line = _line()
    await line.enter()
    early, committed = await _standing(line, EARLY), await _standing(line)
    line.leave()
    await committed
    assert not early.done()
    line.leave()
    await early


async def test_speculation_waits_until_the_engine_is_idle_even_when_a_place_is_free() -> None:
    line = _line(places=2)
    await line.enter()
    early = await _standing(line, EARLY)
    assert (line.running, line.waiting) == (1, 1)
    line.leave()
    await early


async def test_a_newer_request_of_a_turn_replaces_the_one_that_waits() -> None:
    line = _line()
    await line.enter()
    old = await _standing(line, Place(turn="t1", speculative=True))
    other = await _standing(line, Place(turn="t2", speculative=True))
    new = await _standing(line, Place(turn="t1"))
    with pytest.raises(EngineBusy, match="newer"):
        await old
    assert not other.done()
    line.leave()
    await new
    line.leave()
    await other


async def test_a_full_line_says_so_and_patience_ends() -> None:
    line = _line(waiting=1, patience=5)
    await line.enter()
    waiting = await _standing(line)
    with pytest.raises(EngineBusy, match="1 requests wait"):
        await line.enter()
    with pytest.raises(EngineBusy, match="5 s"):
        await waiting
    assert (line.running, line.waiting) == (1, 0)


async def test_speculation_makes_room_for_committed_work_in_a_full_line() -> None:
    line = _line(waiting=1)
    await line.enter()
    early = await _standing(line, EARLY)
    committed = await _standing(line)
    with pytest.raises(EngineBusy, match="other work"):
        await early
    with pytest.raises(EngineBusy, match="busy"):
        await line.enter(EARLY)
    line.leave()
    await committed


async def test_whoever_is_cancelled_in_line_takes_no_place_with_him() -> None:
    line = _line()
    await line.enter()
    gone, next_one = await _standing(line), await _standing(line)
    gone.cancel()
    await asyncio.wait((gone,))
    line.leave()
    await next_one
    assert (line.running, line.waiting) == (1, 0)


async def test_whoever_is_cancelled_at_the_moment_of_his_turn_gives_the_place_on() -> None:
    line = _line()
    await line.enter()
    gone, next_one = await _standing(line), await _standing(line)
    line.leave()  # `gone` has the place now and does not know yet
    gone.cancel()
    await asyncio.wait((gone,))
    await next_one
    line.leave()
    assert (line.running, line.waiting) == (0, 0)
