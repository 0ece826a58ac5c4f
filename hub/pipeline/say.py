"""From sentences to sound that was heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Self

from hub.audio import AudioChunk
from hub.events import ReplyAudio, SpeechFinished, SpeechRequested
from hub.pipeline.heard import heard_part
from hub.pipeline.progress import Progress
from hub.pipeline.tape import Tape
from hub.pipeline.voices import Voices


async def say(progress: Progress, sentences: Tape[str]) -> bool:
    """Speak the sentences, and play them; returns whether all were spoken. Never raises."""
    if not await sentences.filled():
        return True
    async with Voices(progress, sentences) as voices:
        if (first := await anext(voices, None)) is not None:
            sound = _Sound(progress, first, voices)
            try:
                await _play(progress, sound)
            finally:
                speaker = progress.request.speaker
                played = speaker.played if speaker else sound.seconds
                progress.spoken = heard_part(sentences.items, sound.marks, played)
    progress.watch.switch("hub")
    return voices.is_whole


async def play(progress: Progress, chunk: AudioChunk) -> None:
    """Play one sound of the hub's own; never raises."""
    progress.tell(SpeechRequested, engine="chime", text="")
    await _play(progress, _Sound(progress, chunk))
    progress.watch.switch("hub")


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
        late = f"the speaker did not end {limit:g} s after the sound (limits.playback)"
        progress.fail("playback", TimeoutError(late))
    except Exception as error:  # noqa: BLE001  whatever a speaker does, the turn goes on
        progress.fail("playback", error)
    else:
        progress.tell(SpeechFinished, seconds=round(sound.seconds, 3))


class _Sound:
    """What is played: a first chunk and those that follow."""

    def __init__(
        self, progress: Progress, first: AudioChunk, following: AsyncIterator[AudioChunk] | None = None
    ) -> None:
        self._progress = progress
        self._first: AudioChunk | None = first
        self._following = following
        self.seconds = 0.0
        """How long all chunks so far last."""
        self.marks: dict[int | None, float] = {}
        """Seconds by the sentence they belong to, in order."""
        self.at_end: Callable[[], None] = lambda: None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AudioChunk:
        chunk, self._first = self._first, None
        if chunk is None and self._following:
            chunk = await anext(self._following, None)
        if chunk is None:
            self.at_end()
            raise StopAsyncIteration
        self.seconds += chunk.seconds
        self.marks[chunk.sentence] = self.marks.get(chunk.sentence, 0.0) + chunk.seconds
        if self._progress.request.listener:
            self._progress.tell(ReplyAudio, chunk=chunk)
        return chunk
