"""A house of rooms on a clock that jumps: scripted satellites, real rooms, real turns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from typing import Any

from hub import phrases
from hub.bus import Bus
from hub.clock import Clock
from hub.errors import EngineUnavailable
from hub.events import Event
from hub.pipeline.config import Pipeline
from hub.pipeline.context import TurnContext, TurnLimits, TurnRequest
from hub.pipeline.turn import Turn, run_turn
from hub.rooms.config import RoomLimits, SatelliteConfig, WakeConfig
from hub.rooms.lent import Lent
from hub.rooms.rooms import Rooms
from hub.rooms.station import Station
from hub.states import States
from hub.testing import ScriptedRecognizer, ScriptedTts
from hub.testing.fleet import ScriptedSatellite, Tongue, TongueAsr, TongueVad, TongueWake
from hub.values.intent import Match
from hub.values.tool import Caller, Done, Outcome, ToolCall

ENGLISH = phrases.load("en")
LAMP = ToolCall(tool="light.turn_on", id="c1")
WAKE = WakeConfig(engine="words", words={"okay_nabu": "default", "hey_jarvis": "quiet"})


def acting(reply: str) -> Match:
    """Return a match that makes one call."""
    return Match(stage="home", intent="HassTurnOn", calls=(LAMP,), respond=lambda _: reply)


def telling(reply: str) -> Match:
    """Return a match that only answers."""
    return Match(stage="home", intent="HassGetState", respond=lambda _: reply)


SENTENCES: Mapping[str, Any] = {
    "turn on the light": acting("Turned on the light."),
    "tell me a story": telling("Once upon a time there was a king. He had a very long beard. The end."),
    "which light": telling("Which light do you mean?"),
    "stop it": telling("Fine."),
}


class Building:
    """Rooms with everything that they stand on."""

    def __init__(self, configs: Mapping[str, SatelliteConfig], limits: RoomLimits | None = None) -> None:
        self.tongue = Tongue()
        self.bus = Bus()
        self.states = States(self.bus, Clock())
        self.seen: list[Event] = []
        self.said: list[tuple[float, str, str]] = []
        """Loop time, satellite and word of every state of a satellite."""
        self.calls: list[ToolCall] = []
        self.turns: list[Turn] = []
        self.requests: list[TurnRequest] = []
        self.turn_limits = TurnLimits()
        self.asr = TongueAsr(self.tongue)
        self.tts = ScriptedTts()
        self.wake = TongueWake(self.tongue)
        self.engines: dict[str, Any] = {
            "words": self.wake,
            "vad": TongueVad(self.tongue),
            "asr": self.asr,
            "tts": self.tts,
            "home": ScriptedRecognizer(SENTENCES, stage="home"),
        }
        slots: dict[str, Any] = {"vad": "vad", "asr": ("asr",), "intents": ("home",), "tts": ("tts",)}
        self.pipelines = {"default": Pipeline(**slots), "quiet": Pipeline(name="quiet", **slots)}
        self.limits = limits or RoomLimits()
        self._stack = ExitStack()
        self._configs = configs
        self._links: dict[int, ExitStack] = {}

    def engine(self, name: str) -> Any:
        """Return an engine by its name."""
        if name not in self.engines:
            raise EngineUnavailable(f"there is no integration '{name}'")
        return self.engines[name]

    async def turn(self, request: TurnRequest) -> Turn:
        """Run a turn as the hub does, and keep its record."""
        self.requests.append(request)
        context = TurnContext(
            engines=_Engines(self),
            call=self._call,
            bus=self.bus,
            phrases=lambda _: ENGLISH,
            limits=self.turn_limits,
        )
        turn = await run_turn(self.pipelines[request.pipeline], request, context)
        self.turns.append(turn)
        return turn

    async def _call(self, call: ToolCall, _caller: Caller) -> Outcome:
        self.calls.append(call)
        return Done(call=call, targets=("light.lamp",))

    def connect(self, satellite: ScriptedSatellite, instance: str = "pi") -> None:
        """Let an integration bring the satellite."""
        stack = self._links[id(satellite)] = ExitStack()
        stack.enter_context(self.rooms.connect(instance, (satellite,)))

    def withdraw(self, satellite: ScriptedSatellite) -> None:
        """Let the integration take it back."""
        self._links.pop(id(satellite)).close()

    def satellite(self, name: str = "toy", **more: Any) -> ScriptedSatellite:
        """Connect a new satellite."""
        made = ScriptedSatellite(self.tongue, name, **more)
        self.connect(made)
        return made

    def station(self, name: str = "kitchen") -> Station:
        """Return the hub's side of one."""
        return self.rooms.stations[name]

    def word(self, name: str = "kitchen") -> str:
        """Return what the state of a satellite says now."""
        state = self.states.get(f"satellite.{name}")
        return state.state if state else "nothing"

    def words(self, name: str = "kitchen") -> list[str]:
        """Return everything that the state of a satellite said, in order, without repetitions."""
        words = [word for _, satellite, word in self.said if satellite == name]
        return [word for at, word in enumerate(words) if at == 0 or words[at - 1] != word]

    def of(self, kind: type[Event]) -> list[Any]:
        """Return the events of a kind."""
        return [event for event in self.seen if isinstance(event, kind)]

    async def until(self, word: str, name: str = "kitchen", limit: float = 60.0) -> None:
        """Wait until the state of a satellite says this."""
        async with asyncio.timeout(limit):
            while self.word(name) != word:
                await asyncio.sleep(0.02)

    async def talked(self, name: str = "kitchen", limit: float = 60.0) -> None:
        """Wait until a talk has begun and is over."""
        async with asyncio.timeout(limit):
            while self.word(name) == "standby":
                await asyncio.sleep(0.02)
            while self.word(name) != "standby":
                await asyncio.sleep(0.02)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Building]:
        """Hold the rooms open."""
        self._stack.enter_context(self.bus.follow(self._see))
        self.rooms = Rooms(
            self._configs,
            Lent(
                turn=self.turn,
                engines=_Engines(self),
                pipeline=self.pipelines.get,
                language=lambda: "en",
                bus=self.bus,
                states=self.states,
                ledger=None,
                limits=lambda: self.limits,
            ),
        )
        try:
            yield self
        finally:
            await self.rooms.close()
            self._stack.close()

    def _see(self, event: Event) -> None:
        self.seen.append(event)
        new = getattr(event, "new", None)
        if new and new.entity_id.startswith("satellite."):
            now = asyncio.get_running_loop().time()
            self.said.append((now, new.entity_id.removeprefix("satellite."), new.state))


class _Engines:
    """The engines as a turn sees them."""

    def __init__(self, building: Building) -> None:
        self.wake = self.vad = self.asr = self.intents = self.agent = self.tts = building.engine


def kitchen(**more: Any) -> dict[str, SatelliteConfig]:
    """Return a house with one satellite."""
    return {"kitchen": SatelliteConfig(**{"source": "pi", "area": "kitchen", "wake": WAKE, **more})}
