"""The sound of an answer, from the first voice that can speak it and those that stand in for it."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from types import TracebackType
from typing import Self

from hub.audio import AudioChunk
from hub.engines.queue import QueuedTts, waited
from hub.errors import EngineError, EngineTimeout
from hub.events import SpeechRequested
from hub.pipeline.chain import Chain
from hub.pipeline.chime import regret
from hub.pipeline.joint import Joint
from hub.pipeline.progress import Progress
from hub.pipeline.tape import Tape
from hub.stages.tts import Tts

_log = logging.getLogger(__name__)


class Voices:
    """Gives sound in one format and never raises; when no voice is left it ends with two falling
    notes, so that the person notices.

    A voice that fails is followed by the next. A sentence of which anything was heard is not said
    again; those after it are, if the voice tells which sentence its sound belongs to. If it does
    not, nobody knows what was heard, and the answer ends there.
    """

    def __init__(self, progress: Progress, sentences: Tape[str]) -> None:
        self.is_whole = True
        """Whether every sentence was spoken, if only in part."""
        self._progress = progress
        self._sentences = sentences
        self._chain: Chain[Tts] | None = None
        self._name = ""
        self._stream: AsyncIterator[AudioChunk] | None = None
        self._first = 0
        """Number of the sentence that the present voice began with."""
        self._next = 0
        """Number of the first sentence that nobody has heard anything of."""
        self._is_lost = False
        """Whether sound came that may belong to any sentence."""
        self._joint = Joint()
        self._ready: deque[AudioChunk] = deque()
        self._is_over = False
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._let_go()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AudioChunk:
        while not self._ready:
            if self._is_over:
                raise StopAsyncIteration
            try:
                await self._advance()
            except Exception as error:  # noqa: BLE001  whatever a voice does, the turn goes on
                await self._fall(error)
        return self._ready.popleft()

    async def _advance(self) -> None:
        """Make the next sound ready; raises whatever the present voice raises."""
        if self._stream is None:
            await self._begin()
            return
        chunk = await self._sound(self._stream)
        if chunk is None:
            self._is_over = True
            self._ready += self._joint.end()
        else:
            self._note(chunk)
            self._ready += self._joint.through(self._counted(chunk))

    async def _begin(self) -> None:
        """Ask the next voice for what nobody has heard yet, and make its first sound ready."""
        progress = self._progress
        if not await self._has_more():
            self._is_over = True
            return
        progress.watch.switch("tts")
        if self._chain is None:
            self._chain = Chain(progress, "tts", progress.context.engines.tts)
        text = await self._sentences.item(self._next)
        link = self._chain.take()
        assert link
        self._name, voice = link
        for resting in self._chain.resting():
            if isinstance(resting, QueuedTts):
                resting.rehearse(text, progress.language)
        progress.tell(SpeechRequested, engine=self._name, text=text)
        await self._ask(voice)

    async def _ask(self, voice: Tts) -> None:
        progress, self._first = self._progress, self._next
        stream = voice.synthesize(self._sentences.read(self._next), progress.language)
        try:
            chunks = await self._stack.enter_async_context(stream)
            first = await self._sound(chunks)
        finally:
            progress.watch.move("tts", "tts_wait", waited(stream))
        if first is None:
            raise EngineError(f"'{self._name}' made no sound")
        progress.engines["tts"] = self._name
        progress.watch.switch("playback")
        self._stream = chunks
        self._note(first)
        self._ready += self._joint.through(self._counted(first))

    async def _fall(self, error: Exception) -> None:
        """Let the present voice go, and turn to the next one if there is anything left for it."""
        progress = self._progress
        await self._let_go()
        self._stream = None
        self._ready += self._joint.cut()
        if self._chain and self._chain.has_more and not self._is_lost:
            progress.pass_over("tts", self._name, error)
            return
        self._is_over, self.is_whole = True, False
        progress.fail("tts", error)
        progress.watch.switch("playback")
        self._ready += self._joint.through(regret())
        self._ready += self._joint.end()

    async def _let_go(self) -> None:
        """Close the present voice; one that fails even at that has failed already."""
        try:
            await self._stack.aclose()
        except Exception as error:  # noqa: BLE001  whatever a voice does, the turn goes on
            _log.debug("'%s' did not close well", self._name, exc_info=error)

    async def _has_more(self) -> bool:
        try:
            await self._sentences.item(self._next)
        except StopAsyncIteration:
            return False
        return True

    def _counted(self, chunk: AudioChunk) -> AudioChunk:
        """Number the chunk's sentence from the first one of the whole answer."""
        if chunk.sentence is None or not self._first:
            return chunk
        return replace(chunk, sentence=self._first + chunk.sentence)

    def _note(self, chunk: AudioChunk) -> None:
        """Take note of which sentence is heard."""
        if chunk.sentence is None:
            self._is_lost = True
        else:
            self._next = max(self._next, self._first + chunk.sentence + 1)

    async def _sound(self, chunks: AsyncIterator[AudioChunk]) -> AudioChunk | None:
        """Return the next sound, or None after the last; raises `EngineTimeout`."""
        limits = self._progress.context.limits
        try:
            async with asyncio.timeout(limits.tts + limits.agent) as timer:
                return await anext(chunks, None)
        except TimeoutError as error:
            if not timer.expired():
                raise
            late = f"'{self._name}' made no sound for {limits.tts:g} s (limits.tts)"
            raise EngineTimeout(late) from error
