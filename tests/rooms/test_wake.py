"""The desk where wake words of many microphones are heard."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from hub.audio import AudioChunk
from hub.errors import EngineError, EngineTimeout, EngineUnavailable
from hub.rooms.ear import Ear
from hub.rooms.indicator import Indicator, Use
from hub.rooms.wake import WakeDesk, watch
from hub.testing.fleet import Tongue, TongueWake
from hub.values.speech import Detection


def frames(pcm: bytes) -> Sequence[bytes]:
    return [pcm[start : start + 960] for start in range(0, len(pcm) - 959, 960)]


class Gate:
    """A detector that works when the test lets it."""

    frame_samples = 480

    def __init__(self) -> None:
        self.go = threading.Event()
        self.calls = 0
        self.threads: set[int] = set()

    def process(self, frame: bytes) -> Detection | None:
        self.calls += 1
        self.threads.add(threading.get_ident())
        self.go.wait(10)
        return Detection(word=frame.decode(), samples=480)

    def finish(self) -> Detection | None:
        return None

    def close(self) -> None: ...


async def test_words_are_found_off_the_loop() -> None:
    tongue = Tongue()
    stream = TongueWake(tongue).open(())
    found = await WakeDesk(5).judge(stream, frames(tongue.wake("hey_jarvis") + tongue.silence(0.3)))
    assert [one.word for one in found] == ["hey_jarvis"]


async def test_while_it_works_everybody_elses_sound_gathers_and_goes_together() -> None:
    desk, gates = WakeDesk(5), [Gate() for _ in range(8)]
    gates[0].go.set()
    gates[1].go.clear()
    first = asyncio.create_task(desk.judge(gates[1], [b"a"]))
    while not gates[1].calls:
        await asyncio.sleep(0)
    others = [asyncio.create_task(desk.judge(gate, [b"b"])) for gate in gates[2:]]
    for gate in gates[2:]:
        gate.go.set()
    await asyncio.sleep(0)
    assert [gate.calls for gate in gates[2:]] == [0] * 6
    gates[1].go.set()
    results = await asyncio.gather(first, *others)
    assert [one[0].word for one in results] == ["a", *"bbbbbb"]
    threads = {thread for gate in gates[1:] for thread in gate.threads}
    assert threading.get_ident() not in threads


async def test_sound_that_a_slow_detector_loses_is_counted_and_the_words_after_it_are_placed() -> None:
    tongue = Tongue()
    lost: list[float] = []
    told: list[int] = []
    light = Indicator("kitchen", lambda shown: None, patience=1.0)
    light.step("standby", "test")
    ear = Ear(light, kept=0.5, behind=1.0)
    with ear.listen(Use.WAKE) as sound:
        for _ in range(10):
            ear.hear(AudioChunk(tongue.silence(0.5)))
        ear.hear(AudioChunk(tongue.wake(seconds=0.3) + tongue.silence(0.12)))
        sound.end()
        stream = TongueWake(tongue).open(())
        await watch(
            WakeDesk(5), stream, sound, lambda _, sample: told.append(sample), lost.append, lambda: True
        )
    assert sum(lost) == pytest.approx(5 - 1.0, abs=0.5)
    assert told == [pytest.approx((5.0 + 0.3) * 16_000, abs=960)]


async def test_one_detector_that_fails_is_no_others_trouble() -> None:
    tongue = Tongue()
    desk, well = WakeDesk(5), TongueWake(tongue)
    gone, broken = well.open(()), well.open(())
    gone.error, broken.error = EngineUnavailable("the server is gone"), ValueError("a bug")
    sound = frames(tongue.wake() + tongue.silence(0.1))
    results = await asyncio.gather(
        *(desk.judge(stream, sound) for stream in (gone, well.open(()), broken)), return_exceptions=True
    )
    assert isinstance(results[0], EngineUnavailable)
    assert isinstance(results[1], list)
    assert isinstance(results[2], EngineError)
    assert "ValueError: a bug" in str(results[2])


async def test_a_detector_that_hangs_is_told() -> None:
    gate = Gate()
    with pytest.raises(EngineTimeout, match=r"limits\.wake_answer"):
        await WakeDesk(0.05).judge(gate, [b"a"])
    gate.go.set()
