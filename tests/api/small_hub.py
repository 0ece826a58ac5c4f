"""A small hub with scripted engines: everything behind the API is real but the engines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from hub import domains, phrases
from hub.bus import Bus
from hub.clock import Clock
from hub.door.audit import AuditConfig, open_audit
from hub.door.policy import Policy, Rule
from hub.door.toolbox import Toolbox
from hub.errors import ConfigError, EngineUnavailable, Problem, ToolError
from hub.house import House
from hub.integration import Paths
from hub.pipeline.config import Pipeline
from hub.pipeline.context import TurnContext, TurnRequest
from hub.pipeline.turn import Turn, run_turn
from hub.states import States
from hub.testing import ScriptedAsr, ScriptedRecognizer, ScriptedTts, ScriptedVad, ScriptedWake
from hub.values.house import Area, Floor, Locale
from hub.values.intent import Match
from hub.values.thing import Thing
from hub.values.tool import Target, ToolCall

_Stage = TypeVar("_Stage")
AREAS = (
    Area(id="kitchen", name="Kitchen", floor="ground", aliases=("cooking area",)),
    Area(id="hall", name="Hall"),
)
PIPELINES = {
    "default": Pipeline(name="default", vad="ears", asr=("whisper",), intents=("words",), tts=("voice",)),
    "mute": Pipeline(name="mute", intents=("words",)),
    "broken": Pipeline(name="broken", asr=("gone",), intents=("words",), tts=("voice",)),
}


def light_on(*, text: str = "Lamp is on.") -> Match:
    """Return the match of a sentence that switches the lamp on."""
    call = ToolCall(tool="light.turn_on", target=Target(entities=("light.lamp",)))
    return Match(
        stage="words", intent="HassTurnOn", slots={"name": "lamp"}, calls=(call,), respond=lambda _: text
    )


def answer(text: str) -> Match:
    """Return the match of a question."""
    return Match(stage="words", intent="HassGetState", respond=lambda _: text)


def stuck_light() -> Match:
    """Return the match of a sentence that moves the lamp that cannot be moved."""
    call = ToolCall(tool="light.turn_on", target=Target(entities=("light.stuck",)))

    def respond(outcomes: Any) -> str:
        return "That did not work."

    return Match(stage="words", intent="HassTurnOn", calls=(call,), respond=respond)


@dataclass(slots=True)
class Engines:
    """The stages of the small hub."""

    whisper: ScriptedAsr = field(default_factory=lambda: ScriptedAsr(("turn on the lamp",)))
    voice: ScriptedTts = field(default_factory=ScriptedTts)
    waker: ScriptedWake = field(default_factory=lambda: ScriptedWake(((0.3, "okay_nabu"),)))
    ears: ScriptedVad = field(default_factory=lambda: ScriptedVad.spoken((1.0, 0.5), (0.0, 10.0)))
    words: ScriptedRecognizer = field(
        default_factory=lambda: ScriptedRecognizer(
            {
                "turn on the lamp": light_on(),
                "what time is it?": answer("It is noon."),
                "what time is it": answer("It is noon."),
                "move the stuck lamp": stuck_light(),
            },
            stage="words",
        )
    )

    def wake(self, name: str) -> ScriptedWake:
        return self._found(name, {"waker": self.waker})

    def vad(self, name: str) -> ScriptedVad:
        return self._found(name, {"ears": self.ears})

    def asr(self, name: str) -> ScriptedAsr:
        return self._found(name, {"whisper": self.whisper})

    def tts(self, name: str) -> ScriptedTts:
        return self._found(name, {"voice": self.voice})

    def intents(self, name: str) -> ScriptedRecognizer:
        return self._found(name, {"words": self.words})

    def agent(self, name: str) -> Any:
        return self._found(name, dict[str, Any]())

    def _found(self, name: str, there: Mapping[str, _Stage]) -> _Stage:
        if name not in there:
            raise EngineUnavailable(f"there is no integration '{name}'")
        return there[name]


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration as the API sees it."""

    hub: Locale = field(default_factory=Locale)


@dataclass(slots=True)
class SmallHub:
    """A hub with two lamps, one of which cannot be moved."""

    paths: Paths
    clock: Clock
    bus: Bus
    states: States
    house: House
    toolbox: Toolbox
    registry: Engines = field(default_factory=Engines)
    config: Settings = Settings()
    pipelines: Mapping[str, Pipeline] = field(default_factory=lambda: PIPELINES)
    is_broken: bool = False
    """Whether the next reload finds a wrong configuration."""
    reloads: int = 0
    turns: list[TurnRequest] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    """How each turn ended: its reason, or `cancelled`."""

    async def turn(self, request: TurnRequest) -> Turn:
        self.turns.append(request)
        spoken = phrases.load("en")
        context = TurnContext(
            engines=self.registry, call=self.toolbox.call, bus=self.bus, phrases=lambda _: spoken
        )
        try:
            turn = await run_turn(self.pipelines[request.pipeline], request, context)
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        self.ended.append(turn.reason)
        return turn

    async def reload(self) -> None:
        if self.is_broken:
            raise ConfigError(
                [Problem(path="areas", message="expected a mapping", file="a.yaml", line=3, column=1)]
            )
        self.reloads += 1


@dataclass(slots=True)
class Lamps:
    """What the lamps were told."""

    done: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    hold: asyncio.Event | None = None
    """The lamp waits for it before it acts."""
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    def thing(self, states: States) -> Thing:
        async def perform(action: str, arguments: Mapping[str, Any]) -> None:
            self.begun.set()
            if self.hold:
                await self.hold.wait()
            self.done.append(("light.lamp", action, dict(arguments)))
            states.set("light.lamp", "on" if action == "turn_on" else "off", None)

        return Thing(
            id="light.lamp", name="Lamp", area="kitchen", perform=perform, state="off", aliases=("bulb",)
        )


async def _refuse(action: str, arguments: Mapping[str, Any]) -> None:
    raise ToolError("The lamp is stuck.")


@asynccontextmanager
async def small_hub(data: Path, lamps: Lamps, rules: tuple[Rule, ...] = ()) -> AsyncIterator[SmallHub]:
    """Open a small hub whose files are in `data`."""
    clock, bus = Clock(), Bus()
    states = States(bus, clock)
    house = House(bus, states, (Floor(id="ground", name="Ground floor"),), AREAS)
    things = (lamps.thing(states), Thing(id="light.stuck", name="Stuck lamp", perform=_refuse))
    async with AsyncExitStack() as stack:
        stack.enter_context(house.bring("demo", things))
        audit = await stack.enter_async_context(open_audit(AuditConfig(close_within=0.01), data, clock))
        toolbox = await stack.enter_async_context(
            Toolbox(house=house, bus=bus, audit=audit, policy=Policy(rules, house))
        )
        stack.enter_context(toolbox.add(domains.tools(house)))
        paths = Paths(config=data, data=data, cache=data, run=data)
        yield SmallHub(paths, clock, bus, states, house, toolbox)
