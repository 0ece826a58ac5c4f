"""What happened: past tense, frozen, each with one name on the wire (Home Assistant's where it has one)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from hub.audio import AudioChunk
from hub.values.intent import Match, Miss, Repaired
from hub.values.thing import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened."""

    wire_name: ClassVar[str]

    def data(self) -> dict[str, Any]:
        """Return the event's fields as plain values that JSON can carry."""
        return {f.name: plain(getattr(self, f.name)) for f in dataclasses.fields(self)}


def plain(value: Any) -> Any:
    """Return `value` as dicts, lists, strings, numbers and None."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    if dataclasses.is_dataclass(value):
        return {
            f.name: plain(getattr(value, f.name))
            for f in dataclasses.fields(value)
            if not callable(getattr(value, f.name))
        }
    return str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class HubStarted(Event):
    """The hub is ready: integrations were opened (or failed and retry), the API answers."""

    wire_name: ClassVar[str] = "homeassistant_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class HubStopping(Event):
    """The hub ends its turns and closes."""

    wire_name: ClassVar[str] = "homeassistant_stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged(Event):
    """A state or its attributes became others."""

    wire_name: ClassVar[str] = "state_changed"
    entity_id: str
    old: State | None
    """None when the entity is new."""
    new: State | None
    """None when the entity is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseChanged(Event):
    """A thing came or went, or a name, area or alias became another."""

    wire_name: ClassVar[str] = "house_changed"
    things: tuple[str, ...] = ()
    """Ids of the things concerned; empty when areas or floors changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalled(Event):
    """A tool is about to run: policy allowed it and its audit line is durable."""

    wire_name: ClassVar[str] = "call_service"
    call_id: str
    tool: str
    arguments: Mapping[str, Any]
    targets: tuple[str, ...]
    caller: str
    effect: str
    turn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFinished(Event):
    """A tool ended; a refused call ends without `ToolCalled`."""

    wire_name: ClassVar[str] = "call_service_finished"
    call_id: str
    tool: str
    targets: tuple[str, ...]
    caller: str
    ok: bool
    code: str | None = None
    """Stable code when not ok: `denied`, `tool-failed`, `timeout`, …"""
    reason: str | None = None
    seconds: float = 0.0
    turn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsLost(Event):
    """A viewer was too slow; this many events before the next one are missing."""

    wire_name: ClassVar[str] = "events_lost"
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEvent(Event):
    """Something that happened inside a turn."""

    turn: str
    at: float
    """Milliseconds since the turn began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(TurnEvent):
    """A turn began."""

    wire_name: ClassVar[str] = "run-start"
    pipeline: str
    start: str
    """First stage of the turn."""
    end: str
    """Last stage of the turn."""
    session: str
    satellite: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeWordAwaited(TurnEvent):
    """Audio of this turn flows to the detector of wake words, and to nobody else."""

    wire_name: ClassVar[str] = "wake_word-start"
    engine: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeWordDetected(TurnEvent):
    """A wake word was said; from now on the audio is for the recogniser."""

    wire_name: ClassVar[str] = "wake_word-end"
    engine: str
    word: str
    """For instance `okay_nabu`."""
    offset: float
    """Seconds of audio before the moment that told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningStarted(TurnEvent):
    """Audio of this turn now flows to the recogniser."""

    wire_name: ClassVar[str] = "stt-start"
    engine: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStarted(TurnEvent):
    """The speaker began to speak."""

    wire_name: ClassVar[str] = "stt-vad-start"
    offset: float
    """Seconds of audio before the first sound of speech."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechEnded(TurnEvent):
    """The utterance is over."""

    wire_name: ClassVar[str] = "stt-vad-end"
    offset: float
    """Seconds of audio before the last sound of speech."""
    reason: str
    """`silence`, `early` (a complete command), `timeout` (the limit of an utterance), `end-of-audio`,
    `no-speech`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptChanged(TurnEvent):
    """The recogniser's words so far, not yet final."""

    wire_name: ClassVar[str] = "stt-progress"
    text: str
    revision: int = 0
    """The short pause at which they were looked at, from 1, until somebody speaks on; 0: at none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcribed(TurnEvent):
    """The recogniser's final words."""

    wire_name: ClassVar[str] = "stt-end"
    text: str
    engine: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognitionStarted(TurnEvent):
    """A sentence is being understood."""

    wire_name: ClassVar[str] = "intent-start"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyGrew(TurnEvent):
    """An agent's answer grew by this piece of text; pieces are joined at their offset."""

    wire_name: ClassVar[str] = "intent-progress"
    text: str
    offset: int
    """Characters of the answer before this piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentRecognized(TurnEvent):
    """The sentence was understood and done, or no stage took it."""

    wire_name: ClassVar[str] = "intent-end"
    match: Match | None
    misses: tuple[Miss, ...]
    """Every earlier stage with the reason why it did not match."""
    repaired: Repaired | None = None
    """What was understood, or asked about, instead of what was heard."""
    reply: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechRequested(TurnEvent):
    """The answer goes to a voice."""

    wire_name: ClassVar[str] = "tts-start"
    engine: str
    text: str
    """The first sentence, as it is spoken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyAudio(TurnEvent):
    """A piece of the spoken answer; only the turn's own caller gets these."""

    wire_name: ClassVar[str] = "tts-audio"
    chunk: AudioChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechFinished(TurnEvent):
    """The answer was played to its end."""

    wire_name: ClassVar[str] = "tts-end"
    seconds: float
    """How long the answer is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnginePassedOver(TurnEvent):
    """An engine is down, or failed at this turn, and the next one of its chain is asked."""

    wire_name: ClassVar[str] = "engine-passed-over"
    stage: str
    engine: str
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFailed(TurnEvent):
    """A stage failed; the turn ends with a sentence or a sound all the same."""

    wire_name: ClassVar[str] = "error"
    code: str
    message: str
    stage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(TurnEvent):
    """The turn is over; `record` is the whole turn in its wire form."""

    wire_name: ClassVar[str] = "run-end"
    reason: str
    record: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnInterrupted(Event):
    """Somebody broke into a turn; what it does goes on, what it says does not."""

    wire_name: ClassVar[str] = "turn-interrupted"
    satellite: str
    turn: str
    by: str
    """`speech`, `wake-word`, `button`, `stop`, `mute`, `gone`, `stuck`."""
    spoken: str | None
    """What was heard of the reply; None: nothing was to be spoken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptionDismissed(Event):
    """What sounded like somebody breaking in was no words; the reply went on where it was."""

    wire_name: ClassVar[str] = "interruption-dismissed"
    satellite: str
    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeWordYielded(Event):
    """Two satellites heard the same wake word; this one stays silent."""

    wire_name: ClassVar[str] = "wake_word-yielded"
    satellite: str
    word: str
    winner: str
    """The satellite that answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SatelliteStuck(Event):
    """A satellite was found in a state that cannot be, or for too long; it was brought back to rest."""

    wire_name: ClassVar[str] = "satellite-stuck"
    satellite: str
    indication: str
    reason: str
