"""Looks at the words of an utterance at its short pauses, before it is over: an early end, a head start.

What is found out about a pause is its revision. Speech that goes on drops the revision whole: its
request is withdrawn from the engine, and its words never become the turn's. Nothing here does anything
in the house.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Sequence
from dataclasses import replace
from typing import Any, Literal

from hub.audio import AudioChunk
from hub.engines.line import Place
from hub.engines.queue import QueuedAsr
from hub.errors import EngineError
from hub.events import TranscriptChanged
from hub.intents.extent import Extent, extent
from hub.pipeline.progress import Glimpse, Progress
from hub.stages.asr import Asr
from hub.values.speech import Hearing, Transcript

_log = logging.getLogger(__name__)


class Foresight:
    """What is known of an utterance that may be over. The event loop's thread only."""

    def __init__(self, progress: Progress, name: str, asr: Asr, hearing: Hearing) -> None:
        self._progress = progress
        self._name = name
        self._asr = asr
        self._hearing = hearing
        self._config = progress.pipeline.segment
        self._silences = self._config.silences
        self._glimpse: Glimpse | None = None
        """The one of the present pause."""
        self._work: asyncio.Task[None] | None = None
        self._running: set[asyncio.Task[None]] = set()
        self._heard: asyncio.Future[Transcript | None] | None = None
        """The words of the utterance as it is at the present pause."""
        self._is_live = progress.request.is_live

    def enough(self) -> tuple[float, Literal["silence", "early"]]:
        """Return the seconds of silence that end the utterance now, and the reason of such an end."""
        glimpse, silences = self._glimpse, self._silences
        if glimpse is None or not self._config.early_end or glimpse.fate != "begun":
            return silences.silence, "silence"
        if glimpse.extent == "complete":
            return min(silences.early, silences.silence), "early"
        if glimpse.extent == "open":
            return max(silences.open_silence, silences.silence), "silence"
        return silences.silence, "silence"

    def watch(self, silent: float, audio: Sequence[AudioChunk]) -> None:
        """Take the seconds of silence since the last sound, and the utterance so far."""
        if not silent:
            self._drop()
        elif self._is_live and self._glimpse is None and silent >= self._silences.pause:
            self._look(tuple(audio))

    async def outcome(self) -> Transcript | None:
        """Return the words of the whole utterance, if the last revision has or will have them; waits."""
        glimpse, heard = self._glimpse, self._heard
        if glimpse is None or heard is None:
            return None
        await asyncio.wait((heard,), timeout=self._progress.context.limits.asr)
        transcript = heard.result() if heard.done() else None
        if glimpse.fate == "begun":
            self._note(glimpse.revision, fate="used" if transcript else "late")
        return transcript

    async def close(self) -> None:
        """Withdraw what still runs."""
        self._drop()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _look(self, audio: tuple[AudioChunk, ...]) -> None:
        """Begin a revision, or note why there is none."""
        glimpses = self._progress.glimpses
        if len(glimpses) >= self._config.revisions:
            return
        revision = len(glimpses) + 1
        self._glimpse = Glimpse(revision=revision)
        glimpses.append(self._glimpse)
        so_far = self._progress.heard_so_far
        if so_far:
            self._begin(self._weigh(revision, so_far))
        elif self._config.speculate and _is_idle(self._asr):
            self._heard = asyncio.get_running_loop().create_future()
            self._begin(self._transcribe(revision, audio, self._heard))
        else:
            self._note(revision, fate="busy" if self._config.speculate else "off")

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        self._work = asyncio.create_task(work, name="foresight of a turn")
        self._running.add(self._work)
        self._work.add_done_callback(self._running.discard)

    async def _transcribe(
        self, revision: int, audio: tuple[AudioChunk, ...], heard: asyncio.Future[Transcript | None]
    ) -> None:
        """Find the words so far, then whether they are a whole command."""
        try:
            transcript = await self._words(audio)
        except Exception as error:  # noqa: BLE001  the words are asked for again when the utterance is over
            _log.debug("words at a pause were not found: %s", type(error).__name__)
            self._note(revision, fate="failed")
            if not heard.done():
                heard.set_result(None)
            return
        if heard.done() or not self._is_present(revision):
            return
        heard.set_result(transcript)
        self._progress.tell(TranscriptChanged, text=transcript.text, revision=revision)
        await self._weigh(revision, transcript.text)

    async def _words(self, audio: tuple[AudioChunk, ...]) -> Transcript:
        assert isinstance(self._asr, QueuedAsr)
        place = Place(turn=self._progress.request.id, speculative=True)
        async with self._asr.transcribe(_given(audio), self._hearing, place) as transcripts:
            async for transcript in transcripts:
                if transcript.final:
                    return transcript
        raise EngineError(f"'{self._name}' ended without a transcript")

    async def _weigh(self, revision: int, text: str) -> None:
        """Note the words and whether they are a whole command."""
        self._note(revision, text=text)
        if not self._config.early_end:
            return
        try:
            self._note(revision, extent=await self._extent(text))
        except Exception as error:  # noqa: BLE001  the turn then ends by silence
            _log.debug("nobody can tell whether a command is over: %s", error)

    async def _extent(self, text: str) -> Extent:
        progress, context = self._progress, self._progress.context
        recognizers = [(name, context.engines.intents(name)) for name in progress.pipeline.intents]
        session = replace(progress.request.session, language=progress.language)
        return await extent(recognizers, text, session, context.vocabulary(), context.places())

    def _is_present(self, revision: int) -> bool:
        return self._glimpse is not None and self._glimpse.revision == revision

    def _note(self, revision: int, **news: Any) -> None:
        """Keep what was found out about a revision, unless somebody spoke on."""
        if self._glimpse is not None and self._is_present(revision):
            self._glimpse = replace(self._glimpse, **news)
            self._progress.glimpses[revision - 1] = self._glimpse

    def _drop(self) -> None:
        if self._glimpse is not None and self._glimpse.fate == "begun":
            self._note(self._glimpse.revision, fate="dropped")
        if self._work is not None:
            self._work.cancel()
        self._glimpse = self._work = self._heard = None


def _is_idle(asr: Asr) -> bool:
    """Whether a recogniser has a line, and nobody in it."""
    return isinstance(asr, QueuedAsr) and not (asr.line.running or asr.line.waiting)


async def _given(audio: tuple[AudioChunk, ...]) -> AsyncIterator[AudioChunk]:
    for chunk in audio:
        yield chunk
