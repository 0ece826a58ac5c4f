"""From sentences to sound that was heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Self

from hub.audio import AudioChunk
from hub.engines.queue import waited
from hub.errors import EngineError, EngineTimeout, EngineUnavailable
from hub.events import ReplyAudio, SpeechFinished, SpeechRequested
from hub.pipeline.progress import Progress
from hub.pipeline.tape import Tape
from hub.stages.tts import Tts


async def say(progress: Progress, sentences: Tape[str]) -> None:
    """Speak the sentences with the first voice that can, and play them; never raises.

    The next voice is asked only while nothing was heard yet, so nothing is said twice.
    """
    if not await sentences.filled():
        return
    failed: Exception = EngineUnavailable(f"pipeline '{progress.pipeline.name}' has no tts")
    for name in progress.pipeline.tts:
        try:
            await _spoken(progress, name, progress.context.engines.tts(name), sentences)
        except Exception as error:  # noqa: BLE001  whatever a voice does, the turn goes on
            failed = error
        else:
            return
        finally:
            progress.watch.switch("hub")
    progress.fail("tts", failed)


async def play(progress: Progress, chunk: AudioChunk) -> None:
    """Play one sound of the hub's own; never raises."""
    progress.tell(SpeechRequested, engine="chime", text="")
    await _play(progress, _Sound(progress, chunk, _Nothing()))
    progress.watch.switch("hub")


async def _spoken(progress: Progress, name: str, voice: Tts, sentences: Tape[str]) -> None:
    """Speak with one voice; raises whatever it raises before its first sound."""
    first_sentence = await sentences.item(0)
    progress.watch.switch("tts")
    progress.tell(SpeechRequested, engine=name, text=first_sentence)
    async with voice.synthesize(sentences.read(), progress.language) as chunks:
        first = await _next(progress, name, chunks)
        if first is None:
            raise EngineError(f"'{name}' made no sound")
        progress.engines["tts"] = name
        progress.watch.move("tts", "tts_wait", waited(chunks))
        await _play(progress, _Sound(progress, first, chunks, name))


async def _next(progress: Progress, name: str, chunks: AsyncIterator[AudioChunk]) -> AudioChunk | None:
    """Return the next sound, or None after the last; raises `EngineTimeout`."""
    limits = progress.context.limits
    try:
        async with asyncio.timeout(limits.tts + limits.agent) as timer:
            return await anext(chunks, None)
    except TimeoutError as error:
        if not timer.expired():
            raise
        raise EngineTimeout(f"'{name}' made no sound for {limits.tts:g} s (limits.turns.tts)") from error


async def _play(progress: Progress, sound: _Sound) -> None:
    """Play the sound to its end, on the speaker if there is one; what fails is told."""
    progress.watch.switch("playback")
    speaker, limit = progress.request.speaker, progress.context.limits.playback
    try:
        async with asyncio.timeout(None) as timer:
            clock = asyncio.get_running_loop().time
            sound.at_end = lambda: timer.reschedule(clock() + sound.seconds + limit)
            if speaker:
                await speaker.play(sound)
            else:
                async for _ in sound:
                    await asyncio.sleep(0)  # a voice that has all its sound at once never waits
    except TimeoutError:
        late = f"the speaker did not end {limit:g} s after the sound (limits.turns.playback)"
        progress.fail("playback", TimeoutError(late))
    except Exception as error:  # noqa: BLE001  whatever a speaker does, the turn goes on
        progress.fail("playback", error)
    else:
        progress.tell(SpeechFinished, seconds=round(sound.seconds, 3))
    if sound.error:
        progress.fail("tts", sound.error)


class _Sound:
    """The chunks of an answer; a voice that fails after the first ends it, and says why."""

    def __init__(
        self,
        progress: Progress,
        first: AudioChunk,
        chunks: AsyncIterator[AudioChunk],
        name: str = "",
    ) -> None:
        self._progress = progress
        self._first: AudioChunk | None = first
        self._chunks = chunks
        self._name = name
        self.seconds = 0.0
        """How long all chunks so far last."""
        self.error: Exception | None = None
        self.at_end: Callable[[], None] = lambda: None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AudioChunk:
        chunk, self._first = self._first, None
        if chunk is None:
            chunk = await self._following()
        if chunk is None:
            self.at_end()
            raise StopAsyncIteration
        self.seconds += chunk.seconds
        if self._progress.request.listener:
            self._progress.tell(ReplyAudio, chunk=chunk)
        return chunk

    async def _following(self) -> AudioChunk | None:
        if self.error:
            return None
        try:
            return await _next(self._progress, self._name, self._chunks)
        except Exception as error:  # noqa: BLE001  what was made so far is still played
            self.error = error
            return None


class _Nothing:
    """No more chunks."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AudioChunk:
        raise StopAsyncIteration
