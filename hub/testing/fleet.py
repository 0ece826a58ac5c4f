"""Satellites that a test plays, and engines that understand their sound: nothing but numbers.

Each stretch of sound carries a code in every other sample and its loudness in the ones between, so that
detector, recogniser and arbiter judge what a room really heard, whenever and however it reached them.
"""

from __future__ import annotations

import asyncio
from array import array
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from hub.audio import SPEECH, AudioChunk, AudioFormat
from hub.errors import AudioError
from hub.events import TurnEvent
from hub.rooms.inbox import Inbox
from hub.rooms.paced import PacedSpeaker
from hub.stages.satellite import Abilities, Indication, SatelliteNews
from hub.stages.stream import Stream
from hub.testing.fakes import VOICE
from hub.values.speech import Detection, Hearing, Transcript

_COUGH = 100
_FIRST_WORD = 200
_FIRST_SENTENCE = 400


class Tongue:
    """What is said in a test house: sentences and wake words, each with a sound of its own."""

    def __init__(self, words: Sequence[str] = ("okay_nabu", "hey_jarvis")) -> None:
        self.words = tuple(words)
        self.sentences: list[str] = []
        self.asr_delay = 0.2
        """Seconds between the end of an utterance and its words."""

    def silence(self, seconds: float) -> bytes:
        """Return the sound of an empty room."""
        return _sound(0, seconds, 10)

    def cough(self, seconds: float = 0.3, loud: int = 5_000) -> bytes:
        """Return a sound that a detector of speech falls for, and that is no word."""
        return _sound(_COUGH, seconds, loud)

    def wake(self, word: str = "okay_nabu", seconds: float = 0.6, loud: int = 5_000) -> bytes:
        """Return somebody saying a wake word, and the breath after it."""
        return _sound(_FIRST_WORD + self.words.index(word), seconds, loud) + self.silence(0.06)

    def say(self, text: str, seconds: float = 1.0, loud: int = 5_000) -> bytes:
        """Return somebody saying a sentence."""
        if text not in self.sentences:
            self.sentences.append(text)
        return _sound(_FIRST_SENTENCE + self.sentences.index(text), seconds, loud)

    def text_of(self, pcm: bytes) -> str:
        """Return the sentences in a sound, one after the other."""
        codes = array("h", pcm)[::2]
        found: list[str] = []
        for code, before in zip(codes, array("h", [0]) + codes, strict=False):
            if code >= _FIRST_SENTENCE and code != before:
                found.append(self.sentences[code - _FIRST_SENTENCE])
        return ". ".join(found)


def _sound(code: int, seconds: float, loud: int) -> bytes:
    return array("h", (code, loud)).tobytes() * (round(seconds * SPEECH.rate) // 2)


def _code(frame: bytes) -> int:
    return array("h", frame[:2])[0]


@dataclass(slots=True)
class _Hearing:
    """A detector's stream."""

    tongue: Tongue
    frame_samples: int
    samples: int = 0
    before: int = 0
    error: Exception | None = None

    def process(self, frame: bytes) -> float:
        """Return whether somebody makes a sound."""
        if self.error:
            raise self.error
        return 0.9 if _code(frame) >= _COUGH else 0.0

    def close(self) -> None:
        """Nothing is held."""


@dataclass(slots=True)
class _Waking(_Hearing):
    """A detector's stream that tells a word when it has ended."""

    def process(self, frame: bytes) -> Detection | None:  # type: ignore[override]
        """Return the word that has just ended."""
        if self.error:
            raise self.error
        self.samples += self.frame_samples
        code, before = _code(frame), self.before
        self.before = code
        if _FIRST_WORD <= before < _FIRST_SENTENCE and code != before:
            return Detection(word=self.tongue.words[before - _FIRST_WORD], samples=self.samples)
        return None

    def finish(self) -> Detection | None:
        """Every frame was judged at once."""
        return None


@dataclass(slots=True)
class TongueVad:
    """Hears every sound of the tongue as speech, coughs too."""

    tongue: Tongue
    error: Exception | None = None

    def open(self) -> _Hearing:
        """Return a fresh stream."""
        return _Hearing(self.tongue, 512, error=self.error)


@dataclass(slots=True)
class TongueWake:
    """Hears the tongue's wake words."""

    tongue: Tongue
    error: Exception | None = None
    """Raised by every stream that is opened from now on."""
    opened: int = 0
    """Streams so far."""

    @property
    def words(self) -> tuple[str, ...]:
        """Those of the tongue."""
        return self.tongue.words

    def open(self, words: Sequence[str]) -> _Waking:
        """Return a fresh stream."""
        if self.error:
            raise self.error
        self.opened += 1
        return _Waking(self.tongue, 480)


@dataclass(slots=True)
class TongueAsr:
    """Understands the tongue's sentences."""

    tongue: Tongue
    error: Exception | None = None
    utterances: list[bytes] = field(default_factory=list)
    open: int = 0
    """Streams that are open now."""

    def transcribe(self, audio: AsyncIterator[AudioChunk], hearing: Hearing) -> Stream[Transcript]:
        """Hear one utterance."""
        return self._stream(audio)

    @asynccontextmanager
    async def _stream(self, audio: AsyncIterator[AudioChunk]) -> AsyncIterator[AsyncIterator[Transcript]]:
        self.open += 1
        try:
            yield self._words(audio)
        finally:
            self.open -= 1

    async def _words(self, audio: AsyncIterator[AudioChunk]) -> AsyncIterator[Transcript]:
        mine = len(self.utterances)
        self.utterances.append(b"")
        async for chunk in audio:
            self.utterances[mine] += chunk.pcm
        await asyncio.sleep(self.tongue.asr_delay)
        if self.error:
            raise self.error
        yield Transcript(text=self.tongue.text_of(self.utterances[mine]))


@dataclass(slots=True)
class RecordingOutlet:
    """Keeps every piece with the moment at which it is heard; what is flushed was never heard."""

    format: AudioFormat = VOICE
    can_flush: bool = True
    is_stuck: bool = False
    """Whether what is sent never arrives, as on a connection that is dead on one side."""
    heard: list[tuple[float, AudioChunk]] = field(default_factory=list)
    plays: int = 0
    """Plays that were begun."""
    ends: int = 0
    """Plays that were ended."""
    _clear: float = 0.0

    async def begin(self) -> None:
        """Take note."""
        self.plays += 1

    async def send(self, chunk: AudioChunk) -> None:
        """Hear the piece after those before it."""
        if self.is_stuck:
            await asyncio.Event().wait()
        begins = max(asyncio.get_running_loop().time(), self._clear)
        self._clear = begins + chunk.seconds
        self.heard.append((begins, chunk))

    async def end(self) -> None:
        """Take note."""
        self.ends += 1

    def flush(self) -> bool:
        """Forget what is not heard yet, to the sample."""
        if not self.can_flush:
            return False
        now = asyncio.get_running_loop().time()
        kept: list[tuple[float, AudioChunk]] = []
        for begins, chunk in self.heard:
            size = round(max(now - begins, 0.0) * chunk.format.rate) * chunk.format.frame_bytes
            if pcm := chunk.pcm[:size]:
                kept.append((begins, AudioChunk(pcm, chunk.format)))
        self.heard[:] = kept
        self._clear = now
        return True

    @property
    def seconds(self) -> float:
        """How long everything that was heard lasts."""
        return sum(chunk.seconds for _, chunk in self.heard)

    @property
    def silent_since(self) -> float:
        """Loop time of the end of the last sound."""
        return max((begins + chunk.seconds for begins, chunk in self.heard), default=0.0)


@dataclass(slots=True)
class RoomMicrophone:
    """Gives what is said in the room, and its silence, at the pace of a real one."""

    tongue: Tongue
    chunk: float = 0.064
    reads: int = 0
    """Pieces that were read."""
    open: int = 0
    """Streams that are open now."""
    error: Exception | None = None
    """Raised by the next read."""
    is_still: bool = False
    """Whether nothing comes at all, as on a connection that is dead on one side."""
    _said: deque[bytes] = field(default_factory=deque)

    def hear(self, *sounds: bytes) -> None:
        """Let these sounds be in the room from now on, one after the other."""
        size = round(self.chunk * SPEECH.rate) * SPEECH.frame_bytes
        sound = b"".join(sounds)
        self._said += [sound[start : start + size] for start in range(0, len(sound), size)]

    def forget(self) -> None:
        """Let what was to be said not be said."""
        self._said.clear()

    @asynccontextmanager
    async def listen(self) -> AsyncIterator[AsyncIterator[AudioChunk]]:
        """Give the sound from now on."""
        self.open += 1
        try:
            yield self._sound()
        finally:
            self.open -= 1

    async def _sound(self) -> AsyncIterator[AudioChunk]:
        while True:
            await asyncio.sleep(self.chunk)
            if self.is_still:
                await asyncio.Event().wait()
            if self.error:
                error, self.error = self.error, None
                raise error
            self.reads += 1
            yield AudioChunk(self._said.popleft() if self._said else self.tongue.silence(self.chunk))


class ScriptedSatellite:
    """A satellite in a test's hands."""

    def __init__(
        self, tongue: Tongue, name: str = "toy", abilities: Abilities | None = None, chunk: float = 0.064
    ) -> None:
        self.id = name
        self.name = name.title()
        self.abilities = abilities or Abilities(can_flush=True)
        self.outlet = RecordingOutlet(can_flush=self.abilities.can_flush)
        self.microphone = RoomMicrophone(tongue, chunk)
        self.speaker = PacedSpeaker(self.outlet)
        self.shown: list[tuple[float, Indication, str]] = []
        """Loop time, indication and reason of every change of its light."""
        self.events: list[TurnEvent] = []
        self._news: Inbox[SatelliteNews] = Inbox()
        self._closed: asyncio.Future[str] | None = None

    def do(self, news: SatelliteNews) -> None:
        """Let its people do something."""
        self._news.put(news)

    def hear(self, *sounds: bytes) -> None:
        """Let these sounds be in its room from now on."""
        self.microphone.hear(*sounds)

    @asynccontextmanager
    async def news(self) -> AsyncIterator[AsyncIterator[SatelliteNews]]:
        """Give what its people do."""
        yield self._given()

    async def _given(self) -> AsyncIterator[SatelliteNews]:
        while True:
            await self._news.filled()
            if item := self._news.take():
                yield item

    def show(self, indication: Indication, reason: str) -> None:
        """Take note."""
        self.shown.append((asyncio.get_running_loop().time(), indication, reason))

    def tell(self, event: TurnEvent) -> None:
        """Take note."""
        self.events.append(event)

    async def closed(self) -> str:
        """Wait until the test lets it go."""
        self._closed = asyncio.get_running_loop().create_future()
        return await self._closed

    def lose(self, reason: str = "the satellite did not answer") -> None:
        """Let the connection be lost."""
        if self._closed and not self._closed.done():
            self._closed.set_result(reason)

    def fail_microphone(self, sentence: str = "the microphone was unplugged") -> None:
        """Let the next read of the microphone fail."""
        self.microphone.error = AudioError(sentence)
