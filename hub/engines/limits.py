"""How much may be asked of an engine at once, and how long it may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import voluptuous as vol


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineLimits:
    """`limits:` of an integration in the YAML."""

    concurrency: Annotated[int, vol.Range(min=1, max=64)] | None = None
    """Requests the engine works on at the same time; not set: 1 for a recogniser, 4 for a voice
    (whose worker takes their sentences one after the other)."""
    waiting: Annotated[int, vol.Range(min=0, max=1000)] = 16
    """Requests that may stand in line; one more is told that the engine is busy."""
    patience: Annotated[float, vol.Range(min=0.1, max=3600)] = 30.0
    """Seconds a request may stand in line before it is told that the engine is busy."""
    deadline: Annotated[float, vol.Range(min=0.1, max=3600)] = 30.0
    """Seconds for a recogniser's answer after the end of the audio, and for a voice's next sound
    while it has a sentence to speak; time in line does not count."""
    while_speaking: bool = False
    """Whether an utterance takes its place when it begins, for recognisers that work while one
    speaks; others take it when the utterance is over."""
    ahead: Annotated[float, vol.Range(min=1, max=3600)] = 120.0
    """Seconds of speech that a voice may make before they are played."""
    cool_down: Annotated[float, vol.Range(min=0.1, max=86_400)] = 30.0
    """Seconds for which an engine that failed, or missed its deadline, is passed over by pipelines
    that have another one; doubles with each failure in a row. Then it gets a copy of what another
    engine works on, and is the first choice again as soon as it answers one."""
    cool_down_longest: Annotated[float, vol.Range(min=0.1, max=86_400)] = 600.0
    """Longest `cool_down`, in seconds."""
