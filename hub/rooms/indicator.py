"""The indicator: a state machine that tells who is listened to, and the gate that makes it true."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from hub.errors import EarnestError
from hub.stages.satellite import Indication

_log = logging.getLogger(__name__)


class Use(Enum):
    """What a listener does with the sound of a microphone."""

    WAKE = "wake"
    """Looks for wake words."""
    DETECT = "detect"
    """Tells speech from everything else; keeps nothing."""
    WORDS = "words"
    """Recognises words, records, or sends the sound on."""


ADMITS: Mapping[Indication, frozenset[Use]] = {
    "off": frozenset(),
    "standby": frozenset((Use.WAKE,)),
    "listening": frozenset(Use),
    "thinking": frozenset((Use.WAKE,)),
    "speaking": frozenset((Use.WAKE, Use.DETECT)),
    "watching": frozenset((Use.WAKE, Use.DETECT)),
    "muted": frozenset(),
    "unavailable": frozenset(),
}
"""Who may hear while the indicator says so."""

_ALWAYS: frozenset[Indication] = frozenset(("off", "unavailable"))
FOLLOWS: Mapping[Indication, frozenset[Indication]] = {
    "off": frozenset(("standby", "listening")),
    "unavailable": frozenset(("standby", "listening")),
    "standby": frozenset(("listening", "thinking", "speaking", "watching")),
    "watching": frozenset(("listening", "speaking", "standby")),
    "listening": frozenset(("thinking", "speaking", "standby")),
    "thinking": frozenset(("speaking", "listening", "standby")),
    "speaking": frozenset(("listening", "thinking", "standby")),
}
"""What may follow what; `off` and `unavailable` may follow everything. `muted` lies over all of these."""


class ImpossibleStep(EarnestError):
    """An indicator was to say something that cannot follow what it says; a fault of the hub."""

    code = "impossible-step"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What an indicator says."""

    satellite: str
    indication: Indication
    reason: str
    doing: Indication
    """What it would say if it were not muted."""


Publish = Callable[[Shown], None]
"""`publish(shown)` returns when the house has taken an indication; raises when it did not."""
Witness = Callable[[Shown], Awaitable[None]]
"""`await witness(shown)` returns when somebody outside, a broker for instance, has taken the indication."""


class Indicator:
    """One satellite's. A step closes the gate for whom it shuts out, then is published, and only then opens
    the gate for whom it lets in. The event loop's thread only."""

    def __init__(
        self, satellite: str, publish: Publish, *, patience: float, witnesses: Sequence[Witness] = ()
    ) -> None:
        self._satellite = satellite
        self._publish = publish
        self._patience = patience
        self._doing: Indication = "off"
        self._is_muted = False
        self._reason = "starting"
        self._open: frozenset[Use] = frozenset()
        self._step = 0
        self._closings: list[Callable[[], None]] = []
        self._witnesses = witnesses
        """Who has to confirm an indication before it lets anybody in; read anew at each step."""
        self._confirming: asyncio.Task[None] | None = None

    @property
    def shown(self) -> Shown:
        """What it says."""
        said: Indication = "muted" if self._is_muted and self._doing not in _ALWAYS else self._doing
        return Shown(satellite=self._satellite, indication=said, reason=self._reason, doing=self._doing)

    @property
    def doing(self) -> Indication:
        """What it says, or would say if it were not muted."""
        return self._doing

    @property
    def is_muted(self) -> bool:
        """Whether the microphone is closed, whatever else goes on."""
        return self._is_muted

    def admits(self, use: Use) -> bool:
        """Whether a listener may be given sound now."""
        return use in self._open

    def at_closing(self, call: Callable[[], None]) -> None:
        """Call `call` after each step that shut somebody out, before the step is published."""
        self._closings.append(call)

    def step(self, indication: Indication, reason: str) -> None:
        """Say this from now on; raises `ImpossibleStep`. Whom it lets in hears after `opened`."""
        if indication != self._doing:
            if indication not in _ALWAYS and indication not in FOLLOWS[self._doing]:
                raise ImpossibleStep(f"{self._satellite} cannot go from {self._doing} to {indication}")
        elif reason == self._reason:
            return
        self._doing, self._reason = indication, reason
        self._tell()

    def mute(self, is_muted: bool, reason: str) -> None:
        """Close the microphone, or allow it to be opened again."""
        if is_muted != self._is_muted:
            self._is_muted, self._reason = is_muted, reason
            self._tell()

    async def opened(self) -> None:
        """Return when the gate is as the indication says: at once, or when its witnesses have confirmed it.

        One that does not within its patience, or fails, is told in the log and waited for no longer.
        """
        if self._confirming:
            await asyncio.wait((self._confirming,))

    def _tell(self) -> None:
        self._step += 1
        step, shown = self._step, self.shown
        wanted = ADMITS[shown.indication]
        is_closing = bool(self._open - wanted)
        self._open &= wanted
        if self._confirming:
            self._confirming.cancel()
            self._confirming = None
        if is_closing:
            for call in self._closings:
                call()
        self._publish(shown)
        if step != self._step or wanted == self._open:
            return
        if self._witnesses:
            name = f"indicator of {self._satellite}"
            self._confirming = asyncio.create_task(self._confirm(shown), name=name)
        else:
            self._open = wanted

    async def _confirm(self, shown: Shown) -> None:
        """Open the gate once everybody who must know of the indication does; a next step cancels this."""
        waiting = [asyncio.ensure_future(witness(shown)) for witness in self._witnesses]
        try:
            done, late = await asyncio.wait(waiting, timeout=self._patience)
        finally:
            for one in waiting:
                one.cancel()
        for one in done:
            if not one.cancelled() and (error := one.exception()):
                _log.warning("'%s' of %s was not confirmed: %s", shown.indication, self._satellite, error)
        if late:
            _log.warning("'%s' of %s was not confirmed in time", shown.indication, self._satellite)
        self._open = ADMITS[shown.indication]
