"""Every wait for another process, and every size it may send, by name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WireLimits:
    """What one connection may send and how long it may dawdle."""

    header: int = 64 * 1024
    """Bytes of an event's first line."""
    data: int = 4 * 1024 * 1024
    """Bytes of an event's data (a server with hundreds of voices describes them all at once)."""
    payload: int = 16 * 1024 * 1024
    """Bytes of an event's payload (some voices send their whole answer as one)."""
    half_event: float = 10.0
    """Seconds in which the rest of an event must follow its first byte."""
    send: float = 10.0
    """Seconds in which the other side must take what is sent to it."""
    silent: float = 6.0
    """Seconds after which a machine that confirms nothing any more counts as gone (TCP only)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteLimits:
    """How long a request to another process may take, in seconds."""

    connect: float = 5.0
    """Until a connection stands."""
    describe: float = 10.0
    """Until the server has said what it offers."""
    first: float = 30.0
    """From the end of the audio, or from a sentence, until something comes back."""
    gap: float = 15.0
    """Between two pieces of an answer."""
    ahead: float = 2.0
    """Audio that may wait until a detector takes it."""
    stall: float = 5.0
    """Until a detector that has so much waiting takes some of it."""
    verdict: float = 10.0
    """From the end of the audio until a detector has said whether it found anything."""
    total: float = 120.0
    """From the last that was sent until the whole answer is there."""
    text: int = 20_000
    """Most characters of a transcript or an answer."""
    phrases: int = 200
    """Most names and phrases of the house that are sent along with a request."""
    conversations: int = 200
    """Conversations of which what a server wants to be told again is remembered."""
    context: int = 16 * 1024
    """Most bytes of that."""
    wire: WireLimits = WireLimits()
