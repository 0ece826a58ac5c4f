"""One request to a recogniser, from its line to its words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager
from types import TracebackType
from typing import Self

from hub.audio import AudioChunk
from hub.engines.front import Front
from hub.engines.line import Place
from hub.engines.watched import Watched
from hub.errors import EngineBusy, EngineError
from hub.stages.asr import Asr
from hub.values.speech import Hearing, Transcript


class Utterance:
    """Open it, then read its transcripts; raises `EngineBusy`, `EngineTimeout` and what the engine
    raises. It takes its place in the line when the audio ends, or `while_speaking` at its start."""

    def __init__(
        self, front: Front, asr: Asr, audio: AsyncIterator[AudioChunk], hearing: Hearing, place: Place
    ) -> None:
        self.waited = 0.0
        self._front = front
        self._asr = asr
        self._audio = audio
        self._hearing = hearing
        self._place = place
        self._has_place = False
        self._is_over = False
        """Whether the engine got all the audio."""
        self._is_heard = False
        self._innocent: Exception | None = None
        """What went wrong on our side: the engine is not to blame."""
        self._began = 0.0
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._began = asyncio.get_running_loop().time()
        self._deadline = self._stack.enter_context(self._front.request())
        try:
            with self._judged():
                await self._open()
        except BaseException:
            await self._stack.aclose()
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
        with self._judged():
            try:
                transcript = await self._deadline.keep(anext(self._transcripts))
            except StopAsyncIteration:
                if self._is_heard:
                    raise
                raise EngineError(f"'{self._front.name}' ended without a transcript") from None
            if transcript.final:
                self._take(transcript)
        return transcript

    async def _open(self) -> None:
        limits = self._front.limits
        if limits.while_speaking:
            await self._deadline.keep(self._take_place())
        audio = Watched(self._audio, ended=self._on_audio_end, failed=self._on_audio_failure)
        stream = self._asr.transcribe(audio, self._hearing)
        self._deadline.start(limits.deadline, "did not begin")
        self._transcripts = await self._deadline.keep(self._stack.enter_async_context(stream))
        if not self._is_over:
            self._deadline.stop()

    def _take(self, final: Transcript) -> None:
        """Take note of the final words; what they lack through our fault they are not blamed for."""
        if self._innocent:
            raise self._innocent
        if not self._is_heard:
            self._front.standing.worked()
        self._is_heard = True
        self._give_place()

    @contextmanager
    def _judged(self) -> Iterator[None]:
        """Let the engine's standing take note of what it fails with."""
        try:
            yield
        except StopAsyncIteration:
            raise
        except Exception as error:
            if self._innocent is None and not self._is_heard:
                self._front.blame(error, self._began)
            if self._innocent is None or error is self._innocent:
                raise
            raise self._innocent from error

    async def _on_audio_end(self) -> None:
        if self._is_heard or self._is_over:
            return
        if not self._has_place:
            await self._take_place()
        self._is_over = True
        self._deadline.start(self._front.limits.deadline, "gave no transcript")

    def _on_audio_failure(self, error: Exception) -> None:
        self._innocent = error

    async def _take_place(self) -> None:
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            await self._front.line.enter(self._place)
        except EngineBusy as error:
            self._innocent = error
            self._front.standing.refused()
            raise
        finally:
            self.waited += clock() - began
        self._has_place = True

    def _give_place(self) -> None:
        if self._has_place:
            self._has_place = False
            self._front.line.leave()
