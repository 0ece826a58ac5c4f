"""What the hub lends its rooms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from hub.bus import Bus
from hub.pipeline.config import Pipeline
from hub.pipeline.context import Engines, TurnRequest
from hub.pipeline.turn import Turn
from hub.rooms.arbiter import Arbiter
from hub.rooms.config import RoomLimits
from hub.rooms.indicator import Witness
from hub.rooms.ledger import Ledger
from hub.rooms.wake import WakeDesk
from hub.stages.speaker import PausingSpeaker
from hub.states import States
from hub.values.thing import Thing


def _nowhere(_things: Iterable[Thing]) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lent:
    """What turns, engines and the house are to a room."""

    turn: Callable[[TurnRequest], Awaitable[Turn]]
    """Runs one turn; cancelling it ends the turn, never what a tool does."""
    engines: Engines
    pipeline: Callable[[str], Pipeline | None]
    """`pipeline(name)` returns it as it is configured now."""
    language: Callable[[], str]
    """The language of the house."""
    bus: Bus
    states: States
    ledger: Ledger | None
    """None: nothing is kept."""
    limits: Callable[[], RoomLimits]
    bring: Callable[[Iterable[Thing]], AbstractContextManager[None]] = _nowhere
    """`bring(things)` lets the house know the satellites as things that can be asked for something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What the stations of a house have in common."""

    arbiter: Arbiter
    witnesses: Sequence[Witness]
    """Who has to confirm an indication before sound flows; read anew at each step."""
    desk: Callable[[str], WakeDesk]
    """`desk(engine)` returns the thread of an engine for wake words."""
    voice: Callable[[str], PausingSpeaker | None]
    """`voice(satellite)` returns another satellite's speaker; None: there is no such satellite."""
