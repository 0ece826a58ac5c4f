"""What was heard, and what helps in hearing it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """A wake word was said."""

    word: str
    """For instance `okay_nabu`."""
    samples: int
    """Samples of the stream's audio (16 kHz) up to the end of the frame that told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """Words a recogniser heard so far; the last one of a stream is final."""

    text: str
    final: bool = True
    language: str | None = None
    confidence: float | None = None
    """0 to 1 where the engine says (Whisper: exp of the mean log probability); None: unknown."""
    no_speech: float | None = None
    """The engine's own probability that nobody spoke; None: unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """What a recogniser is told before it listens."""

    language: str | None = None
    phrases: tuple[str, ...] = ()
    """Names and phrases of this house, most telling first; an engine takes what fits its prompt."""
