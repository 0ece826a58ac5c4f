"""A house with two workers, ears and a voice, in which something goes wrong."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from hub import phrases
from hub.audio import AudioChunk
from hub.bus import Bus
from hub.clock import Clock
from hub.engines.limits import EngineLimits
from hub.events import ReplyAudio, StateChanged, TurnEvent
from hub.house import House
from hub.integration import IntegrationContext, Provides
from hub.pipeline.config import Pipeline
from hub.pipeline.turn import Turn, TurnContext, TurnRequest, run_turn
from hub.registry import Instance, Registry, RegistryLimits
from hub.remote.worker import WorkerLimits, worker
from hub.states import States
from hub.testing import RecordingSpeaker, ScriptedAsr, ScriptedRecognizer, ScriptedTts
from hub.values.intent import Match
from hub.values.session import Session
from hub.values.tool import Caller, Outcome, Tool, ToolCall
from tests.faults.actor import WORDS
from tests.faults.cases import ANSWER
from tests.remote.contexts import context

ACTOR = Path(__file__).with_name("actor.py")
ENGLISH = phrases.load("en")
WHOLE = WorkerLimits(start=30, stop=0.3, line=20, check=0.1, sign=2, pause=0.01, cool_down=1, abandoned=0.2)
"""Short enough to wait for, long enough for a machine that has other work."""
COOL_DOWN = 0.1
"""Seconds for which an engine that failed is passed over where there is a spare."""


@dataclass
class FaultyHouse:
    """Everything a turn needs, with real workers behind `ears` and `voice`."""

    folder: Path
    registry: Registry
    states: States
    bus: Bus
    voice: ScriptedTts = field(default_factory=ScriptedTts)
    pids: dict[str, Callable[[], int | None]] = field(default_factory=dict)
    """How to find the process of a worker."""
    _hummed_before: int = 0

    def cue(self, *lines: str) -> None:
        """Say what is to go wrong next."""
        (self.folder / "cues").write_text("\n".join(lines))

    @property
    def cues(self) -> str:
        """What has not gone wrong yet."""
        return (self.folder / "cues").read_text()

    def state(self, name: str) -> tuple[str, Mapping[str, Any]]:
        """Return the word and the attributes of the instance's state."""
        state = self.states.get(f"integration.{name}")
        assert state
        return state.state, state.attributes

    def process(self, name: str) -> psutil.Process:
        """Return the process of a worker."""
        return psutil.Process(self.pids[name]())

    @property
    def hummed(self) -> list[str]:
        """What the hub's own voice has said in the last turn."""
        return self.voice.sentences[self._hummed_before :]

    async def until(self, true: Callable[[], bool], seconds: float = 30.0) -> None:
        """Wait until it is so; it is looked at after every change of a state."""
        changed = asyncio.Event()
        with self.bus.follow(lambda _: changed.set(), StateChanged):
            async with asyncio.timeout(seconds):
                while not true():
                    changed.clear()
                    await changed.wait()

    async def listen(
        self, audio: AsyncIterator[AudioChunk], has_spare: bool
    ) -> tuple[Turn, list[AudioChunk]]:
        """Run a turn from sound to sound; the ears are the worker's."""
        asr = ("ears", "spare") if has_spare else ("ears",)
        return await self._turn(
            Pipeline(asr=asr, intents=("home",), tts=("spare",)), audio=audio, start="asr"
        )

    async def talk(self, has_spare: bool) -> tuple[Turn, list[AudioChunk]]:
        """Run a turn from text to sound; the voice is the worker's."""
        tts = ("voice", "spare") if has_spare else ("voice",)
        return await self._turn(Pipeline(intents=("home",), tts=tts), text=WORDS)

    async def _turn(self, pipeline: Pipeline, **asked: Any) -> tuple[Turn, list[AudioChunk]]:
        self._hummed_before = len(self.voice.sentences)
        speaker = RecordingSpeaker(is_paced=False)
        request = TurnRequest(
            session=Session(id="s"),
            caller=Caller(("test",)),
            speaker=speaker,
            listener=self._on_event,
            **asked,
        )
        turn = await run_turn(pipeline, request, self._context)
        return turn, list(speaker.chunks)

    def _on_event(self, event: TurnEvent) -> None:
        """Tell the actor when something was heard."""
        if isinstance(event, ReplyAudio):
            (self.folder / "heard").touch()

    @property
    def _context(self) -> TurnContext:
        async def call(call: ToolCall, caller: Caller) -> Outcome:
            raise AssertionError("nothing is to be done in this house")

        return TurnContext(engines=self.registry, call=call, bus=self.bus, phrases=lambda _: ENGLISH)


@asynccontextmanager
async def faulty_house(
    folder: Path, only: str, limits: WorkerLimits, deadline: float, **options: Any
) -> AsyncIterator[FaultyHouse]:
    """Hold the house, with the one worker that the case is about."""
    bus, clock = Bus(), Clock()
    states = States(bus, clock)
    answer = Match(stage="home", intent="Hello", respond=lambda _: ANSWER)
    house = House(bus, states)

    def made(name: str, offer: Any, report: Any, health: Any) -> IntegrationContext:
        plain = context(folder, [], name)
        return dataclasses.replace(plain, offer=offer, report=report, health=health)

    registry = Registry(
        house=house,
        states=states,
        add_tools=_no_tools,
        context=made,
        limits=RegistryLimits(retry_first=2, health_pause=0.01),
        built_in={"home": ScriptedRecognizer({"hello": answer})},
    )
    faulty = FaultyHouse(folder, registry, states, bus)
    faulty.cue(*options.pop("cues", ()))
    told = {"folder": str(folder), "has_child": False, **options}
    instances = [
        _instance("spare", partial(_humming, faulty.voice)),
        _instance(
            only,
            partial(_acting, faulty, only, told, limits),
            EngineLimits(deadline=deadline, cool_down=COOL_DOWN),
        ),
    ]
    await registry.start(instances)
    try:
        yield faulty
    finally:
        await registry.close()


def _instance(name: str, setup: Any, limits: EngineLimits | None = None) -> Instance:
    def opened(_: Any, context: IntegrationContext) -> Any:
        return setup(context)

    return Instance(name=name, type="actor", options=None, limits=limits or EngineLimits(), setup=opened)


@asynccontextmanager
async def _acting(
    house: FaultyHouse, name: str, told: Mapping[str, Any], limits: WorkerLimits, context: IntegrationContext
) -> AsyncIterator[Provides]:
    async with worker(context, ACTOR, told, limits=limits) as service:
        house.pids[name] = lambda: service.pid
        yield Provides(asr=service.asr(), tts=service.tts())


@asynccontextmanager
async def _humming(voice: ScriptedTts, context: IntegrationContext) -> AsyncIterator[Provides]:
    yield Provides(asr=ScriptedAsr((WORDS,)), tts=voice)


@contextmanager
def _no_tools(tools: Iterable[Tool]) -> Iterator[None]:
    yield
