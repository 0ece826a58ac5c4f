"""`satellite`: a microphone and a speaker in a room, whatever carries their sound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from hub.events import TurnEvent
from hub.stages.microphone import Microphone
from hub.stages.speaker import PausingSpeaker
from hub.stages.stream import Stream

Indication = Literal[
    "off", "standby", "listening", "thinking", "speaking", "watching", "muted", "unavailable"
]
"""What a satellite's indicator says. `standby`: sound goes to the detector of wake words and no further.
`listening`: it goes to a recogniser. `thinking`, `speaking`: to detectors only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What a satellite can do."""

    wake_words: tuple[str, ...] = ()
    """Wake words that it hears itself; none: the hub listens for them."""
    barge_in: Literal["speech", "wake_word", "none"] = "wake_word"
    """What interrupts the hub: `speech` needs a microphone that does not hear its own speaker."""
    can_flush: bool = False
    """Whether sound that was sent but not yet heard can be taken back."""
    has_volume: bool = False
    has_buttons: bool = False
    has_lights: bool = False
    has_timers: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Everything it can do, in words."""
        able = {
            "wake_words": bool(self.wake_words),
            f"barge_in_{self.barge_in}": self.barge_in != "none",
            "flush": self.can_flush,
            "volume": self.has_volume,
            "buttons": self.has_buttons,
            "lights": self.has_lights,
            "timers": self.has_timers,
        }
        return tuple(name for name, is_able in able.items() if is_able)


@dataclass(frozen=True, slots=True, kw_only=True)
class Woken:
    """The satellite itself heard a wake word; its sound from about that moment on is in the microphone."""

    word: str
    level: float | None = None
    """How loud it was, in dBFS; None: unknown."""
    noise: float | None = None
    """How loud the room was before it, in dBFS; None: unknown."""
    score: float | None = None
    """How sure its detector was, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """Somebody pressed the button to talk; `Released` ends the utterance, if it comes."""


@dataclass(frozen=True, slots=True)
class Released:
    """Somebody let go of the button to talk."""


@dataclass(frozen=True, slots=True)
class MuteSwitched:
    """Somebody used the satellite's own switch for its microphone."""

    is_muted: bool


@dataclass(frozen=True, slots=True)
class StopPressed:
    """Somebody wants silence: what is said and what is thought ends."""


SatelliteNews = Woken | Pressed | Released | MuteSwitched | StopPressed


class Satellite(Protocol):
    """A connected satellite, offered by an integration for as long as it is connected.

    `Provides(satellites=…)` offers one that is always there, `with context.offer(Provides(satellites=…))`
    one that comes and goes. After a connection was lost a fresh object is offered; of two that fit one entry
    of `satellites:` the newer one is used.
    """

    @property
    def id(self) -> str:
        """Its own name at the integration, the same after a restart; `device:` in the YAML chooses by it."""

    @property
    def name(self) -> str:
        """What it calls itself, for people."""

    @property
    def abilities(self) -> Abilities:
        """What it can do; does not change while it is connected."""

    @property
    def microphone(self) -> Microphone | None:
        """What it hears with; None: it only plays."""

    @property
    def speaker(self) -> PausingSpeaker | None:
        """What it plays on; None: it only hears."""

    def news(self) -> Stream[SatelliteNews]:
        """What its people do, as it happens; opened once at a time, bounded, the oldest is dropped first."""

    def show(self, indication: Indication, reason: str) -> None:
        """Let its light say this from now on; returns at once and never raises.

        Every turn, however it ends, is followed by another indication than `listening`: a transport
        whose device streams until it is told to stop tells it here.
        """

    def tell(self, event: TurnEvent) -> None:
        """Take notice of what happens in one of its turns (words, speech, the spoken answer); as `show`."""

    async def closed(self) -> str:
        """Return when the connection is lost, with the reason in words for people."""
