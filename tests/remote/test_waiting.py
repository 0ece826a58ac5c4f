"""What waits is bounded in number and in bytes, and comes out in order."""

import asyncio

import pytest

from hub.remote.waiting import Waiting
from hub.remote.wire import Event


def event(number: int, size: int = 0) -> Event:
    return Event(str(number), payload=bytes(size))


@pytest.mark.parametrize("sizes", [[0] * 6, [60, 60, 60], [500, 1, 500]])
async def test_one_more_than_there_is_room_for_waits_and_all_come_in_order(sizes: list[int]) -> None:
    waiting = Waiting(most=5, size=100)
    bringing = asyncio.create_task(bring(waiting, sizes))
    for _ in range(50):
        await asyncio.sleep(0)
    assert not bringing.done()
    assert waiting._bytes <= 100 or len(waiting._events) == 1
    assert [(await waiting.get()).type for _ in sizes] == [str(number) for number in range(len(sizes))]
    await bringing
    assert waiting._bytes == 0


async def bring(waiting: Waiting, sizes: list[int]) -> None:
    for number, size in enumerate(sizes):
        await waiting.put(event(number, size))


async def test_whoever_takes_waits_for_one() -> None:
    waiting = Waiting(most=1, size=10)
    taking = asyncio.create_task(waiting.get())
    await asyncio.sleep(0)
    await waiting.put(event(7))
    assert (await taking).type == "7"
