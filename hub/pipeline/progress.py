"""A turn while it runs: its events in order, its time, and what it came to so far."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hub.bus import Bus
from hub.errors import EarnestError
from hub.events import EnginePassedOver, ReplyAudio, TurnEvent, TurnFailed
from hub.pipeline.config import Pipeline
from hub.pipeline.context import Stage, TurnContext, TurnRequest, Wake
from hub.pipeline.timeline import Stopwatch
from hub.values.intent import Match, Miss, Repaired
from hub.values.tool import Outcome

_log = logging.getLogger(__name__)

_EARS = frozenset(("wake", "vad", "asr"))
"""Stages without which nothing is heard."""
_MIND = frozenset(("intents", "agent"))
"""Stages without which nothing is understood."""
_LAST_WORD = "Something went wrong."

_Event = TypeVar("_Event", bound=TurnEvent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a stage could not do its part."""

    stage: str
    """A stage, or `tools`, `playback`, `turn`."""
    code: str
    message: str
    engine: str | None = None
    """The engine that was asked; None: none was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What was found in the audio."""

    begins: float
    """Seconds of audio before the first sound of speech."""
    ends: float | None = None
    """Seconds of audio before the end of the last one; None while it goes on."""
    ended_by: str | None = None
    """`silence`, `early` (a complete command), `timeout`, `end-of-audio`; None while it goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Glimpse:
    """What was made of the words at a short pause, before the utterance was over."""

    revision: int
    """Counts the pauses of the utterance, from 1; speech that goes on ends a revision."""
    text: str | None = None
    """The words so far; None: there were none in time."""
    extent: str = "unknown"
    """`complete`, `open` (they ask for more) or `unknown`."""
    fate: str = "begun"
    """`used` for the turn, `dropped` because somebody spoke on or other words were used, `late`, `failed`,
    `busy` (the recogniser had other work) or `off`."""


@dataclass(slots=True, kw_only=True)
class Progress:
    """What the stages of one turn share. The event loop's thread only."""

    pipeline: Pipeline
    request: TurnRequest
    context: TurnContext
    language: str
    watch: Stopwatch = field(default_factory=lambda: Stopwatch(asyncio.get_running_loop().time))
    stage: Stage = "vad"
    """What is at work on the audio."""
    reason: str | None = None
    """Set by the stage that decides how the turn ends."""
    engines: dict[str, str] = field(default_factory=dict)
    """Which engine did its part, by slot."""
    asked: dict[str, str] = field(default_factory=dict)
    """Which engine was asked last, by slot."""
    wake: Wake | None = None
    skipped: float = 0.0
    """Seconds of audio before that in which speech is looked for."""
    utterance: Utterance | None = None
    glimpses: list[Glimpse] = field(default_factory=list)
    heard_so_far: str = ""
    """What a recogniser that writes along told last."""
    transcript: str | None = None
    confidence: float | None = None
    match: Match | None = None
    misses: tuple[Miss, ...] = ()
    repaired: Repaired | None = None
    """What was probably meant, if nobody understood what was heard."""
    outcomes: list[Outcome] = field(default_factory=list)
    reply: str = ""
    spoken: str | None = None
    """What was heard of the reply; None: nothing was to be spoken."""
    failures: list[Failure] = field(default_factory=list)

    @property
    def bus(self) -> Bus:
        """The bus of the hub."""
        return self.context.bus

    def tell(self, event: type[_Event], **fields: Any) -> _Event:
        """Publish an event of this turn, and call the turn's listener with it."""
        told = event(turn=self.request.id, at=self.watch.milliseconds, **fields)
        if not isinstance(told, ReplyAudio):
            self.bus.publish(told)
        if self.request.listener:
            _call(self.request.listener, told)
        return told

    def fail(self, stage: str, error: BaseException) -> Failure:
        """Keep and tell that a stage failed; a programming error goes to the log with its trace."""
        failure = self._keep(stage, error, self.asked.get(stage))
        self.tell(TurnFailed, code=failure.code, message=failure.message, stage=stage)
        return failure

    def has_failed(self, stage: str) -> bool:
        """Whether a failure of this stage was told."""
        return any(failure.stage == stage for failure in self.failures)

    def pass_over(self, stage: str, engine: str, error: BaseException) -> None:
        """Keep and tell that an engine could not do its part and the next one of its chain is asked."""
        failure = self._keep(stage, error, engine)
        self.tell(EnginePassedOver, stage=stage, engine=engine, code=failure.code, message=failure.message)

    def _keep(self, stage: str, error: BaseException, engine: str | None) -> Failure:
        code, message = "failed", type(error).__name__
        if isinstance(error, EarnestError):
            code, message = error.code, str(error)
        elif isinstance(error, TimeoutError):
            code, message = "timeout", str(error) or "that took too long"
        else:
            _log.error("turn %s: %s failed", self.request.id, stage, exc_info=error)
        failure = Failure(stage=stage, code=code, message=message, engine=engine)
        self.failures.append(failure)
        return failure

    def say(self, key: str, **words: Any) -> str:
        """Return one of the hub's own sentences in the language of the turn."""
        try:
            return self.context.phrases(self.language).say(key, **words)
        except Exception:  # noqa: BLE001  a broken phrase file must not leave the person without a word
            _log.exception("the hub's own sentence '%s' is missing in %s", key, self.language)
            return _LAST_WORD

    def apology(self, failure: Failure) -> str:
        """Return the honest sentence for a failure; an engine's own words stand in the record, not in it."""
        if failure.code == "engine-busy":
            return self.say("busy")
        is_deaf = failure.stage in _EARS
        if failure.code == "timeout" or (failure.code == "engine-timeout" and not is_deaf):
            return self.say("timeout")
        if failure.code.startswith("engine-") and (is_deaf or failure.stage in _MIND):
            kind = {"engine-failed": "failed", "engine-timeout": "late"}.get(failure.code, "gone")
            return self.say(f"{'deaf' if is_deaf else 'lost'}_{kind}", part=self.say(failure.stage))
        if failure.code == "failed":
            return self.say("went_wrong")
        return self.say("failed", reason=failure.message)


def _call(listener: Callable[[TurnEvent], None], event: TurnEvent) -> None:
    try:
        listener(event)
    except Exception:  # noqa: BLE001  a listener's bug must not cost the person the turn
        _log.exception("the listener of turn %s failed at %s", event.turn, event.wire_name)
