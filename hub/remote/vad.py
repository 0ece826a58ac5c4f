"""`vad` in another process, over Wyoming."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from hub.remote.peer import Peer
from hub.remote.relay import Relay
from hub.remote.wire import Event

_FRAME = 512
"""Samples: the 32 ms that most detectors judge at a time."""
_TELLS = {"voice-started": 1.0, "voice-stopped": 0.0}


async def _at_once() -> None:
    return


class RemoteVad:
    """A detector of voice activity behind a `Peer`."""

    def __init__(self, peer: Peer, ready: Callable[[], Awaitable[None]] = _at_once) -> None:
        """`ready` returns when the server is there; raises `EngineError`."""
        self._peer = peer
        self._ready = ready

    def open(self) -> RemoteVadStream:
        """Return a fresh stream."""
        return RemoteVadStream(self._peer, self._ready)


class RemoteVadStream:
    """One listener.

    The server says when a voice starts and stops, not how sure it is: every frame has the probability
    1 or 0 of the last that it said. That is late by its own delay and by the way there and back, which
    the pauses of `segment:` must outlast.
    """

    def __init__(self, peer: Peer, ready: Callable[[], Awaitable[None]]) -> None:
        self._ready = ready
        self._probability = 0.0
        self._relay = Relay(peer, self._begin, _read)

    @property
    def frame_samples(self) -> int:
        """32 ms."""
        return _FRAME

    def process(self, frame: bytes) -> float:
        """Hand the frame over and return what the server said last."""
        for said in self._relay.exchange(frame):
            self._probability = said
        return self._probability

    def close(self) -> None:
        """Leave the server."""
        self._relay.close()

    async def _begin(self) -> Iterable[Event]:
        await self._ready()
        return ()


def _read(event: Event, samples: int) -> float | None:
    return _TELLS.get(event.type)
