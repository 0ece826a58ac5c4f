"""A detector in another process: frames go to it from a thread, what it finds comes back."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable
from functools import partial
from typing import Generic, Protocol, TypeVar

from hub.audio import SPEECH, AudioChunk
from hub.errors import EngineError, EngineTimeout, EngineUnavailable, WireError
from hub.remote.exchange import Exchange, Send
from hub.remote.peer import Peer
from hub.remote.sound import audio_chunk, audio_start, audio_stop
from hub.remote.wire import Event

_Found = TypeVar("_Found")

_MOST_FOUND = 64
"""What may wait for the thread; of more the oldest are lost."""
_REST = 1.0
"""Seconds for more, at the end of audio in which something was found: no server says that this was all."""

_AGAIN = 10.0
"""Seconds of audio that a server hears again when it comes back: a wake word and what led up to it."""
_CLOSED = "the detector's stream is closed"


class Keeper(Protocol):
    """Who holds the server's process, and starts it again when it crashes."""

    @property
    def starts(self) -> int:
        """How many times it was started so far."""

    async def ready(self, more_than: int = 0) -> None:
        """Return when it is ready and was started more often than that; raises `EngineUnavailable`."""


class Relay(Generic[_Found]):
    """One stream, held by a task on the loop from here to `close`.

    `exchange` and `finish` are for one thread at a time, off the loop.
    """

    def __init__(
        self,
        peer: Peer,
        begin: Callable[[], Awaitable[Iterable[Event]]],
        read: Callable[[Event, int], _Found | None],
        ends: Collection[str] = (),
        keeper: Keeper | None = None,
    ) -> None:
        """`begin` gives the events before the audio; `read(event, samples)` says what an event tells, after
        so many samples were sent, or raises `WireError`; after an event of the kinds `ends` nothing comes.
        A server that has a `keeper` hears the last seconds again when it is back."""
        self._peer = peer
        self._begin = begin
        self._read = read
        self._ends = ends
        self._keeper = keeper
        self._starts = 0
        self._loop = asyncio.get_running_loop()
        self._arrived = asyncio.Event()
        self._moved = threading.Condition()
        self._frames: deque[bytes] = deque()
        self._waiting = 0
        """Samples that were not sent yet."""
        self._sent = 0
        """Samples that were."""
        self._heard: deque[bytes] = deque()
        """The last frames that were sent, and in which nothing was found."""
        self._found: deque[_Found] = deque(maxlen=_MOST_FOUND)
        self._has_found = False
        self._is_last = False
        """No more frames come."""
        self._is_over = False
        """Nothing more is found."""
        self._failure: EngineError | None = None
        self._task = peer.hold(self._run(), f"detector at {peer.uri}")

    def exchange(self, frame: bytes) -> tuple[_Found, ...]:
        """Hand the frame over and return what came meanwhile; raises `EngineError` and its kinds."""
        with self._moved:
            if not self._moved.wait_for(self._has_room, self._peer.limits.stall):
                self._failure = EngineUnavailable(f"{self._peer.uri} takes no audio any more")
            found = self._taken()
            if not self._is_over:
                self._frames.append(frame)
                self._waiting += len(frame) // SPEECH.frame_bytes
        self._loop.call_soon_threadsafe(self._arrived.set)
        return found

    def finish(self) -> tuple[_Found, ...]:
        """Say that no more frames come; return what else is found, as soon as it is, or nothing.

        Raises `EngineError` and its kinds.
        """
        with self._moved:
            self._is_last = True
            self._loop.call_soon_threadsafe(self._arrived.set)
            seconds = self._peer.limits.verdict
            is_told = self._moved.wait_for(self._is_told, _REST if self._has_found else seconds)
            found = self._taken()
            if is_told or self._has_found:
                self._is_over = self._is_over or not is_told
                return found
        raise EngineTimeout(f"{self._peer.uri} did not say within {seconds:g} s whether it found anything")

    def close(self) -> None:
        """End the stream; on the loop."""
        self._end(EngineUnavailable(_CLOSED))
        self._task.cancel()

    def _has_room(self) -> bool:
        return self._waiting <= self._peer.limits.ahead * SPEECH.rate or self._is_told()

    def _is_told(self) -> bool:
        return bool(self._found) or self._is_over or self._failure is not None

    def _taken(self) -> tuple[_Found, ...]:
        """Take what was found; raises what failed once that is taken."""
        found = tuple(self._found)
        self._found.clear()
        if self._failure and not found:
            raise self._failure
        return found

    async def _run(self) -> None:
        try:
            while not self._is_over:
                try:
                    await self._listen()
                except EngineUnavailable:
                    if self._keeper is None:
                        raise
                    await self._keeper.ready(more_than=self._starts)
                    self._rewind()
        except EngineError as error:
            self._end(error)
        except Exception as error:  # noqa: BLE001  whoever hands frames over is told
            self._end(EngineError(f"{self._peer.uri}: {type(error).__name__}: {error}"))
        finally:
            if not self._is_over:
                self._end(EngineUnavailable(_CLOSED))

    async def _listen(self) -> None:
        begin = await self._begin()
        self._starts = self._keeper.starts if self._keeper else 0
        async with Exchange(self._peer) as exchange:
            exchange.start(partial(self._send, begin))
            while not self._is_over:
                self._take(await exchange.receive())

    async def _send(self, begin: Iterable[Event], send: Send) -> None:
        for event in begin:
            await send(event)
        await send(audio_start(SPEECH))
        while not (self._is_last and not self._frames):
            await self._arrived.wait()
            self._arrived.clear()
            while frame := self._handed_over():
                await send(audio_chunk(AudioChunk(frame), milliseconds(self._sent)))
        await send(audio_stop())

    def _handed_over(self) -> bytes | None:
        """Return the next frame that waits."""
        with self._moved:
            if not self._frames:
                return None
            frame = self._frames.popleft()
            samples = len(frame) // SPEECH.frame_bytes
            self._waiting -= samples
            self._moved.notify_all()
        self._sent += samples
        self._heard.append(frame)
        if len(self._heard) * samples > _AGAIN * SPEECH.rate:
            self._heard.popleft()
        return frame

    def _rewind(self) -> None:
        """Let the last frames wait again: the server has forgotten them."""
        with self._moved:
            samples = sum(map(len, self._heard)) // SPEECH.frame_bytes
            self._frames.extendleft(reversed(self._heard))
            self._heard.clear()
            self._waiting += samples
            self._sent -= samples
        self._arrived.set()

    def _take(self, event: Event) -> None:
        try:
            found = self._read(event, self._sent)
        except WireError as error:
            raise EngineError(str(error)) from error
        with self._moved:
            if found is not None:
                self._found.append(found)
                self._has_found = True
                self._heard.clear()
            self._is_over = event.type in self._ends
            self._moved.notify_all()

    def _end(self, error: EngineError) -> None:
        with self._moved:
            self._failure = self._failure or error
            self._moved.notify_all()


def milliseconds(samples: int) -> int:
    """Return the time stamp of the chunk that ends after so many samples."""
    return samples * 1000 // SPEECH.rate
