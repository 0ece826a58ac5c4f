"""Stages that play a script, and a speaker that keeps what it was given."""

from __future__ import annotations

import asyncio
import math
from array import array
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache

from hub.audio import SPEECH, AudioChunk, AudioFormat
from hub.errors import EngineError
from hub.stages.stream import Stream
from hub.values.intent import Match, Miss
from hub.values.session import Session
from hub.values.speech import Detection, Hearing, Transcript

VOICE = AudioFormat(rate=22_050)
"""The format of `ScriptedTts`, as Piper's medium voices have it."""


def tone(seconds: float, form: AudioFormat = SPEECH, hertz: int = 440, level: float = 0.3) -> bytes:
    """Return a 16-bit sine of that length; `level` 1 is full scale, `hertz` 0 is silence."""
    wave = _wave(form.rate, form.channels, hertz, level)
    size = round(seconds * form.rate) * form.frame_bytes
    return (wave * (size // len(wave) + 1))[:size]


@cache
def _wave(rate: int, channels: int, hertz: int, level: float) -> bytes:
    """Return as many whole waves as fill whole samples."""
    period = rate // math.gcd(rate, hertz)
    step = 2 * math.pi * hertz / rate
    peak = level * 32_767
    return array(
        "h", (int(peak * math.sin(step * n)) for n in range(period) for _ in range(channels))
    ).tobytes()


async def microphone(*parts: tuple[int, float], chunk: float = 0.064) -> AsyncIterator[AudioChunk]:
    """Give a tone of `(hertz, seconds)` after the other, at the pace of a real microphone."""
    for hertz, seconds in parts:
        pcm = tone(seconds, hertz=hertz)
        size = round(chunk * SPEECH.rate) * SPEECH.frame_bytes
        for start in range(0, len(pcm), size):
            piece = AudioChunk(pcm[start : start + size])
            await asyncio.sleep(piece.seconds)
            yield piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a scripted recogniser makes of one utterance."""

    text: str = ""
    partials: tuple[str, ...] = ()
    """Words so far, one after each chunk of audio that comes in."""
    delay: float = 0.0
    """Seconds between the end of the audio and the final words."""
    confidence: float | None = None
    no_speech: float | None = None
    error: Exception | None = None
    """Raised instead of the final words."""
    early: bool = False
    """Raise `error` when the stream is opened, before any audio."""


@dataclass(slots=True)
class ScriptedAsr:
    """A recogniser that answers its utterances in the order of `script`; the last one repeats."""

    script: Sequence[Heard | str] = ("",)
    utterances: list[bytes] = field(default_factory=list)
    """The audio of every utterance, as far as it came."""
    hearings: list[Hearing] = field(default_factory=list)
    open: int = 0
    """Streams that are open now."""

    def transcribe(self, audio: AsyncIterator[AudioChunk], hearing: Hearing) -> Stream[Transcript]:
        """Hear one utterance."""
        turn = len(self.hearings)
        self.hearings.append(hearing)
        line = self.script[min(turn, len(self.script) - 1)]
        return self._stream(audio, Heard(text=line) if isinstance(line, str) else line)

    @asynccontextmanager
    async def _stream(
        self, audio: AsyncIterator[AudioChunk], line: Heard
    ) -> AsyncIterator[AsyncIterator[Transcript]]:
        if line.early and line.error:
            raise line.error
        self.open += 1
        try:
            yield self._words(audio, line)
        finally:
            self.open -= 1

    async def _words(self, audio: AsyncIterator[AudioChunk], line: Heard) -> AsyncIterator[Transcript]:
        mine = len(self.utterances)
        self.utterances.append(b"")
        partials = iter(line.partials)
        async for chunk in audio:
            self.utterances[mine] += chunk.pcm
            words = next(partials, None)
            if words is not None:
                yield Transcript(text=words, final=False)
        await asyncio.sleep(line.delay)
        if line.error:
            raise line.error
        yield Transcript(text=line.text, confidence=line.confidence, no_speech=line.no_speech)


@dataclass(slots=True)
class ScriptedTts:
    """A voice that hums: each sentence becomes a tone as long as its text."""

    seconds_per_character: float = 0.05
    delay: float = 0.0
    """Seconds before the first audio of each sentence."""
    chunk_seconds: float = 0.1
    errors: Mapping[int, Exception] = field(default_factory=dict)
    """Raised instead of the sentence of that number, counted from 0 over all requests."""
    format: AudioFormat = VOICE
    is_exact: bool = True
    """Whether it tells which sentence its sound belongs to."""
    sentences: list[str] = field(default_factory=list)
    languages: list[str | None] = field(default_factory=list)
    """The language of each request."""
    open: int = 0
    """Streams that are open now."""

    @asynccontextmanager
    async def synthesize(
        self, sentences: AsyncIterator[str], language: str | None = None
    ) -> AsyncIterator[AsyncIterator[AudioChunk]]:
        """Speak the sentences."""
        self.languages.append(language)
        self.open += 1
        try:
            yield self._sound(sentences)
        finally:
            self.open -= 1

    async def _sound(self, sentences: AsyncIterator[str]) -> AsyncIterator[AudioChunk]:
        mine = -1
        async for sentence in sentences:
            mine += 1
            number = len(self.sentences)
            self.sentences.append(sentence)
            await asyncio.sleep(self.delay)
            if number in self.errors:
                raise self.errors[number]
            left = self.seconds_per_character * len(sentence)
            while left > 1e-9:
                pcm = tone(min(left, self.chunk_seconds), self.format)
                yield AudioChunk(pcm, self.format, mine if self.is_exact else None)
                left -= self.chunk_seconds


@dataclass(slots=True)
class _ScriptedVadStream:
    """One pass through the script."""

    script: Sequence[float]
    frame_samples: int
    frames: int = 0
    is_closed: bool = False

    def process(self, frame: bytes) -> float:
        """Return the next probability; the last one holds."""
        if len(frame) != self.frame_samples * 2:
            raise ValueError(f"a frame of {len(frame)} bytes; {self.frame_samples * 2} were asked for")
        value = self.script[min(self.frames, len(self.script) - 1)] if self.script else 0.0
        self.frames += 1
        return value

    def close(self) -> None:
        """Take note."""
        self.is_closed = True


@dataclass(slots=True)
class ScriptedVad:
    """A detector whose every stream gives these probabilities, one a frame (32 ms); the last holds."""

    script: Sequence[float] = (0.0,)
    frame_samples: int = 512
    streams: list[_ScriptedVadStream] = field(default_factory=list)

    @classmethod
    def spoken(cls, *parts: tuple[float, float], frame_samples: int = 512) -> ScriptedVad:
        """Make a script of `(probability, seconds)` parts."""
        frame = frame_samples / SPEECH.rate
        script = [p for p, seconds in parts for _ in range(round(seconds / frame))]
        return cls(script, frame_samples)

    def open(self) -> _ScriptedVadStream:
        """Return a fresh stream at the head of the script."""
        self.streams.append(_ScriptedVadStream(self.script, self.frame_samples))
        return self.streams[-1]


@dataclass(slots=True)
class _ScriptedWakeStream:
    """One pass through the script."""

    script: Sequence[tuple[float, str]]
    frame_samples: int
    late: float
    samples: int = 0
    is_closed: bool = False

    def process(self, frame: bytes) -> Detection | None:
        """Return the next word when its time has come."""
        if len(frame) != self.frame_samples * 2:
            raise ValueError(f"a frame of {len(frame)} bytes; {self.frame_samples * 2} were asked for")
        self.samples += self.frame_samples
        return self._next(self.late)

    def finish(self) -> Detection | None:
        """Return the next word that was said in time."""
        return self._next(0.0)

    def close(self) -> None:
        """Take note."""
        self.is_closed = True

    def _next(self, late: float) -> Detection | None:
        if not self.script or self.samples < (self.script[0][0] + late) * SPEECH.rate:
            return None
        (seconds, word), self.script = self.script[0], self.script[1:]
        frames = math.ceil(seconds * SPEECH.rate / self.frame_samples)
        return Detection(word=word, samples=frames * self.frame_samples)


@dataclass(slots=True)
class ScriptedWake:
    """A detector whose every stream hears these `(seconds, word)`, each once so much audio has come."""

    script: Sequence[tuple[float, str]] = ()
    words: tuple[str, ...] = ("okay_nabu", "hey_jarvis")
    frame_samples: int = 480
    late: float = 0.0
    """Seconds of audio after which it tells, as a detector on another machine does."""
    streams: list[_ScriptedWakeStream] = field(default_factory=list)
    asked: list[tuple[str, ...]] = field(default_factory=list)
    """The words of each stream."""

    def open(self, words: Sequence[str]) -> _ScriptedWakeStream:
        """Return a fresh stream at the head of the script."""
        words = tuple(words) or self.words
        if unknown := [word for word in words if word not in self.words]:
            raise EngineError(f"there is no wake word '{unknown[0]}'")
        self.asked.append(words)
        mine = [(seconds, word) for seconds, word in self.script if word in words]
        self.streams.append(_ScriptedWakeStream(mine, self.frame_samples, self.late))
        return self.streams[-1]


@dataclass(slots=True)
class ScriptedAgent:
    """A conversation partner that says its answers in order; the last one repeats."""

    answers: Sequence[str | Sequence[str] | Exception] = ("",)
    """Each answer whole, in pieces as they come, or as an error."""
    delay: float = 0.0
    """Seconds before each piece."""
    asked: list[tuple[str, Session]] = field(default_factory=list)
    open: int = 0
    """Streams that are open now."""

    @asynccontextmanager
    async def answer(self, text: str, session: Session) -> AsyncIterator[AsyncIterator[str]]:
        """Answer in pieces."""
        answer = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append((text, session))
        self.open += 1
        try:
            yield self._pieces(answer)
        finally:
            self.open -= 1

    async def _pieces(self, answer: str | Sequence[str] | Exception) -> AsyncIterator[str]:
        if isinstance(answer, Exception):
            await asyncio.sleep(self.delay)
            raise answer
        for piece in [answer] if isinstance(answer, str) else answer:
            await asyncio.sleep(self.delay)
            yield piece


@dataclass(slots=True)
class ScriptedRecognizer:
    """Understands the sentences it is given, and no other."""

    sentences: Mapping[str, Match | Miss | Exception] = field(default_factory=dict)
    """By the sentence, without case, outer space and a final stop."""
    stage: str = "scripted"
    delay: float = 0.0
    asked: list[tuple[str, Session]] = field(default_factory=list)

    async def recognize(self, text: str, session: Session) -> Match | Miss:
        """Return what the script says."""
        self.asked.append((text, session))
        await asyncio.sleep(self.delay)
        found = self.sentences.get(text.strip().rstrip(".").lower())
        if isinstance(found, Exception):
            raise found
        return found or Miss(stage=self.stage, code="no-match", reason="it is not in the script")

    async def warm(self) -> None:
        """Nothing is loaded late."""


@dataclass(slots=True)
class RecordingSpeaker:
    """Keeps what it plays; takes as long as the audio lasts."""

    error: Exception | None = None
    """Raised after the first chunk."""
    is_paced: bool = True
    """Whether playing takes time; False plays at once."""
    plays: list[list[AudioChunk]] = field(default_factory=list)
    """The chunks of every play, as far as it came."""
    started: list[float] = field(default_factory=list)
    """Loop time of the first chunk of each play that had one."""
    finished: int = 0
    """Plays that were heard to their end."""
    played: float = 0.0
    """Seconds of the present or last play."""

    @property
    def seconds(self) -> float:
        """How long everything played lasts."""
        return sum(chunk.seconds for chunks in self.plays for chunk in chunks)

    @property
    def chunks(self) -> list[AudioChunk]:
        """All chunks of all plays, in order."""
        return [chunk for chunks in self.plays for chunk in chunks]

    async def play(self, audio: AsyncIterator[AudioChunk]) -> None:
        """Play it; returns when it has been heard."""
        heard: list[AudioChunk] = []
        self.plays.append(heard)
        self.played = 0.0
        async for chunk in audio:
            if not heard:
                self.started.append(asyncio.get_running_loop().time())
            heard.append(chunk)
            if self.error:
                raise self.error
            await asyncio.sleep(chunk.seconds if self.is_paced else 0)
            self.played += chunk.seconds
        self.finished += 1
