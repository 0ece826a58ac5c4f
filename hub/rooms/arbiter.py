"""Who answers when several satellites hear the same wake word."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, field

from hub.audio import SPEECH

_QUIET = -60.0
"""dBFS of a room whose noise nobody measured."""
_SILENT = -96.0
"""dBFS of 16-bit silence."""
_STRETCH = 320
"""Samples that are measured together: 20 ms."""
_WORD = 1.0
"""Seconds before the moment that told, in which the word was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A satellite heard a wake word and would answer."""

    satellite: str
    word: str
    level: float | None = None
    """How loud it was, in dBFS; None: unknown."""
    noise: float | None = None
    """How loud the room is without it, in dBFS; None: unknown."""
    score: float | None = None
    """How sure the detector was, 0 to 1."""

    @property
    def ratio(self) -> float:
        """Signal over noise in dB; who does not know its level comes last."""
        if self.level is None:
            return float("-inf")
        return self.level - (_QUIET if self.noise is None else self.noise)


@dataclass(slots=True)
class _Round:
    """One word, said once."""

    claims: list[Claim] = field(default_factory=list)
    winner: asyncio.Future[Claim] | None = None
    ends: float = 0.0
    """Loop time after which the same word is a new one."""


class Arbiter:
    """Decides for the whole house, whatever carries the sound. The event loop's thread only."""

    def __init__(self, window: float, late: float, rivals: Callable[[], int]) -> None:
        self._window = window
        self._late = late
        self._rounds: dict[str, _Round] = {}
        self.rivals = rivals
        """How many satellites listen for wake words; one alone is never kept waiting."""

    async def decide(self, claim: Claim) -> Claim:
        """Return the claim that wins; at once for who is alone, else when the window is over."""
        loop = asyncio.get_running_loop()
        current = self._rounds.get(claim.word)
        if current is None or loop.time() >= current.ends:
            if self.rivals() <= 1:
                return claim
            current = self._rounds[claim.word] = _Round(winner=loop.create_future())
            current.ends = loop.time() + self._window + self._late
            loop.call_later(self._window, self._close, current)
        assert current.winner
        if not current.winner.done():
            current.claims.append(claim)
        return await asyncio.shield(current.winner)

    def _close(self, current: _Round) -> None:
        if current.winner and not current.winner.done():
            current.winner.set_result(best(current.claims))


def best(claims: list[Claim]) -> Claim:
    """Return the claim of who stands nearest: the loudest over its noise, then the surest, then the first."""
    return max(claims, key=lambda claim: (round(claim.ratio, 1), claim.score or 0.0))


def loudness(pcm: bytes) -> tuple[float | None, float | None]:
    """Return how loud the last second was and how loud the quietest tenth of it all, in dBFS.

    None for both when there is hardly any sound. Off the event loop: numpy may have to be loaded.
    """
    import numpy as np

    samples = np.frombuffer(pcm, "<i2", len(pcm) // SPEECH.frame_bytes).astype(np.float64)
    count = len(samples) // _STRETCH
    if not count:
        return None, None
    powers = np.mean(samples[: count * _STRETCH].reshape(count, _STRETCH) ** 2, axis=1)
    last = np.sort(powers[-round(_WORD * SPEECH.rate / _STRETCH) :])
    loud, quiet = last[-max(1, len(last) // 4) :], np.sort(powers)[: max(1, count // 10)]
    return _decibels(float(loud.mean())), _decibels(float(quiet.mean()))


def _decibels(power: float) -> float:
    return max(10 * math.log10(power / 32_768**2), _SILENT) if power else _SILENT
