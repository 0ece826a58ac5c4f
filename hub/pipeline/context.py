"""What a turn is asked for, what it may use, and how long it may take."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable
from dataclasses import dataclass, field
from typing import Annotated, Literal, Protocol, get_args

import voluptuous as vol

from hub.audio import AudioChunk
from hub.bus import Bus
from hub.errors import EarnestError
from hub.events import TurnEvent
from hub.intents.repair import Repair
from hub.phrases import Phrases
from hub.stages.agent import Agent
from hub.stages.asr import Asr
from hub.stages.intents import IntentRecognizer
from hub.stages.speaker import Speaker
from hub.stages.tts import Tts
from hub.stages.vad import Vad
from hub.stages.wake import WakeDetector
from hub.values.ids import new_id
from hub.values.session import Session
from hub.values.tool import Call, Caller, Effect, Refused, ToolCall

Stage = Literal["wake", "vad", "asr", "intents", "agent", "tts"]
"""Where a turn may start and end. `wake` waits for a wake word and goes on at `vad`; `vad` finds the
utterance in the audio; a turn that starts at `asr` takes all of its audio for the utterance. `intents`
understands a text, `agent` answers it, `tts` says it."""
STAGES: tuple[Stage, ...] = get_args(Stage)

_Wait = Annotated[float, vol.Range(min=0.1, max=3600.0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """How long each wait of a turn may be."""

    audio_gap: _Wait = 5.0
    """Seconds without any audio after which a microphone or a sender is taken for gone."""
    wake: _Wait = 300.0
    """Seconds of audio in which a turn that starts at `wake` waits for its wake word."""
    wake_late: _Wait = 10.0
    """Seconds of a microphone's audio that are kept for a wake word that is told late."""
    longest_audio: _Wait = 300.0
    """Seconds of audio that a turn listens to; a longer recording is not read to its end."""
    asr: _Wait = 60.0
    """Seconds for the final words after the end of the utterance, the engine's line included."""
    intents: _Wait = 10.0
    """Seconds for understanding a sentence; the first one after a start may have to load a language."""
    tools: _Wait = 120.0
    """Seconds a turn waits for one tool; the tool itself goes on until its own limit."""
    agent: _Wait = 30.0
    """Seconds an agent may be silent, before its first word and between two."""
    longest_reply: Annotated[int, vol.Range(min=100, max=100_000)] = 4_000
    """Characters of an answer; an agent that says more is stopped."""
    tts: _Wait = 60.0
    """Seconds for the next sound of a voice that has a sentence to speak, its line included."""
    playback: _Wait = 10.0
    """Seconds a speaker may take longer than the audio lasts."""
    turn: _Wait = 900.0
    """Seconds for the whole turn."""
    stop: _Wait = 1.0
    """Seconds a turn may go on when the hub stops; then it is cancelled."""


class TurnInvalid(EarnestError):
    """A turn that cannot be run as it was asked for; the text says what is missing."""

    code = "turn-invalid"


class Engines(Protocol):
    """Finds the stages that a pipeline names; raises `EngineUnavailable` with the reason."""

    def wake(self, name: str) -> WakeDetector:
        """Return a detector of wake words."""

    def vad(self, name: str) -> Vad:
        """Return a detector of voice activity."""

    def asr(self, name: str) -> Asr:
        """Return a recogniser."""

    def intents(self, name: str) -> IntentRecognizer:
        """Return who understands sentences."""

    def agent(self, name: str) -> Agent:
        """Return a conversation partner."""

    def tts(self, name: str) -> Tts:
        """Return a voice."""


def _no_vocabulary() -> tuple[str, ...]:
    return ()


def _unknown_effect(_call: ToolCall, _caller: Caller) -> Effect | Refused:
    return Effect.DANGER


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """What the house lends a turn."""

    engines: Engines
    call: Call
    """The one door."""
    bus: Bus
    phrases: Callable[[str], Phrases]
    """`phrases(language)` returns the hub's own sentences; asked often, so it has to be quick."""
    vocabulary: Callable[[], tuple[str, ...]] = _no_vocabulary
    """Names and phrases of this house that help a recogniser to hear."""
    places: Callable[[], tuple[str, ...]] = _no_vocabulary
    """Names of the areas and floors of this house."""
    repair: Repair | None = None
    """Who finds what was meant when a sentence was heard wrong; None: nobody."""
    weigh: Callable[[ToolCall, Caller], Effect | Refused] = _unknown_effect
    """`weigh(call, caller)` tells what a call would do, or that it is not allowed, and does nothing."""
    limits: TurnLimits = TurnLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wake:
    """The wake word that was said."""

    word: str
    """For instance `okay_nabu`."""
    offset: float
    """Seconds of audio before the moment that told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """One turn: what comes in, where it starts and ends, who asks, and where the answer goes."""

    session: Session
    """Who speaks, where, and in which language if the pipeline names none."""
    caller: Caller
    """Who asks; tools are called in this name."""
    text: str | None = None
    """The sentence, for a turn that starts at `intents`, `agent` or `tts`."""
    audio: AsyncIterable[AudioChunk] | None = None
    """Speech in any format, for a turn that starts at `wake`, `vad` or `asr`; read once."""
    is_live: bool = False
    """Whether the audio comes from a microphone, which never ends by itself."""
    wake: str | None = None
    """The engine that listens for wake words, for a turn that starts at `wake`."""
    wake_words: tuple[str, ...] = ()
    """Those it listens for; none are all that it knows."""
    woken: Wake | None = None
    """The wake word that was heard already, before the turn; its end may still be in the audio."""
    patience: float | None = None
    """Seconds a microphone waits for speech to begin; None: as the pipeline's `segment` says."""
    start: Stage | None = None
    """First stage; None: `wake` with an engine for it that has not heard its word yet, `vad` for audio,
    `intents` for text."""
    end: Stage | None = None
    """Last stage; None: `tts`, as far as the pipeline has a voice and speaks."""
    pipeline: str = "default"
    speaker: Speaker | None = None
    """Where the answer is played."""
    listener: Callable[[TurnEvent], None] | None = None
    """Called with every event of the turn, in order and at once, the spoken answer included."""
    id: str = field(default_factory=new_id)

    @property
    def first(self) -> Stage:
        """The stage the turn starts at."""
        if self.start:
            return self.start
        return "wake" if self.wake and not self.woken else "vad" if self.audio is not None else "intents"

    @property
    def last(self) -> Stage:
        """The stage the turn ends at."""
        return self.end or "tts"
