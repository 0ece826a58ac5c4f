"""`asr` and `tts` in another process, over Wyoming."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import Any, Self

from wyoming.asr import Transcribe
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeVoice

from hub.audio import SPEECH, AudioChunk, AudioFormat
from hub.errors import EngineError, WireError
from hub.remote.choice import Wish, choose
from hub.remote.exchange import Exchange, Send
from hub.remote.peer import Peer
from hub.remote.sound import audio_chunk, audio_start, audio_stop, chunk_of
from hub.remote.wire import Event, text_of
from hub.values.speech import Hearing, Transcript

_ANY = Wish()
_BREAK = "\n\n"
"""Ends a sentence for every server that cuts text itself (a blank line is no part of any)."""


class RemoteAsr:
    """A recogniser behind a `Peer`."""

    def __init__(self, peer: Peer, wish: Wish = _ANY) -> None:
        self._peer = peer
        self._wish = wish

    def transcribe(self, audio: AsyncIterator[AudioChunk], hearing: Hearing) -> Transcripts:
        """Hear one utterance; audio is sent as it comes."""
        return Transcripts(self._peer, self._wish, audio, hearing)


class RemoteTts:
    """A voice behind a `Peer`."""

    def __init__(self, peer: Peer, wish: Wish = _ANY, speaker: str | None = None) -> None:
        self._peer = peer
        self._wish = wish
        self._speaker = speaker

    def synthesize(self, sentences: AsyncIterator[str], language: str | None = None) -> Sound:
        """Speak the sentences in order."""
        return Sound(
            self._peer, self._wish, SynthesizeVoice(language=language, speaker=self._speaker), sentences
        )


class Transcripts:
    """One utterance: sends its audio and gives the transcripts that come back."""

    def __init__(self, peer: Peer, wish: Wish, audio: AsyncIterator[AudioChunk], hearing: Hearing) -> None:
        self._peer = peer
        self._wish = wish
        self._audio = audio
        self._hearing = hearing
        self._exchange = Exchange(peer)
        self._text = ""
        self._is_over = False

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._exchange)
            offer = await self._peer.offer()
            self._choice = choose(offer, "asr", self._wish, self._peer.uri, self._hearing.language)
            self._exchange.start(self._send)
            stack.pop_all()
        return self

    async def __aexit__(self, *exit_: Any) -> None:
        await self._exchange.__aexit__(*exit_)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Transcript:
        if self._is_over:
            raise StopAsyncIteration
        while True:
            event = await self._exchange.receive()
            try:
                if event.type == "transcript":
                    return self._final(event)
                if event.type == "transcript-chunk":
                    return self._partial(event)
            except WireError as error:
                raise EngineError(str(error)) from error

    async def _send(self, send: Send) -> None:
        phrases = list(self._hearing.phrases[: self._peer.limits.phrases])
        choice = self._choice
        request = Transcribe(name=choice.name, language=choice.language, transcript_terms=phrases or None)
        await send(request.event())
        await send(audio_start(SPEECH))
        async for chunk in self._audio:
            if chunk.pcm:
                await send(audio_chunk(chunk))
        await send(audio_stop())

    def _partial(self, event: Event) -> Transcript:
        self._exchange.came()
        self._text = self._bounded(self._text + text_of(event, self._peer.uri))
        return Transcript(text=self._text, final=False)

    def _final(self, event: Event) -> Transcript:
        self._is_over = True
        language = event.data.get("language")
        return Transcript(
            text=self._bounded(text_of(event, self._peer.uri)).strip(),
            language=language if isinstance(language, str) else None,
            confidence=_share(event.data.get("confidence")),
            no_speech=_share(event.data.get("no_speech")),
        )

    def _bounded(self, text: str) -> str:
        if len(text) > self._peer.limits.text:
            raise WireError(f"{self._peer.uri} sent more than {self._peer.limits.text} characters")
        return text


class Sound:
    """One answer: sends its sentences and gives the sound that comes back."""

    def __init__(self, peer: Peer, wish: Wish, voice: SynthesizeVoice, sentences: AsyncIterator[str]) -> None:
        self._peer = peer
        self._wish = wish
        self._voice = voice
        self._sentences = sentences
        self._stack = AsyncExitStack()
        self._exchange: Exchange | None = None
        self._form: AudioFormat | None = None
        self._streams = False
        self._is_over = False
        self._taken = 0
        """How many sentences were taken so far, those with nothing to say among them."""
        self._numbers: list[int] = []
        """Which sentence each piece of text that was sent is."""

    async def __aenter__(self) -> Self:
        offer = await self._peer.offer()
        chosen = choose(offer, "tts", self._wish, self._peer.uri, self._voice.language)
        self._voice.name, self._voice.language = chosen.name, chosen.language
        self._streams = chosen.program.streams
        if self._streams:
            exchange = await self._stack.enter_async_context(Exchange(self._peer))
            exchange.start(partial(self._send_all, exchange))
            self._exchange = exchange
        return self

    async def __aexit__(self, *exit_: Any) -> None:
        await self._stack.__aexit__(*exit_)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AudioChunk:
        while not self._is_over:
            if self._exchange is None:
                await self._next_sentence()
            elif chunk := await self._next_chunk(self._exchange):
                return chunk
            elif self._streams:
                self._is_over = True
        raise StopAsyncIteration

    async def _next_sentence(self) -> None:
        """Ask a plain server for the next sentence, on a connection of its own."""
        sentence = await self._next()
        if sentence is None:
            raise StopAsyncIteration
        request = Synthesize(text=sentence, voice=self._voice).event()

        async def send(write: Send) -> None:
            await write(request)

        self._exchange = await self._stack.enter_async_context(Exchange(self._peer))
        self._exchange.start(send)

    async def _next_chunk(self, exchange: Exchange) -> AudioChunk | None:
        """Return the next chunk of the exchange, or None at its end."""
        end = "synthesize-stopped" if self._streams else "audio-stop"
        while (event := await exchange.receive()).type != end:
            if event.type.startswith("audio-"):
                exchange.came()
            if event.type == "audio-chunk" and event.payload:
                return self._checked(event)
        await self._stack.aclose()
        self._exchange = None
        return None

    async def _send_all(self, exchange: Exchange, send: Send) -> None:
        await send(SynthesizeStart(voice=self._voice).event())
        while (sentence := await self._next()) is not None:
            await send(SynthesizeChunk(text=sentence + _BREAK).event())
            exchange.expect(self._peer.limits.first, "gave no sound")
        await send(SynthesizeStop().event())

    def _checked(self, event: Event) -> AudioChunk:
        try:
            chunk = chunk_of(event, self._peer.uri)
        except WireError as error:
            raise EngineError(str(error)) from error
        self._form = self._form or chunk.format
        if chunk.format != self._form:
            raise EngineError(f"{self._peer.uri} changed its audio format in the middle of an answer")
        return replace(chunk, sentence=self._sentence_of(chunk.sentence))

    def _sentence_of(self, piece: int | None) -> int | None:
        """Return which sentence sound of that piece of text is; a plain server gets one at a time."""
        if not self._streams:
            return self._numbers[-1]
        return self._numbers[piece] if piece is not None and piece < len(self._numbers) else None

    async def _next(self) -> str | None:
        """Return the next sentence that has something to say, or None after the last."""
        while (sentence := await anext(self._sentences, None)) is not None:
            self._taken += 1
            if sentence.strip():
                self._numbers.append(self._taken - 1)
                return sentence.strip()
        return None


def _share(value: Any) -> float | None:
    """Return a probability that a server added to its answer, if it is one."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 1 else None
