"""What a Wyoming satellite says of itself, and how long each wait for it may be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import voluptuous as vol

_SECONDS = vol.Range(min=0.1, max=3600)
_MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SatelliteLimits:
    """Waits for a satellite, in seconds."""

    ping: Annotated[float, _SECONDS] = 2.0
    """Between two looks whether it is there."""
    pong: Annotated[float, _SECONDS] = 5.0
    """Until it has answered one; then it is taken for gone."""
    played: Annotated[float, _SECONDS] = 1.0
    """After the sound that was sent is over, until it says that it was heard; then that is taken for true."""
    pipeline: Annotated[float, _SECONDS] = 2.0
    """After a wake word that it heard, in which its wish to be listened to means the same word."""
    lead: Annotated[float, vol.Range(min=0.1, max=1.0)] = 0.25
    """Sound that is sent ahead: so long it goes on speaking when it is interrupted."""
    retry: Annotated[float, _SECONDS] = 1.0
    """Pause before a lost satellite is connected again; it doubles each time."""
    retry_longest: Annotated[float, _SECONDS] = 30.0
    """Longest such pause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A satellite as its `info` describes it."""

    id: str
    name: str
    wake_words: tuple[str, ...]
    """Those it hears itself, if it says so."""
    hears_itself: bool
    """Whether it listens for wake words itself."""
    has_vad: bool
    """Whether it sends sound only while somebody speaks."""

    @classmethod
    def read(cls, info: Mapping[str, Any]) -> Device | None:
        """Take what can be understood of an `info` event's data; None: it is no satellite."""
        raw = info.get("satellite")
        if not isinstance(raw, Mapping):
            return None
        name = _text(raw.get("name")) or "satellite"
        words = tuple(_names(raw.get("active_wake_words")))
        models = [model for program in _maps(info.get("wake")) for model in _maps(program.get("models"))]
        known = tuple(word for model in models if (word := _text(model.get("name"))))
        return cls(
            id=name,
            name=name,
            wake_words=(words or known)[:_MOST],
            hears_itself=bool(words or known or _maps(info.get("wake"))),
            has_vad=raw.get("has_vad") is True,
        )


def _text(value: object) -> str | None:
    return value.strip()[:_MOST] or None if isinstance(value, str) else None


def _names(value: object) -> Iterator[str]:
    for one in value if isinstance(value, list) else ():
        if text := _text(one):
            yield text


def _maps(value: object) -> list[Mapping[str, Any]]:
    listed = value if isinstance(value, list) else ()
    return [one for one in listed[:_MOST] if isinstance(one, Mapping)]
