"""An engine as its worker sees it: plain functions that block, run on threads under a watch."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from hub.audio import AudioFormat
from hub.remote.offer import Offer
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What a worker serves."""

    offer: Offer
    hear: Hear | None = None
    speak: Speak | None = None
    format: AudioFormat = _PIPER
    """Of what `speak` gives."""
    pause: float = 0.0
    """Seconds of silence between two sentences of one answer."""
    concurrency: int = 1
    """Calls that may run at the same time; the others wait, in order."""


class Bench:
    """The threads on which an engine's calls run, oldest request first."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="engine")
        self._began: dict[int, float] = {}

    @property
    def longest(self) -> float:
        """Seconds that the oldest running call has taken so far."""
        began = tuple(self._began.values())
        return time.monotonic() - min(began) if began else 0.0

    async def run(self, call: Callable[[], _Result]) -> _Result:
        """Return what `call` returns; a call that is cancelled before it began never begins."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._timed, call)

    def _timed(self, call: Callable[[], _Result]) -> _Result:
        thread = threading.get_ident()
        self._began[thread] = time.monotonic()
        try:
            return call()
        finally:
            del self._began[thread]
