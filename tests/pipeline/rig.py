"""A house for turns: engines by name, a door that does what it is told, and every event."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hub import phrases
from hub.audio import AudioChunk
from hub.bus import Bus
from hub.errors import EngineUnavailable
from hub.events import Event, TurnEvent
from hub.pipeline.config import Pipeline
from hub.pipeline.turn import Turn, TurnContext, TurnLimits, TurnRequest, run_turn
from hub.testing import ScriptedRecognizer
from hub.values.intent import Match
from hub.values.session import Session
from hub.values.tool import Caller, Done, Outcome, ToolCall

SESSION = Session(id="s1", area="kitchen")
CALLER = Caller(("test:anna",))
ENGLISH = phrases.load("en")
LAMP = ToolCall(tool="light.turn_on", id="c1")


def acting(*calls: ToolCall, reply: str = "Turned on the lamp.") -> Match:
    """Return a match that makes these calls."""
    return Match(stage="home", intent="HassTurnOn", calls=calls or (LAMP,), respond=lambda _: reply)


def telling(reply: str) -> Match:
    """Return a match that only answers."""
    return Match(stage="home", intent="HassGetState", respond=lambda _: reply)


async def recording(pcm: bytes, size: int = 8_192) -> AsyncIterator[AudioChunk]:
    """Give audio as fast as it is read."""
    for start in range(0, len(pcm), size):
        yield AudioChunk(pcm[start : start + size])


@dataclass
class Rig:
    """Everything a turn needs; change what a test is about."""

    engines_by_name: dict[str, Any] = field(default_factory=dict)
    sentences: Mapping[str, Any] = field(default_factory=dict)
    door: Callable[[ToolCall, Caller], Awaitable[Outcome]] | None = None
    limits: TurnLimits = field(default_factory=TurnLimits)
    vocabulary: tuple[str, ...] = ()
    bus: Bus = field(default_factory=Bus)
    seen: list[Event] = field(default_factory=list)
    told: list[TurnEvent] = field(default_factory=list)
    """What the turn's own listener got."""
    calls: list[tuple[ToolCall, Caller]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.engines_by_name.setdefault("home", ScriptedRecognizer(self.sentences, stage="home"))

    def _engine(self, name: str) -> Any:
        if name not in self.engines_by_name:
            raise EngineUnavailable(f"there is no integration '{name}'")
        return self.engines_by_name[name]

    wake = vad = asr = intents = agent = tts = _engine

    async def call(self, call: ToolCall, caller: Caller) -> Outcome:
        """Do it, or what `door` says."""
        self.calls.append((call, caller))
        if self.door:
            return await self.door(call, caller)
        return Done(call=call, targets=("light.lamp",))

    @property
    def context(self) -> TurnContext:
        """What the turn may use."""
        return TurnContext(
            engines=self,
            call=self.call,
            bus=self.bus,
            phrases=lambda _: ENGLISH,
            vocabulary=lambda: self.vocabulary,
            limits=self.limits,
        )

    async def run(self, pipeline: Pipeline | None = None, **asked: Any) -> Turn:
        """Run a turn and keep its events."""
        request = TurnRequest(**{"session": SESSION, "caller": CALLER, "listener": self.told.append, **asked})
        with self.bus.follow(self.seen.append):
            return await run_turn(pipeline or self.pipeline(), request, self.context)

    def pipeline(self, **options: Any) -> Pipeline:
        """Return a pipeline of the engines that are there, with these options."""
        slots: dict[str, Any] = {"intents": ("home",)}
        for slot in ("vad", "agent"):
            if slot in self.engines_by_name:
                slots[slot] = slot
        for slot in ("asr", "tts"):
            if slot in self.engines_by_name:
                slots[slot] = (slot,)
        return Pipeline(**{**slots, **options})

    @property
    def names(self) -> list[str]:
        """The wire names of the events, in order, runs of equal ones as one."""
        names = [event.wire_name for event in self.seen]
        return [name for place, name in enumerate(names) if place == 0 or names[place - 1] != name]


def parts_of(turn: Turn) -> dict[str, float]:
    """Return the timeline in whole milliseconds, without what took none; it has to add up."""
    timeline = dict(turn.timeline)
    total = timeline.pop("total")
    assert sum(round(part * 1000) for part in timeline.values()) == round(total * 1000)
    return {owner: round(part) for owner, part in timeline.items() if round(part)}
