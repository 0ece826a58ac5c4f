"""A speaker that can pause, on an outlet that cannot."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.audio import SPEECH, AudioChunk, AudioFormat
from hub.errors import AudioError
from hub.rooms.paced import LEAD, PIECE, PacedSpeaker
from hub.testing import VirtualLoop
from hub.testing.fleet import RecordingOutlet

pytestmark = pytest.mark.virtual_time


async def sound(
    seconds: float, *, form: AudioFormat = SPEECH, size: float = 0.3
) -> AsyncIterator[AudioChunk]:
    """Give bytes that tell where they stood, faster than anybody can play them."""
    frames = round(seconds * form.rate)
    pcm = b"".join((at % 32_000).to_bytes(2, "little") for at in range(frames))
    step = round(size * form.rate) * form.frame_bytes
    for start in range(0, len(pcm), step):
        yield AudioChunk(pcm[start : start + step], form)


def outlet(can_flush: bool = True) -> RecordingOutlet:
    return RecordingOutlet(format=SPEECH, can_flush=can_flush)


async def test_it_is_never_far_ahead_and_returns_when_all_was_heard() -> None:
    out = outlet()
    speaker = PacedSpeaker(out)
    playing = asyncio.create_task(speaker.play(sound(3)))
    ahead = []
    while not playing.done():
        ahead.append(out.seconds - speaker.played)
        await asyncio.sleep(0.01)
    assert max(ahead) <= LEAD + 0.001
    assert speaker.played == pytest.approx(3)
    started, _ = out.heard[0]
    assert asyncio.get_running_loop().time() - started == pytest.approx(3, abs=0.02)


@pytest.mark.parametrize("can_flush", [True, False])
async def test_a_pause_is_silent_at_once_and_the_same_sample_follows(can_flush: bool) -> None:
    out = outlet(can_flush)
    speaker = PacedSpeaker(out)
    playing = asyncio.create_task(speaker.play(sound(2)))
    await asyncio.sleep(0.73)
    speaker.pause()
    speaker.pause()
    paused = asyncio.get_running_loop().time()
    await asyncio.sleep(5)
    assert out.silent_since - paused <= (0.001 if can_flush else LEAD)
    held = speaker.played
    assert held == pytest.approx(out.seconds, abs=1e-3)
    speaker.resume()
    await playing
    heard = b"".join(chunk.pcm for _, chunk in out.heard)
    assert heard == b"".join([chunk.pcm async for chunk in sound(2)])
    assert speaker.played == pytest.approx(2)


async def test_what_is_cancelled_is_silent_and_knows_what_was_heard() -> None:
    out = outlet()
    speaker = PacedSpeaker(out)
    playing = asyncio.create_task(speaker.play(sound(3)))
    await asyncio.sleep(1.2)
    playing.cancel()
    await asyncio.wait((playing,))
    assert playing.cancelled()
    assert speaker.played == pytest.approx(1.2, abs=0.001)
    assert out.seconds == pytest.approx(1.2, abs=0.001)
    assert out.ends == 1
    await asyncio.sleep(2)
    assert speaker.played == pytest.approx(1.2, abs=0.001)


async def test_sound_that_comes_slowly_counts_only_what_was_heard() -> None:
    async def slowly() -> AsyncIterator[AudioChunk]:
        async for chunk in sound(0.9, size=0.3):
            yield chunk
            await asyncio.sleep(1)

    speaker = PacedSpeaker(outlet())
    playing = asyncio.create_task(speaker.play(slowly()))
    await asyncio.sleep(1.1)
    assert speaker.played == pytest.approx(0.3 + 0.1, abs=0.06)
    await playing
    assert speaker.played == pytest.approx(0.9)


async def test_a_voice_in_another_format_is_converted_and_lasts_as_long() -> None:
    out = RecordingOutlet(format=AudioFormat(rate=44_100, channels=2))
    await PacedSpeaker(out).play(sound(1, form=AudioFormat(rate=22_050)))
    assert {chunk.format for _, chunk in out.heard} == {out.format}
    assert out.seconds == pytest.approx(1, rel=0.02)


async def test_an_outlet_that_takes_nothing_is_an_error_after_a_while() -> None:
    out = outlet()
    out.is_stuck = True
    began = asyncio.get_running_loop().time()
    with pytest.raises(AudioError, match="took no sound for 5 s"):
        await PacedSpeaker(out).play(sound(1))
    assert asyncio.get_running_loop().time() - began == pytest.approx(5, abs=0.6)


async def _paused_often(can_flush: bool, seconds: float, pauses: list[tuple[float, float]]) -> None:
    out = outlet(can_flush)
    speaker = PacedSpeaker(out)
    playing = asyncio.create_task(speaker.play(sound(seconds)))
    for plays, rests in pauses:
        await asyncio.sleep(plays)
        speaker.pause()
        await asyncio.sleep(rests)
        speaker.resume()
    await playing
    heard = b"".join(chunk.pcm for _, chunk in out.heard)
    assert heard == b"".join([chunk.pcm async for chunk in sound(seconds)])
    assert speaker.played == pytest.approx(seconds, abs=PIECE / 10)


@settings(max_examples=60, deadline=None)
@given(
    st.booleans(),
    st.floats(0.1, 2.0),
    st.lists(st.tuples(st.floats(0, 0.7), st.floats(0, 0.4)), max_size=5),
)
def test_however_often_it_pauses_every_sample_is_heard_once_and_in_order(
    can_flush: bool, seconds: float, pauses: list[tuple[float, float]]
) -> None:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(_paused_often(can_flush, seconds, pauses))
