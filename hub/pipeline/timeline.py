"""Where the time of a turn went: at every moment it belongs to exactly one owner."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, get_args

Owner = Literal[
    "wake",
    "capture",
    "end_of_turn",
    "asr_wait",
    "asr",
    "intents",
    "tools",
    "agent",
    "tts_wait",
    "tts",
    "playback",
    "hub",
]
"""`wake`: waiting for the wake word. `capture`: waiting for speech, and speech. `end_of_turn`: the
silence after it that decides. `asr_wait`, `tts_wait`: standing in an engine's line. `asr`: from the end
of the turn to the final words. `tts`: from the first sentence to the first sound. `playback`: until it
was heard. `hub`: all the rest."""

OWNERS: tuple[Owner, ...] = get_args(Owner)


class Stopwatch:
    """Gives each microsecond of a turn to one owner; the parts add up to the whole by construction."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._began = now()
        self._spent = dict.fromkeys(OWNERS, 0)
        self._owner: Owner = "hub"
        self._since = 0

    @property
    def owner(self) -> Owner:
        """Whose the time is now."""
        return self._owner

    @property
    def milliseconds(self) -> float:
        """Time since the turn began."""
        return self._elapsed() / 1000

    def switch(self, owner: Owner) -> None:
        """Let the time from now on be `owner`'s."""
        moment = self._elapsed()
        self._spent[self._owner] += moment - self._since
        self._owner, self._since = owner, moment

    @contextmanager
    def owning(self, owner: Owner) -> Iterator[None]:
        """Let the time be `owner`'s for the block; what took it over meanwhile keeps it."""
        self.switch(owner)
        try:
            yield
        finally:
            if self._owner == owner:
                self.switch("hub")

    def move(self, source: Owner, target: Owner, seconds: float) -> None:
        """Give `seconds` of what `source` had so far to `target`, as much as is there."""
        self.switch(self._owner)
        part = min(max(round(seconds * 1_000_000), 0), self._spent[source])
        self._spent[source] -= part
        self._spent[target] += part

    def record(self) -> dict[str, float]:
        """Return milliseconds by owner, and their `total`."""
        self.switch(self._owner)
        parts: dict[str, float] = {owner: spent / 1000 for owner, spent in self._spent.items()}
        return {**parts, "total": self._since / 1000}

    def _elapsed(self) -> int:
        """Return microseconds since the turn began; they never go back."""
        return max(round((self._now() - self._began) * 1_000_000), self._since)
