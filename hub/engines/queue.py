"""Engines as a turn sees them: with a line in front, and a deadline that starts at dispatch.

    asr = QueuedAsr("whisper", asr, EngineLimits())
    async with asr.transcribe(chunks, hearing) as transcripts:
        async for transcript in transcripts: …
        asr_wait = waited(transcripts)

`waited(stream)` are the seconds the request stood in line (0.0 for any stream without a line); it
is settled when the first item arrives. An utterance takes its place when its audio ends: chunks go
through to the engine as they come, and only the end is held back until it is its turn. Speech takes
its place with the first sentence. `place=Place(turn=…, speculative=True)` asks for an early try.
`rehearse` tries an engine that is down on a copy of what another one answers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from hub.audio import AudioChunk
from hub.engines.front import Front
from hub.engines.limits import EngineLimits
from hub.engines.line import COMMITTED, Place
from hub.engines.speech import Speech
from hub.engines.utterance import Utterance
from hub.stages.asr import Asr
from hub.stages.tts import Tts
from hub.values.speech import Hearing

_DEFAULT = EngineLimits()
_VOICE_PLACES = 4
_SPARE = Place(speculative=True)


def waited(stream: object) -> float:
    """Return the seconds the request behind an open stream stood in its engine's line."""
    seconds = getattr(stream, "waited", 0.0)
    return seconds if isinstance(seconds, float) else 0.0


class QueuedAsr(Front):
    """A recogniser with its line."""

    def __init__(
        self,
        name: str,
        asr: Asr,
        limits: EngineLimits = _DEFAULT,
        changed: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(name, limits.concurrency or 1, limits, changed)
        self._asr = asr

    def transcribe(
        self, audio: AsyncIterator[AudioChunk], hearing: Hearing, place: Place = COMMITTED
    ) -> Utterance:
        """Hear one utterance."""
        return Utterance(self, self._asr, audio, hearing, place)

    def rehearse(self, audio: AsyncIterator[AudioChunk], hearing: Hearing) -> None:
        """Try the engine on this utterance, whose words nobody waits for."""
        self.attempt(lambda: self._rehearsed(audio, hearing))

    async def _rehearsed(self, audio: AsyncIterator[AudioChunk], hearing: Hearing) -> None:
        async with self.transcribe(audio, hearing, _SPARE) as transcripts:
            async for transcript in transcripts:
                if transcript.final:
                    return


class QueuedTts(Front):
    """A voice with its line."""

    def __init__(
        self,
        name: str,
        tts: Tts,
        limits: EngineLimits = _DEFAULT,
        changed: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(name, limits.concurrency or _VOICE_PLACES, limits, changed)
        self._tts = tts

    def synthesize(
        self, sentences: AsyncIterator[str], language: str | None = None, place: Place = COMMITTED
    ) -> Speech:
        """Speak the sentences."""
        return Speech(self, self._tts, sentences, language, place)

    def rehearse(self, sentence: str, language: str | None = None) -> None:
        """Try the engine on this sentence, whose sound nobody hears."""
        self.attempt(lambda: self._rehearsed(sentence, language))

    async def _rehearsed(self, sentence: str, language: str | None) -> None:
        async with self.synthesize(_once(sentence), language, _SPARE) as chunks:
            async for _ in chunks:
                pass


async def _once(sentence: str) -> AsyncIterator[str]:
    yield sentence
