"""One turn of a station while it runs: its task, its sound, and what is known of its words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from hub.events import (
    ReplyAudio,
    SpeechEnded,
    SpeechStarted,
    Transcribed,
    TranscriptChanged,
    TurnEnded,
    TurnEvent,
)
from hub.pipeline.context import Wake
from hub.pipeline.turn import Turn
from hub.rooms.ear import Listening

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What begins a turn."""

    reason: str
    """`wake_word`, `button`, `speech`, `follow_up`, `interruption`; `announcement`, `question` and
    `conversation` where the hub begins."""
    position: int
    """Samples of the microphone before the turn's sound."""
    pipeline: str
    woken: Wake | None = None
    engine: str | None = None
    """The engine that heard the wake word; None: the satellite did, or there was none."""
    patience: float | None = None
    """Seconds to wait for speech; None: as the pipeline says."""


class Course:
    """A running turn. `changed` is set by each event that may decide something."""

    def __init__(
        self, start: Start, sound: Listening | None, held: ExitStack, tell: Callable[[TurnEvent], None]
    ) -> None:
        self.start = start
        self.sound = sound
        self._held = held
        self._tell = tell
        self.task: asyncio.Task[Turn] | None = None
        self.changed = asyncio.Event()
        self.has_words = False
        """Whether a recogniser understood any word."""
        self.has_begun = False
        """Whether somebody speaks, or spoke."""
        self.is_heard = sound is None
        """Whether the utterance is over, and only the answer is to come."""
        self.record: dict[str, object] = {}

    @property
    def is_speaking(self) -> bool:
        """Whether somebody speaks at the moment."""
        return self.has_begun and not self.is_heard

    def listen(self, event: TurnEvent) -> None:
        """Take an event of the turn."""
        if isinstance(event, ReplyAudio):
            return
        if isinstance(event, SpeechStarted):
            self.has_begun = True
        elif isinstance(event, SpeechEnded):
            self.is_heard = True
        elif isinstance(event, (TranscriptChanged, Transcribed)):
            self.has_words = self.has_words or any(map(str.isalnum, event.text))
        elif isinstance(event, TurnEnded):
            self.record = dict(event.record)
        self._tell(event)
        self.changed.set()

    def close(self) -> None:
        """Let go of the microphone."""
        self._held.close()

    async def end(self, limit: float) -> bool:
        """Cancel the turn; returns whether it ended within `limit` seconds."""
        self.close()
        if self.task is None:
            return True
        self.task.cancel()
        await asyncio.wait((self.task,), timeout=limit)
        if self.task.done() and not self.task.cancelled() and (error := self.task.exception()):
            _log.warning("a turn that was ended had failed: %s", error)
        return self.task.done()
