"""The engines of one slot, in the order in which a turn asks them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, Literal, TypeVar

from hub.engines.front import Front, standing_of
from hub.errors import EngineDown, EngineUnavailable
from hub.pipeline.progress import Progress

_Engine = TypeVar("_Engine")


class Chain(Generic[_Engine]):
    """Gives the first engine that is up, and when none is left, the first that is down: to try it is
    better than to refuse. Every engine that is passed over is told with its reason."""

    def __init__(
        self, progress: Progress, slot: Literal["asr", "tts"], find: Callable[[str], _Engine]
    ) -> None:
        """`find(name)` raises `EngineUnavailable` for an engine that is not there.

        Raises the last of these when none is.
        """
        self._progress = progress
        self._slot = slot
        self._left: list[tuple[str, _Engine]] = []
        self._told: set[str] = set()
        missing: list[tuple[str, EngineUnavailable]] = []
        for name in getattr(progress.pipeline, slot):
            try:
                self._left.append((name, find(name)))
            except EngineUnavailable as error:
                missing.append((name, error))
        none = self._none(missing) if not self._left else None
        for name, absence in missing:
            progress.pass_over(slot, name, absence)
        if none:
            raise none

    @property
    def has_more(self) -> bool:
        """Whether there is an engine that was not asked yet."""
        return bool(self._left)

    def take(self) -> tuple[str, _Engine] | None:
        """Return the next engine to ask, with its name; None when all were asked."""
        if not self._left:
            return None
        chosen = next((link for link in self._left if not _why_down(link[1])), self._left[0])
        for name, engine in self._before(chosen):
            if name not in self._told:
                self._told.add(name)
                why = EngineDown(f"'{name}' is down: {_why_down(engine)}")
                self._progress.pass_over(self._slot, name, why)
        self._left.remove(chosen)
        self._progress.asked[self._slot] = chosen[0]
        return chosen

    def resting(self) -> Iterator[_Engine]:
        """Give the engines that are down and may now be tried on a copy of the work."""
        for _, engine in self._left:
            if isinstance(engine, Front) and engine.may_be_tried:
                yield engine

    def _none(self, missing: list[tuple[str, EngineUnavailable]]) -> EngineUnavailable:
        """Take the last of those that are missing for the reason why there is nobody to ask."""
        if not missing:
            return EngineUnavailable(f"pipeline '{self._progress.pipeline.name}' has no {self._slot}")
        self._progress.asked[self._slot], error = missing.pop()
        return error

    def _before(self, chosen: tuple[str, _Engine]) -> list[tuple[str, _Engine]]:
        return self._left[: self._left.index(chosen)]


def _why_down(engine: object) -> str | None:
    standing = standing_of(engine)
    return standing.why_down if standing else None
