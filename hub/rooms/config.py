"""`satellites:` in the YAML, and how long each wait of a room may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

import voluptuous as vol

Mode = Literal["wake_word", "always_listening", "push_to_talk", "muted"]
BargeIn = Literal["speech", "wake_word", "none"]
EVENT = "event"
"""The `reply:` of a satellite whose answers nobody plays."""

_Seconds = Annotated[float, vol.Range(min=0.0, max=60.0)]
_Wait = Annotated[float, vol.Range(min=0.1, max=3600.0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeConfig:
    """`wake:` of a satellite: who listens for which words, and what each of them begins."""

    engine: str | None = None
    """The integration that listens for wake words; not set: the satellite does that itself."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Wake words, each with the pipeline that it begins; none: every word that is known begins `pipeline`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SatelliteConfig:
    """One satellite, under its id."""

    source: str
    """The integration that it is connected by."""
    device: str | None = None
    """Its own id or name, where the integration brings more than one; not set: any one that comes."""
    area: str | None = None
    """Id of the room it stands in; "the light" means this room's."""
    mode: Mode = "wake_word"
    """`wake_word` waits for one; `always_listening` takes whatever is said; `push_to_talk` reads the
    microphone only after the button was pressed; `muted` never reads it."""
    wake: WakeConfig = field(default_factory=WakeConfig)
    """Wake words."""
    pipeline: str = "default"
    """What a button, speech without a wake word, and a wake word without a pipeline of its own begin."""
    follow_up: Literal["question", "always", "never"] = "question"
    """After which answers the microphone opens again without a wake word: those that ask something, all, or
    none."""
    follow_up_wait: _Seconds = 6.0
    """Seconds for which it then waits for speech to begin."""
    reply: str | None = None
    """Another satellite that plays the answers, or `event`: nobody does, they are only told. Not set: this
    one."""
    barge_in: BargeIn | None = None
    """What interrupts the hub while it speaks; not set: as much as the satellite can do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomLimits:
    """Waits of the rooms, in seconds."""

    arbitration: _Seconds = 0.2
    """How long satellites may tell of the same wake word after the first one did; the loudest is answered."""
    arbitration_late: _Seconds = 0.5
    """How long after that a satellite that tells of the same word is taken for late, and stays silent."""
    heard_before: Annotated[float, vol.Range(min=0.5, max=10.0)] = 3.0
    """Sound of each microphone that is kept, so that a command is heard from its start."""
    behind: Annotated[float, vol.Range(min=0.5, max=60.0)] = 5.0
    """How far a listener may fall behind its microphone before it loses the oldest sound."""
    microphone_gap: Annotated[float, vol.Range(min=1.0, max=3600.0)] = 8.0
    """How long a microphone may give no sound where the hub looks for wake words; then it is opened anew."""
    interruption: _Seconds = 2.0
    """How long the hub is silent when somebody speaks in mid-reply and says no words; then it goes on."""
    indication: _Seconds = 1.0
    """How long whoever must know of an indicator before sound flows may take to confirm it."""
    listening: _Wait = 15.0
    """How much longer than its pipelines allow a satellite may listen to one utterance; then its turn is
    ended."""
    thinking: _Wait = 180.0
    """Longest time without an answer; then the turn is ended."""
    speaking: _Wait = 900.0
    """Longest time of one answer; then the turn is ended."""
    wake_answer: _Wait = 5.0
    """How long a detector of wake words may work on what it was given."""
    rouse_first: _Wait = 1.0
    """Pause after a detector or a microphone failed; it doubles each time."""
    rouse_longest: _Wait = 30.0
    """Longest such pause."""
    announcements: Annotated[int, vol.Range(min=1, max=1000)] = 20
    """How many announcements and questions may wait at one satellite; more are refused."""
    room_stop: _Wait = 1.0
    """How long a room may take to end when the hub stops."""
