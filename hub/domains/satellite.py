"""Satellites: what they say of themselves, and what they can be asked to say, ask and hear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from voluptuous import Length, Range

from hub.domains.domain import Action, Domain

LONGEST_WAIT = 600.0
"""Seconds that an announcement may wait for its turn at most."""
_LONGEST = 3600.0
"""Seconds after which whatever a satellite was asked for is over; the waits inside end long before."""

Priority = Literal["low", "normal", "high"]
Message = Annotated[str, Length(min=1, max=4000)]
_Wait = Annotated[float, Range(min=1, max=LONGEST_WAIT)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Announce:
    """What is to be said."""

    message: Message
    preannounce: bool = True
    """Whether two notes come before it."""
    priority: Priority = "normal"
    """Which of several that wait comes first."""
    timeout: _Wait = 60.0
    """Seconds it may wait for what is said at the satellite; then it fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartConversation:
    """What the hub begins a conversation with."""

    message: Message
    preannounce: bool = True
    """Whether two notes come before it."""
    priority: Priority = "normal"
    """Which of several that wait comes first."""
    timeout: _Wait = 60.0
    """Seconds it may wait for what is said at the satellite; then it fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedAnswer:
    """An answer that is understood."""

    id: Annotated[str, Length(min=1, max=100)]
    """What the result calls it."""
    sentences: Annotated[tuple[Annotated[str, Length(min=1, max=500)], ...], Length(min=1, max=50)]
    """Templates: `[optional]`, `(one|other)`, and `{slot}` for any words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is to be asked, and what may be answered."""

    question: Message
    answers: Annotated[tuple[ExpectedAnswer, ...], Length(max=50)] = ()
    """What is understood; none: any words are an answer."""
    wait: Annotated[float, Range(min=1, max=60)] = 10.0
    """Seconds for which the microphone waits for an answer to begin."""
    retries: Annotated[int, Range(min=0, max=5)] = 1
    """How often the question is asked again when nobody answers, or nothing that fits."""
    preannounce: bool = True
    """Whether two notes come before it."""
    priority: Priority = "normal"
    """Which of several that wait comes first."""
    timeout: _Wait = 60.0
    """Seconds it may wait for what is said at the satellite; then it fails."""


def _long(name: str, description: str, parameters: type) -> Action:
    return Action(
        name=name, description=description, parameters=parameters, repeatable=False, patience=_LONGEST
    )


SATELLITE = Domain(
    name="satellite",
    description="Microphones and loudspeakers in the rooms; the state is the indicator.",
    states=("off", "standby", "listening", "thinking", "speaking", "watching", "muted"),
    attributes={
        "reason": "why it is so",
        "doing": "what goes on while it is muted",
        "mode": "`wake_word`, `always_listening` or `push_to_talk`",
        "source": "the integration that connects it",
        "device": "its own id",
        "area": "id of the room it stands in",
        "barge_in": "what interrupts the hub there: `speech`, `wake_word` or `none`",
        "abilities": "what it can do",
        "lost_seconds": "sound in which no wake word could be looked for, since the machine was too slow",
    },
    actions=(
        _long("announce", "Say something on satellites, once nobody speaks there.", Announce),
        _long("ask", "Ask a question on a satellite and return the answer.", Ask),
        _long("start_conversation", "Say something on a satellite and listen.", StartConversation),
        Action(name="listen", description="Listen as if the button was pressed.", repeatable=False),
        Action(name="stop", description="End what a satellite says or hears."),
        Action(name="mute", description="Close microphones: not a sound of them is read."),
        Action(name="unmute", description="Let microphones be read again."),
    ),
)
