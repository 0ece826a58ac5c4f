"""One request to a voice, from its line to its sound."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Self

from hub.audio import AudioChunk
from hub.engines.ahead import Ahead
from hub.engines.front import Front
from hub.engines.line import Place
from hub.engines.watched import Watched
from hub.errors import EngineBusy, EngineError
from hub.stages.tts import Tts


class Speech:
    """Open it, then read its sound; raises `EngineBusy`, `EngineTimeout` and what the engine raises,
    after everything it made before. It takes its place in the line with the first sentence."""

    def __init__(
        self, front: Front, tts: Tts, sentences: AsyncIterator[str], language: str | None, place: Place
    ) -> None:
        self.waited = 0.0
        self._front = front
        self._tts = tts
        self._sentences = sentences
        self._language = language
        self._place = place
        self._ahead = Ahead(front.limits.ahead)
        self._owes = True
        """Whether the engine has a sentence whose first sound has not come yet."""
        self._is_idle = False
        """Whether the engine asked for the next sentence and has none."""
        self._is_silent = True
        self._innocent: Exception | None = None
        """What went wrong on our side: the engine is not to blame."""
        self._began = 0.0

    async def __aenter__(self) -> Self:
        self._maker = asyncio.create_task(self._make(), name=f"speech of {self._front.name}")
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
        self._began = asyncio.get_running_loop().time()
        with self._front.request() as self._deadline:
            await self._deadline.keep(self._take_place())
            try:
                with self._judged():
                    await self._sound(first)
            finally:
                self._front.line.leave()

    async def _sound(self, first: str) -> None:
        sentences = Watched(
            self._sentences,
            first,
            asked=self._on_asked,
            given=self._on_given,
            ended=self._on_end,
            failed=self._on_failure,
        )
        self._expect_sound()
        stream = self._tts.synthesize(sentences, self._language)
        async with AsyncExitStack() as stack:
            chunks = await self._deadline.keep(stack.enter_async_context(stream))
            self._expect_sound()
            while (chunk := await self._deadline.keep(anext(chunks, None))) is not None:
                self._on_sound()
                await self._ahead.put(chunk)
                self._go_on()
        if self._innocent:
            raise self._innocent
        if self._is_silent:
            raise EngineError(f"'{self._front.name}' made no sound")
        self._front.standing.worked()

    @contextmanager
    def _judged(self) -> Iterator[None]:
        """Let the engine's standing take note of what it fails with."""
        try:
            yield
        except Exception as error:
            if self._innocent is None:
                self._front.blame(error, self._began)
            if self._innocent is None or error is self._innocent:
                raise
            raise self._innocent from error

    async def _take_place(self) -> None:
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            await self._front.line.enter(self._place)
        except EngineBusy:
            self._front.standing.refused()
            raise
        finally:
            self.waited += clock() - began

    def _expect_sound(self) -> None:
        self._deadline.start(self._front.limits.deadline, "gave no sound")

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

    def _on_failure(self, error: Exception) -> None:
        self._innocent = error

    def _on_sound(self) -> None:
        self._owes = self._is_silent = False
        if self._is_idle:
            self._deadline.stop()

    def _go_on(self) -> None:
        """Count from now, after what may have been a wait for the player."""
        if self._owes or not self._is_idle:
            self._expect_sound()
