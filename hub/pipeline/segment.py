"""When an utterance begins and ends: a state machine over frames and their probability of speech."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Literal

import voluptuous as vol

from hub.audio import SPEECH

EndReason = Literal["silence", "early", "timeout", "end-of-audio", "no-speech"]
Ending = Literal["eager", "normal", "patient"]
_Seconds = vol.Range(min=0.0, max=5.0)
_Probability = vol.Range(min=0.0, max=1.0)
_GAP_FRAMES = 2
"""Frames without speech that end a beginning which was no speech after all (a click, a knock)."""


_Wait = vol.Range(min=0.05, max=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Silences:
    """How long the silences of a turn's end are, in seconds."""

    pause: float
    early: float
    silence: float
    open_silence: float


_SILENCES: Mapping[Ending, Silences] = MappingProxyType(
    {
        "eager": Silences(pause=0.15, early=0.25, silence=0.5, open_silence=0.8),
        "normal": Silences(pause=0.2, early=0.3, silence=0.7, open_silence=1.2),
        "patient": Silences(pause=0.3, early=0.6, silence=1.2, open_silence=2.0),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentConfig:
    """`segment:` of a pipeline: when a person begins and ends to speak."""

    threshold: Annotated[float, _Probability] = 0.5
    """Probability of speech from which a frame is speech."""
    keep_threshold: Annotated[float, _Probability] = 0.35
    """Probability below which a frame is silence; between the two, what was before goes on."""
    pre_roll: Annotated[float, _Seconds] = 0.5
    """Seconds before the first sound of speech that the recogniser hears too."""
    min_speech: Annotated[float, _Seconds] = 0.1
    """Seconds of speech that begin an utterance; less is a click."""
    ending: Ending = "normal"
    """How long the silences at the end of an utterance are, where they are not set one by one: `eager`
    0.15, 0.25, 0.5 and 0.8 s, `normal` 0.2, 0.3, 0.7 and 1.2 s, `patient` 0.3, 0.6, 1.2 and 2.0 s for
    `pause`, `early`, `silence` and `open_silence`."""
    pause: Annotated[float | None, _Wait] = None
    """Seconds of silence after which a microphone's words so far are looked at."""
    early: Annotated[float | None, _Wait] = None
    """Seconds of silence that end an utterance whose words are a complete command."""
    silence: Annotated[float | None, _Wait] = None
    """Seconds of silence that end any other utterance."""
    open_silence: Annotated[float | None, _Wait] = None
    """Seconds of silence that end an utterance whose words ask for more, like "set the lamp to"."""
    early_end: bool = True
    """Whether a complete command ends an utterance early, and one that asks for more later."""
    speculate: bool = True
    """Whether transcription starts at a short pause, while the recogniser has nothing else to do."""
    revisions: Annotated[int, vol.Range(min=0, max=100)] = 5
    """Pauses of one utterance at which its words so far are looked at; after so many it just waits."""
    max_utterance: Annotated[float, vol.Range(min=0.5, max=600.0)] = 15.0
    """Seconds after which an utterance ends though somebody still speaks."""
    no_speech_timeout: Annotated[float, vol.Range(min=0.5, max=600.0)] = 5.0
    """Seconds a microphone waits for speech to begin; a recording is searched to its end."""
    before_wake: Annotated[float, _Seconds] = 0.25
    """Seconds before a wake word was told in which a command may have begun: detectors tell up to so long
    after the end of the word. The recogniser hears from the quietest moment in there on."""
    after_wake: Annotated[float, _Seconds] = 0.05
    """Seconds after a wake word was told in which no speech begins: the end of the word itself may be
    heard there. A command that has begun by then is heard from its start."""
    warm_up: Annotated[float, _Seconds] = 2.0
    """Seconds for which a detector may answer nothing (below 0) before that counts as silence."""

    @property
    def silences(self) -> Silences:
        """The silences that hold: those set one by one, the others as `ending` says."""
        usual = _SILENCES[self.ending]
        return Silences(
            pause=usual.pause if self.pause is None else self.pause,
            early=usual.early if self.early is None else self.early,
            silence=usual.silence if self.silence is None else self.silence,
            open_silence=usual.open_silence if self.open_silence is None else self.open_silence,
        )


@dataclass(frozen=True, slots=True)
class Started:
    """Speech began."""

    offset: float
    """Seconds of audio before the first sound of speech."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The utterance is over."""

    offset: float
    """Seconds of audio before the end of the last sound of speech."""
    reason: EndReason


@dataclass(frozen=True, slots=True)
class Step:
    """What one frame brought."""

    audio: tuple[bytes, ...] = ()
    """Frames that belong to the utterance and were not given before, in order."""
    started: Started | None = None
    ended: Ended | None = None


_NOTHING = Step()


class Segmenter:
    """Finds one utterance; what it gives is one contiguous slice of what it was fed."""

    def __init__(self, config: SegmentConfig, frame_samples: int, *, is_live: bool = True) -> None:
        self._config = config
        self.enough = config.silences.silence
        """Seconds of silence that end the utterance now; whoever knows its words may change it."""
        self.ends_as: Literal["silence", "early"] = "silence"
        """The reason of such an end."""
        self._frame = frame_samples / SPEECH.rate
        self._is_live = is_live
        self._frames = 0
        self._kept: deque[bytes] = deque()
        self._pre_roll = round(config.pre_roll / self._frame)
        self._began: int | None = None
        """Number of the first frame of what is or may become speech."""
        self._voiced = 0
        self._gap = 0
        self.last_sound = 0
        """Frames before the end of the last sound of speech."""
        self._silent_since: int | None = None
        self._unheard = 0
        """Frames for which the detector had no answer yet."""
        self._is_speech = False
        self._is_over = False

    @property
    def silent(self) -> float:
        """Seconds of silence since the last sound of speech; 0.0 before speech and while it goes on."""
        since = self._silent_since
        return (self._frames - since) * self._frame if self._is_speech and since is not None else 0.0

    def push(self, frame: bytes, probability: float) -> Step:
        """Take one whole frame and say what it brought; after the end, nothing."""
        if self._is_over:
            return _NOTHING
        probability = self._warm(probability)
        self._frames += 1
        if self._is_speech:
            return self._in_speech(frame, probability)
        self._kept.append(frame)
        return self._before_speech(probability)

    def finish(self, rest: bytes = b"") -> Step:
        """Say that the audio is over; `rest` is what was left of it, less than a frame."""
        if self._is_over:
            return _NOTHING
        self._is_over = True
        if not self._is_speech:
            return Step(ended=Ended(self._offset(), "no-speech"))
        return Step((rest,) if rest else (), ended=Ended(self._offset(), "end-of-audio"))

    def _warm(self, probability: float) -> float:
        """Return the probability, or -1 while the detector is still allowed to have none."""
        if probability >= 0.0:
            return probability
        self._unheard += 1
        return -1.0 if self._unheard * self._frame <= self._config.warm_up else 0.0

    def _before_speech(self, probability: float) -> Step:
        self._count(probability)
        if self._voiced and self._voiced * self._frame >= self._config.min_speech:
            return self._start()
        self._forget()
        waited = self._frames - (self._unheard if self._is_warming() else 0)
        if self._is_live and self._began is None and waited * self._frame >= self._config.no_speech_timeout:
            return self._end("no-speech")
        return _NOTHING

    def _is_warming(self) -> bool:
        return self._unheard * self._frame <= self._config.warm_up

    def _count(self, probability: float) -> None:
        """Count frames of speech that stand close together."""
        if probability >= self._config.threshold:
            if self._began is None:
                self._began = self._frames - 1
            self._voiced += 1
            self._gap = 0
            self.last_sound = self._frames
        elif self._began is not None:
            self._gap += 1
            if self._gap > _GAP_FRAMES:
                self._began, self._voiced, self._gap = None, 0, 0

    def _start(self) -> Step:
        self._is_speech = True
        began = self._began or 0
        self._forget()
        audio = tuple(self._kept)
        self._kept.clear()
        started = Started(began * self._frame)
        over = self._too_long()
        return Step(audio, started, self._end("timeout").ended if over else None)

    def _forget(self) -> None:
        """Drop frames that are too old to be heard."""
        first = self._frames if self._began is None else self._began
        most = self._frames - max(first - self._pre_roll, 0)
        while len(self._kept) > most:
            self._kept.popleft()

    def _in_speech(self, frame: bytes, probability: float) -> Step:
        if probability >= self._config.threshold:
            self._silent_since = None
        elif 0.0 <= probability < self._config.keep_threshold and self._silent_since is None:
            self._silent_since = self._frames - 1
        if self._silent_since is None and probability >= 0.0:
            self.last_sound = self._frames
        if self._is_silent():
            return Step((frame,), ended=self._end(self.ends_as).ended)
        if self._too_long():
            return Step((frame,), ended=self._end("timeout").ended)
        return Step((frame,))

    def _is_silent(self) -> bool:
        return self._silent_since is not None and self.silent >= self.enough

    def _too_long(self) -> bool:
        return (self._frames - (self._began or 0)) * self._frame >= self._config.max_utterance

    def _end(self, reason: EndReason) -> Step:
        self._is_over = True
        return Step(ended=Ended(self._offset(), reason))

    def _offset(self) -> float:
        return self.last_sound * self._frame
