"""Wake words of many microphones, heard off the event loop, many frames at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hub.audio import SPEECH, FrameCutter
from hub.errors import EarnestError, EngineError, EngineTimeout
from hub.rooms.ear import Listening
from hub.stages.wake import WakeStream
from hub.values.speech import Detection


@dataclass(slots=True)
class _Work:
    stream: WakeStream
    frames: Sequence[bytes]
    found: asyncio.Future[list[Detection]]
    result: list[Detection] | EngineError | EarnestError = field(default_factory=list)

    def run(self) -> None:
        """Judge the frames, in a thread; whatever the detector raises becomes the result."""
        try:
            self.result = [found for frame in self.frames if (found := self.stream.process(frame))]
        except EarnestError as error:
            self.result = error
        except Exception as error:  # noqa: BLE001  a detector's fault is its satellite's only
            self.result = EngineError(f"the detector of wake words failed: {type(error).__name__}: {error}")


class WakeDesk:
    """One engine's thread. While it works, frames of all microphones gather and go to it together, so that
    its cost in hops to the thread falls as its load grows."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._waiting: list[_Work] = []
        self._running: asyncio.Future[None] | None = None

    async def judge(self, stream: WakeStream, frames: Sequence[bytes]) -> list[Detection]:
        """Return the wake words in these frames; raises `EngineError` and its kinds."""
        work = _Work(stream, frames, asyncio.get_running_loop().create_future())
        self._waiting.append(work)
        self._start()
        try:
            async with asyncio.timeout(self._patience):
                return await work.found
        except TimeoutError as error:
            late = f"the detector of wake words did not answer for {self._patience:g} s (limits.wake_answer)"
            raise EngineTimeout(late) from error
        finally:
            if work in self._waiting:
                self._waiting.remove(work)

    def _start(self) -> None:
        if self._running is None and self._waiting:
            works, self._waiting = self._waiting, []
            loop = asyncio.get_running_loop()
            self._running = loop.run_in_executor(None, _run, works)
            self._running.add_done_callback(lambda _: self._finish(works))

    def _finish(self, works: list[_Work]) -> None:
        self._running = None
        for work in works:
            if work.found.done():
                continue
            if isinstance(work.result, EarnestError):
                work.found.set_exception(work.result)
            else:
                work.found.set_result(work.result)
        self._start()


def _run(works: Sequence[_Work]) -> None:
    for work in works:
        work.run()


async def watch(
    desk: WakeDesk,
    stream: WakeStream,
    sound: Listening,
    tell: Callable[[Detection, int], None],
    shed: Callable[[float], None],
    is_current: Callable[[], bool],
) -> None:
    """Call `tell(detection, sample)` for each wake word in a microphone's sound, and `shed(seconds)` when the
    detector is too slow and sound is lost; until the sound ends or the detector is no longer the current one.

    `sample` counts the microphone's samples up to the end of the frame that told. Raises `EngineError`.
    """
    cutter = FrameCutter(stream.frame_samples)
    start, lost = sound.start, 0.0
    async for chunk in sound:
        if sound.lost > lost:
            shed(sound.lost - lost)
            start, lost = start + round((sound.lost - lost) * SPEECH.rate), sound.lost
        if not is_current():
            return
        if frames := cutter.cut(chunk.pcm):
            for detection in await desk.judge(stream, frames):
                tell(detection, start + detection.samples)
