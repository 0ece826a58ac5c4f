"""One client of a worker: reads on while the engine works, so that a client that leaves is noticed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from hub.audio import AudioChunk
from hub.errors import EarnestError, WireError
from hub.remote.cut import Cutter
from hub.remote.engine import Bench, Engine, Voice
from hub.remote.listening import Listening
from hub.remote.recording import Recording
from hub.remote.sound import audio_chunk, audio_start, audio_stop, chunk_of
from hub.remote.waiting import Waiting
from hub.remote.wire import Connection, Event, PeerGone, text_of
from hub.values.speech import Hearing, Transcript

_log = logging.getLogger(__name__)
_Item = TypeVar("_Item")

_WAITING = 64
"""Events of one client that wait while the engine works; more stay with the client."""
_WAITING_BYTES = 4 * 1024 * 1024
"""Bytes of sound in them: two minutes of speech."""
_CHUNK_FRAMES = 4096
"""Frames in one audio-chunk."""


class Answer:
    """What a client wants spoken: one voice, text whole or in pieces, a pause between sentences."""

    def __init__(self, voice: Voice) -> None:
        self.voice = voice
        self.cutter = Cutter()
        self._is_first = True
        self.piece: int | None = None
        """Number of the piece of text that the present sound is of; None when the text came whole."""

    def pause(self, engine: Engine) -> bytes:
        """Return the silence before the next sentence."""
        is_first, self._is_first = self._is_first, False
        frames = 0 if is_first else round(engine.pause * engine.format.rate)
        return bytes(frames * engine.format.frame_bytes)


class Visit:
    """Serves one connection until the client leaves."""

    def __init__(self, connection: Connection, engine: Engine, bench: Bench, audio_seconds: float) -> None:
        self._connection = connection
        self._engine = engine
        self._bench = bench
        self._hearing = Hearing()
        self._recording = Recording(audio_seconds)
        self._answer_in_pieces: Answer | None = None
        self._listening = engine.detect and Listening(engine.detect, bench, connection.peer)
        self._is_listening = engine.hear is None
        """Whether audio is for wake words."""

    async def serve(self) -> None:
        """Answer the client's events in order; returns when it has left."""
        events = Waiting(_WAITING, _WAITING_BYTES)
        working = asyncio.create_task(self._work(events), name="answers to a client")
        try:
            await self._read(events)
        except WireError as error:
            _log.debug("%s", error)
            await self._say(error)
        finally:
            self._connection.close()
            working.cancel()
            await asyncio.wait((working,))
            if self._listening:
                self._listening.close()

    async def _read(self, events: Waiting) -> None:
        while event := await self._connection.read():
            if event.type == "ping":
                await self._connection.write(Event("pong", {"text": event.data.get("text")}))
            elif event.type == "describe":
                await self._connection.write(self._engine.offer.event())
            else:
                await events.put(event)

    async def _work(self, events: Waiting) -> None:
        while True:
            event = await events.get()
            try:
                await self._answer(event)
            except PeerGone:
                self._connection.close()
            except Exception as error:  # noqa: BLE001  an engine may raise anything; the client is told
                await self._say(error)

    async def _answer(self, event: Event) -> None:
        if self._listening:
            await self._answer_wake(event, self._listening)
        if self._engine.hear and not (self._listening and self._is_listening):
            await self._answer_speech(event, self._engine.hear)
        if self._engine.speak:
            await self._answer_text(event)

    async def _answer_wake(self, event: Event, listening: Listening) -> None:
        if event.type in ("detect", "transcribe"):
            self._is_listening = event.type == "detect"
        found: list[Event] = []
        if event.type == "detect":
            listening.ask(event)
        elif not self._is_listening:
            return
        elif event.type == "audio-start":
            await listening.start()
        elif event.type == "audio-chunk":
            found = await listening.hear(event)
        elif event.type == "audio-stop":
            found = await listening.end()
        for detection in found:
            await self._connection.write(detection)

    async def _answer_speech(self, event: Event, hear: Callable[..., Iterable[Transcript]]) -> None:
        if event.type == "transcribe":
            self._hearing = _hearing_of(event)
        elif event.type == "audio-start":
            self._recording.start()
        elif event.type == "audio-chunk":
            self._record(event)
        elif event.type == "audio-stop":
            hearing, self._hearing = self._hearing, Hearing()
            await self._hear(self._recording.end(), hearing, hear)

    async def _answer_text(self, event: Event) -> None:
        if event.type == "synthesize" and self._answer_in_pieces is None:
            await self._speak(Answer(_voice_of(event)), text_of(event, self._connection.peer))
        elif event.type == "synthesize-start":
            self._answer_in_pieces = Answer(_voice_of(event))
        elif event.type == "synthesize-chunk" and self._answer_in_pieces:
            answer = self._answer_in_pieces
            answer.piece = 0 if answer.piece is None else answer.piece + 1
            for sentence in answer.cutter.feed(text_of(event, self._connection.peer)):
                await self._speak(answer, sentence)
        elif event.type == "synthesize-stop" and self._answer_in_pieces:
            answer, self._answer_in_pieces = self._answer_in_pieces, None
            if text := answer.cutter.rest():
                await self._speak(answer, text)
            await self._connection.write(Event("synthesize-stopped"))

    def _record(self, event: Event) -> None:
        try:
            self._recording.add(chunk_of(event, self._connection.peer))
        except WireError as error:
            self._recording.fail(error)

    async def _hear(
        self, pcm: bytes, hearing: Hearing, hear: Callable[[bytes, Hearing], Iterable[Transcript]]
    ) -> None:
        streams = any(program.streams for program in self._engine.offer.asr)
        said = ""
        if streams:
            await self._connection.write(Event("transcript-start"))
        transcript = Transcript(text="")
        if pcm:
            words = await self._bench.run(lambda: iter(hear(pcm, hearing)))
            while item := await self._bench.run(lambda: next(words, None)):
                transcript = item
                if streams and item.text.startswith(said) and item.text != said:
                    part, said = item.text[len(said) :], item.text
                    await self._connection.write(Event("transcript-chunk", {"text": part}))
        await self._connection.write(_transcript(transcript))
        if streams:
            await self._connection.write(Event("transcript-stop"))

    async def _speak(self, answer: Answer, text: str) -> None:
        """Send the sound of the text: a start, its sentences as soon as each is made, a stop."""
        speak, form = self._engine.speak, self._engine.format
        assert speak
        sounds = await self._bench.run(lambda: iter(speak(text, answer.voice) if text.strip() else ()))
        pcm = await self._bench.run(lambda: next(sounds, None))
        await self._connection.write(audio_start(form))
        while pcm is not None:
            for piece in _pieces(answer.pause(self._engine) + pcm, _CHUNK_FRAMES * form.frame_bytes):
                await self._connection.write(audio_chunk(AudioChunk(piece, form, answer.piece)))
            pcm = await self._bench.run(lambda: next(sounds, None))
        await self._connection.write(audio_stop())

    async def _say(self, error: Exception) -> None:
        """Tell the client what went wrong."""
        code = error.code if isinstance(error, EarnestError) else type(error).__name__
        text = str(error) or type(error).__name__
        with suppress(WireError):
            await self._connection.write(Event("error", {"text": text, "code": code}))


def _hearing_of(event: Event) -> Hearing:
    language = event.data.get("language")
    listed = (event.data.get(key) for key in ("transcript_names", "transcript_terms"))
    phrases = [item for items in listed if isinstance(items, list) for item in items]
    return Hearing(
        language=language if isinstance(language, str) else None,
        phrases=tuple(phrase for phrase in phrases if isinstance(phrase, str)),
    )


def _voice_of(event: Event) -> Voice:
    raw = event.data.get("voice")
    asked = raw if isinstance(raw, dict) else {}
    known = {key: asked.get(key) for key in ("name", "language", "speaker")}
    return Voice(**{key: value for key, value in known.items() if isinstance(value, str)})


def _transcript(transcript: Transcript) -> Event:
    """Return the event; confidence and no_speech are our additions, which others skip."""
    data: dict[str, Any] = {"text": transcript.text, "language": transcript.language}
    data |= {"confidence": transcript.confidence, "no_speech": transcript.no_speech}
    return Event("transcript", {key: value for key, value in data.items() if value is not None})


def _pieces(pcm: bytes, size: int) -> Iterator[bytes]:
    return (pcm[start : start + size] for start in range(0, len(pcm), size))
