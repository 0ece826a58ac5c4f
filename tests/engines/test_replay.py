"""What was sent once can be sent again, whole."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from hub.engines.replay import Replay

pytestmark = pytest.mark.virtual_time


async def _numbers(count: int, error: Exception | None = None) -> AsyncIterator[int]:
    for number in range(count):
        await asyncio.sleep(1)
        yield number
    if error:
        raise error


async def _read(replay: Replay[int], into: list[int]) -> None:
    async for number in replay.play():
        into.append(number)


async def test_every_reader_gets_all_of_it_however_late_he_comes() -> None:
    async with Replay(_numbers(5)) as replay:
        early = replay.play()
        assert [await anext(early), await anext(early)] == [0, 1]
        assert [number async for number in replay.play()] == [0, 1, 2, 3, 4]
        assert [number async for number in early] == [2, 3, 4]


async def test_a_reader_who_is_cancelled_tears_no_hole() -> None:
    async with Replay(_numbers(3)) as replay:
        reader = asyncio.create_task(anext(replay.play()))
        await asyncio.sleep(0.5)
        reader.cancel()
        await asyncio.wait((reader,))
        assert [number async for number in replay.play()] == [0, 1, 2]


async def test_what_the_source_fails_with_comes_after_its_items_for_every_reader() -> None:
    async with Replay(_numbers(2, ConnectionError("gone"))) as replay:
        for _ in range(2):
            seen: list[int] = []
            with pytest.raises(ConnectionError):
                await _read(replay, seen)
            assert seen == [0, 1]
