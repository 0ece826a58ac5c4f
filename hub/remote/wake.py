"""`wake` in another process, over Wyoming."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence

from hub.audio import SPEECH
from hub.errors import EngineUnavailable, IntegrationError
from hub.remote.choice import Wish, words_of
from hub.remote.peer import Peer
from hub.remote.relay import Keeper, Relay
from hub.remote.wire import Event
from hub.values.speech import Detection

_ANY = Wish()
_FRAME = 1280
"""Samples: the 80 ms that openWakeWord judges at a time."""


async def _at_once() -> None:
    return


class RemoteWake:
    """The wake words behind a `Peer` that has been asked once what it offers."""

    def __init__(
        self,
        peer: Peer,
        ready: Callable[[], Awaitable[None]] = _at_once,
        wish: Wish = _ANY,
        keeper: Keeper | None = None,
    ) -> None:
        """`ready` returns when the server is there; raises `EngineError`. With a `keeper` a stream outlives
        a crash of the server."""
        self._peer = peer
        self._ready = ready
        self._wish = wish
        self._keeper = keeper

    @property
    def words(self) -> tuple[str, ...]:
        """As the server names them; empty: it does not say."""
        offer = self._peer.last_offer
        return words_of(offer, self._wish, self._peer.uri) if offer and offer.wake else ()

    def open(self, words: Sequence[str]) -> RemoteWakeStream:
        """Return a fresh stream that listens for these words; raises `IntegrationError` for others."""
        known = self.words
        unknown = [word for word in words if word not in known] if known else []
        if unknown:
            raise IntegrationError(f"there is no wake word '{unknown[0]}'; there are {', '.join(known)}")
        return RemoteWakeStream(self._peer, self._ready, tuple(words), known, self._keeper)


class RemoteWakeStream:
    """One microphone."""

    def __init__(
        self,
        peer: Peer,
        ready: Callable[[], Awaitable[None]],
        words: tuple[str, ...],
        known: tuple[str, ...],
        keeper: Keeper | None,
    ) -> None:
        self._peer = peer
        self._ready = ready
        self._words = words
        self._known = known
        self._found: deque[Detection] = deque()
        self._relay = Relay(peer, self._begin, self._read, ends=("not-detected",), keeper=keeper)

    @property
    def frame_samples(self) -> int:
        """80 ms."""
        return _FRAME

    def process(self, frame: bytes) -> Detection | None:
        """Hand the frame over and return the next wake word that was found, or None."""
        self._found.extend(self._relay.exchange(frame))
        return self._next()

    def finish(self) -> Detection | None:
        """Return the next wake word that was found, or None."""
        if not self._found:
            self._found.extend(self._relay.finish())
        return self._next()

    def close(self) -> None:
        """Leave the server."""
        self._relay.close()

    def _next(self) -> Detection | None:
        return self._found.popleft() if self._found else None

    async def _begin(self) -> Iterable[Event]:
        await self._ready()
        if not (await self._peer.offer()).wake:
            raise EngineUnavailable(f"{self._peer.uri} offers no wake words")
        return (Event("detect", {"names": list(self._words)}),)

    def _read(self, event: Event, samples: int) -> Detection | None:
        if event.type != "detection":
            return None
        word = self._word(event.data.get("name"))
        if word is None:
            return None
        return Detection(word=word, samples=_moment(event.data.get("timestamp"), samples))

    def _word(self, name: object) -> str | None:
        """Return which of our words was found; some servers name it otherwise, or not at all."""
        if name in self._words:
            return str(name)
        return self._words[0] if len(self._words) == 1 and name not in self._known else None


def _moment(stamp: object, sent: int) -> int:
    """Return the samples up to the chunk with this stamp; a server that makes up its own gets `sent`."""
    if not isinstance(stamp, int) or isinstance(stamp, bool):
        return sent
    samples = stamp * SPEECH.rate // 1000
    return samples if 0 < samples <= sent else sent
