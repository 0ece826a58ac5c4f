"""Engines as a turn sees them: with a line in front, and a deadline that starts at dispatch.

    asr = QueuedAsr("whisper", asr, EngineLimits())
    async with asr.transcribe(chunks, hearing) as transcripts:
        async for transcript in transcripts: …
        asr_wait = waited(transcripts)

`waited(stream)` are the seconds the request stood in line (0.0 for any stream without a line); it
is settled when the first item arrives. An utterance takes its place when its audio ends: chunks go
through to the engine as they come, and only the end is held back until it is its turn. Speech takes
its place with the first sentence. `place=Place(turn=…, speculative=True)` asks for an early try.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Generic, Self, TypeVar

from hub.audio import AudioChunk
from hub.engines.ahead import Ahead
from hub.engines.deadline import Deadline
from hub.engines.limits import EngineLimits
from hub.engines.line import COMMITTED, Line, Place
from hub.stages.asr import Asr
from hub.stages.tts import Tts
from hub.values.speech import Hearing, Transcript

_Item = TypeVar("_Item")
_DEFAULT = EngineLimits()
_VOICE_PLACES = 4


def waited(stream: object) -> float:
    """Return the seconds the request behind an open stream stood in its engine's line."""
    seconds = getattr(stream, "waited", 0.0)
    return seconds if isinstance(seconds, float) else 0.0


class QueuedAsr:
    """A recogniser with its line."""

    def __init__(self, name: str, asr: Asr, limits: EngineLimits = _DEFAULT) -> None:
        self.name = name
        self.limits = limits
        self.line = Line(name, limits.concurrency or 1, limits)
        self._asr = asr

    def transcribe(
        self, audio: AsyncIterator[AudioChunk], hearing: Hearing, place: Place = COMMITTED
    ) -> Utterance:
        """Hear one utterance; raises `EngineBusy`, `EngineTimeout` and what the engine raises."""
        return Utterance(self, self._asr, audio, hearing, place)


class QueuedTts:
    """A voice with its line."""

    def __init__(self, name: str, tts: Tts, limits: EngineLimits = _DEFAULT) -> None:
        self.name = name
        self.limits = limits
        self.line = Line(name, limits.concurrency or _VOICE_PLACES, limits)
        self._tts = tts

    def synthesize(
        self, sentences: AsyncIterator[str], language: str | None = None, place: Place = COMMITTED
    ) -> Speech:
        """Speak the sentences; raises `EngineBusy`, `EngineTimeout` and what the engine raises."""
        return Speech(self, self._tts, sentences, language, place)


class Utterance:
    """One request to a recogniser: open it, then read its transcripts."""

    def __init__(
        self, queue: QueuedAsr, asr: Asr, audio: AsyncIterator[AudioChunk], hearing: Hearing, place: Place
    ) -> None:
        self.waited = 0.0
        self._queue = queue
        self._asr = asr
        self._audio = audio
        self._hearing = hearing
        self._place = place
        self._has_place = False
        self._is_heard = False
        self._deadline = Deadline(f"'{queue.name}'")
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        try:
            if self._queue.limits.while_speaking:
                await self._take_place()
            audio = _Watched(self._audio, ended=self._on_audio_end)
            self._transcripts = await self._stack.enter_async_context(
                self._asr.transcribe(audio, self._hearing)
            )
        except BaseException:
            self._give_place()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        try:
            return await self._stack.__aexit__(kind, error, trace)
        finally:
            self._give_place()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Transcript:
        transcript = await self._deadline.keep(anext(self._transcripts))
        if transcript.final:
            self._is_heard = True
            self._give_place()
        return transcript

    async def _on_audio_end(self) -> None:
        if self._is_heard:
            return
        if not self._has_place:
            await self._take_place()
        self._deadline.start(self._queue.limits.deadline, "gave no transcript")

    async def _take_place(self) -> None:
        self.waited = await self._queue.line.enter(self._place)
        self._has_place = True

    def _give_place(self) -> None:
        if self._has_place:
            self._has_place = False
            self._queue.line.leave()


class Speech:
    """One request to a voice: open it, then read its sound."""

    def __init__(
        self, queue: QueuedTts, tts: Tts, sentences: AsyncIterator[str], language: str | None, place: Place
    ) -> None:
        self.waited = 0.0
        self._queue = queue
        self._tts = tts
        self._sentences = sentences
        self._language = language
        self._place = place
        self._ahead = Ahead(queue.limits.ahead)
        self._deadline = Deadline(f"'{queue.name}'")
        self._owes = True
        """Whether the engine has a sentence whose first sound has not come yet."""
        self._is_idle = False
        """Whether the engine asked for the next sentence and has none."""

    async def __aenter__(self) -> Self:
        self._maker = asyncio.create_task(self._make(), name=f"speech of {self._queue.name}")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._maker.cancel()
        await asyncio.wait((self._maker,))

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AudioChunk:
        return await self._ahead.take()

    async def _make(self) -> None:
        try:
            first = await anext(self._sentences, None)
            if first is not None:
                await self._speak(first)
            self._ahead.end()
        except Exception as error:  # noqa: BLE001  whoever reads the stream gets it
            self._ahead.end(error)

    async def _speak(self, first: str) -> None:
        self.waited = await self._queue.line.enter(self._place)
        try:
            sentences = _Watched(
                self._sentences, first, asked=self._on_asked, given=self._on_given, ended=self._on_end
            )
            async with self._tts.synthesize(sentences, self._language) as chunks:
                self._expect_sound()
                while (chunk := await self._deadline.keep(anext(chunks, None))) is not None:
                    self._on_sound()
                    await self._ahead.put(chunk)
        finally:
            self._queue.line.leave()

    def _expect_sound(self) -> None:
        self._deadline.start(self._queue.limits.deadline, "gave no sound")

    def _on_asked(self) -> None:
        self._is_idle = True
        if not self._owes:
            self._deadline.stop()

    def _on_given(self) -> None:
        self._is_idle = False
        self._owes = True
        self._expect_sound()

    async def _on_end(self) -> None:
        self._is_idle = False
        self._expect_sound()

    def _on_sound(self) -> None:
        self._owes = False
        if self._is_idle:
            self._deadline.stop()
        else:
            self._expect_sound()


class _Watched(Generic[_Item]):
    """An iterator that tells when an item is asked for, given, and when the last was given."""

    def __init__(
        self,
        items: AsyncIterator[_Item],
        first: _Item | None = None,
        *,
        asked: Callable[[], None] | None = None,
        given: Callable[[], None] | None = None,
        ended: Callable[[], Awaitable[None]],
    ) -> None:
        self._items = items
        self._first = first
        self._asked = asked
        self._given = given
        self._ended = ended

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> _Item:
        if self._asked:
            self._asked()
        item, self._first = self._first, None
        if item is None:
            try:
                item = await anext(self._items)
            except StopAsyncIteration:
                await self._ended()
                raise
        if self._given:
            self._given()
        return item
