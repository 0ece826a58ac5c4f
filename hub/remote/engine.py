"""An engine as its worker sees it: plain functions that block, run on threads under a watch."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from hub.audio import AudioFormat
from hub.errors import EngineError
from hub.remote.offer import Offer
from hub.stages.wake import WakeStream
from hub.values.speech import Hearing, Transcript

_Result = TypeVar("_Result")
_PIPER = AudioFormat(rate=22_050)


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """What a client asked for; None leaves it to the worker's options."""

    name: str | None = None
    language: str | None = None
    speaker: str | None = None


Hear = Callable[[bytes, Hearing], Iterable[Transcript]]
"""`hear(pcm, hearing)` of 16 kHz, 16 bit, mono; each transcript holds all words so far, the last
one is final."""
Speak = Callable[[str, Voice], Iterable[bytes]]
"""`speak(text, voice)` gives PCM in the engine's `format`, a sentence at a time."""

Detect = Callable[[Sequence[str]], WakeStream]
"""`detect(words)` returns a stream for one client, for all words when none are named; called, and its
frames judged, on a thread, frames of several clients at the same time if `concurrency` says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What a worker serves."""

    offer: Offer
    hear: Hear | None = None
    speak: Speak | None = None
    detect: Detect | None = None
    format: AudioFormat = _PIPER
    """Of what `speak` gives."""
    pause: float = 0.0
    """Seconds of silence between two sentences of one answer."""
    concurrency: int = 1
    """Calls that may run at the same time; the others wait, in order."""


@dataclass(slots=True, eq=False)
class _Call:
    """A call of the engine while it runs."""

    work: Callable[[], Any]
    began: float = 0.0
    left: float | None = None
    """When nobody waited for it any more; None while somebody does."""


class Bench:
    """The threads on which an engine's calls run, oldest request first."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="engine")
        self._running: set[_Call] = set()

    @property
    def longest(self) -> float:
        """Seconds that the oldest running call has taken so far."""
        return _since(call.began for call in tuple(self._running))

    @property
    def abandoned(self) -> float:
        """Seconds that a running call has gone on since nobody waits for it any more."""
        return _since(call.left for call in tuple(self._running) if call.left)

    async def run(self, work: Callable[[], _Result]) -> _Result:
        """Return what `work` returns; a call that is cancelled before it began never begins."""
        call = _Call(work)
        try:
            return cast(_Result, await asyncio.get_running_loop().run_in_executor(self._pool, self._do, call))
        except asyncio.CancelledError:
            call.left = time.monotonic()
            raise

    def _do(self, call: _Call) -> Any:
        call.began = time.monotonic()
        self._running.add(call)
        try:
            return call.work()
        except MemoryError as error:
            raise EngineError("there was not enough memory for this") from error
        except (StopIteration, SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            # A future cannot carry the first, and the others would end the worker.
            raise EngineError(f"the engine gave up: {type(error).__name__} {error}".strip()) from error
        finally:
            self._running.discard(call)


def _since(moments: Iterable[float]) -> float:
    return max((time.monotonic() - moment for moment in moments), default=0.0)
