import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.audio import AudioChunk, FrameCutter
from hub.errors import EngineError
from hub.pipeline.feed import Feed, judged
from hub.testing import ScriptedVad


def second(number: int) -> AudioChunk:
    return AudioChunk(bytes([number]) * 32_000)


async def read(feed: Feed) -> list[int]:
    return [chunk.pcm[0] async for chunk in feed]


async def test_a_feed_gives_what_was_put_in_and_ends() -> None:
    feed = Feed()
    feed.put(second(1))
    feed.put(second(2))
    feed.end()
    feed.put(second(3))
    assert await read(feed) == [1, 2]


async def test_a_reader_waits_for_audio() -> None:
    feed = Feed()
    reading = asyncio.create_task(read(feed))
    await asyncio.sleep(0)
    feed.put(second(7))
    await asyncio.sleep(0)
    feed.end()
    assert await reading == [7]


async def test_a_feed_that_nobody_reads_loses_the_oldest_and_says_how_much() -> None:
    feed = Feed(seconds=3)
    for number in range(10):
        feed.put(second(number))
    feed.end()
    assert await read(feed) == [7, 8, 9]
    assert feed.lost == pytest.approx(7)


async def test_a_feed_that_is_read_in_time_loses_nothing() -> None:
    feed = Feed(seconds=2)
    for number in range(100):
        feed.put(second(number))
        assert (await anext(feed)).pcm[0] == number
    assert feed.lost == 0


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(max_size=300), max_size=30), st.integers(1, 64))
def test_frames_are_the_bytes_in_their_order(pieces: list[bytes], samples: int) -> None:
    cutter = FrameCutter(samples)
    frames = [frame for piece in pieces for frame in cutter.cut(piece)]
    assert all(len(frame) == samples * 2 for frame in frames)
    assert b"".join(frames) + cutter.rest == b"".join(pieces)
    assert len(cutter.rest) < samples * 2


async def test_the_detector_judges_off_the_loop() -> None:
    import threading

    class Where:
        frame_samples = 2
        threads: Sequence[int] = ()

        def process(self, frame: bytes) -> float:
            self.threads = [*self.threads, threading.get_ident()]
            return frame[0] / 10

        def close(self) -> None: ...

    detector = Where()
    assert await judged(detector, [b"\1abc", b"\2abc"]) == [0.1, 0.2]
    assert threading.get_ident() not in detector.threads


async def test_a_detector_that_fails_is_an_engine_that_failed() -> None:
    with pytest.raises(EngineError, match="voice activity detector failed: ValueError"):
        await judged(ScriptedVad().open(), [b"too short"])
