"""One microphone, many listeners."""

import pytest

from hub.audio import AudioChunk, AudioFormat
from hub.errors import AudioError
from hub.rooms.ear import Ear
from hub.rooms.indicator import Indicator, Use
from hub.testing.fleet import RoomMicrophone, Tongue

pytestmark = pytest.mark.virtual_time


def ear(kept: float = 1.0, behind: float = 1.0) -> tuple[Ear, Indicator]:
    light = Indicator("kitchen", lambda shown: None, patience=1.0)
    light.step("listening", "test")
    return Ear(light, kept=kept, behind=behind), light


def second(number: int) -> AudioChunk:
    return AudioChunk(bytes([number, 0]) * 16_000)


async def test_many_listen_to_one_read() -> None:
    mine, _ = ear()
    with mine.listen(Use.WORDS) as one, mine.listen(Use.WAKE) as other:
        mine.hear(second(1))
        mine.forget("unplugged")
        assert (await anext(one)).pcm == (await anext(other)).pcm == second(1).pcm
        assert [chunk async for chunk in other] == []
        with pytest.raises(AudioError, match="unplugged"):
            await anext(one)


async def test_a_listener_may_begin_before_it_came() -> None:
    mine, _ = ear(kept=1.0)
    mine.hear(second(1))
    mine.hear(second(2))
    with mine.listen(Use.WORDS, since=16_000 + 8_000) as one:
        mine.hear(second(3))
        one.end()
        heard = [chunk async for chunk in one]
    assert one.start == 24_000
    assert [(chunk.pcm[0], chunk.seconds) for chunk in heard] == [(2, 0.5), (3, 1.0)]


async def test_a_microphone_that_gives_nothing_is_given_up() -> None:
    mine, _ = ear()
    with pytest.raises(AudioError, match="no sound came for 8 s"):
        await mine.read(RoomMicrophone(Tongue(), is_still=True), lambda: None, 8.0)


async def test_a_detector_that_came_early_hears_nothing_of_before_the_gate_opened() -> None:
    mine, light = ear()
    light.step("standby", "test")
    with mine.listen(Use.DETECT) as early:
        mine.hear(second(1))
        light.step("speaking", "test")
        mine.hear(second(2))
        assert (await anext(early)).pcm[0] == 2


async def test_what_is_too_old_is_gone() -> None:
    mine, _ = ear(kept=1.0)
    for number in range(5):
        mine.hear(second(number))
    with mine.listen(Use.WORDS, since=0) as one:
        assert one.start == 4 * 16_000
    assert len(mine.since(0)) == 32_000


async def test_a_slow_listener_loses_the_oldest_and_says_so_and_the_others_nothing() -> None:
    mine, _ = ear(kept=0.5, behind=1.0)
    with mine.listen(Use.WORDS) as slow, mine.listen(Use.WORDS) as quick:
        got = []
        for number in range(5):
            mine.hear(second(number))
            got.append((await anext(quick)).pcm[0])
        assert (got, quick.lost) == ([0, 1, 2, 3, 4], 0)
        assert slow.lost == pytest.approx(4.0)
        assert (await anext(slow)).pcm[0] == 4


async def test_sound_of_before_a_pause_belongs_to_something_else() -> None:
    import asyncio

    mine, _ = ear()
    mine.hear(AudioChunk(bytes(3_200)))
    await asyncio.sleep(2)
    mine.hear(AudioChunk(bytes(1_600)))
    assert len(mine.since(0)) == 1_600


async def test_sound_in_any_format_is_heard() -> None:
    class Odd(RoomMicrophone):
        async def _sound(self):  # type: ignore[no-untyped-def]
            yield AudioChunk(bytes(48_000 * 4), AudioFormat(rate=48_000, channels=2))

    mine, _ = ear(kept=2.0)
    opened = []
    await mine.read(Odd(Tongue()), lambda: opened.append(True))
    assert opened == [True]
    assert mine.position == pytest.approx(16_000, abs=700)


async def test_a_microphone_that_fails_is_closed_and_its_listeners_end() -> None:
    mine, _ = ear()
    microphone = RoomMicrophone(Tongue(), error=AudioError("unplugged"))
    with mine.listen(Use.WORDS) as one, mine.listen(Use.WAKE) as other:
        with pytest.raises(AudioError, match="unplugged"):
            await mine.read(microphone, lambda: None)
        with pytest.raises(AudioError, match="in mid-speech"):
            await anext(one)
        assert [chunk async for chunk in other] == []
    assert microphone.open == 0
