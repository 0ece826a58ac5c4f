"""Houses in which everything goes wrong, and nothing stays stuck. `HOUSES=1000` tries so many of them."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from hub.domains.satellite import ExpectedAnswer
from hub.errors import EngineError, EngineUnavailable, ToolError
from hub.events import TurnEnded, TurnStarted
from hub.pipeline.context import TurnLimits
from hub.rooms.config import RoomLimits, SatelliteConfig
from hub.rooms.deeds import Deeds
from hub.stages.satellite import Abilities, MuteSwitched, Pressed, Released, StopPressed
from hub.testing.clock import VirtualLoop
from hub.testing.fleet import ScriptedSatellite
from tests.rooms.rig import WAKE, Building

pytestmark = pytest.mark.virtual_time
HOUSES = int(os.environ.get("HOUSES", "250"))
STREETS = 10
"""Tests that share the houses."""
TROUBLES = 9
"""What happens in one house before it is left in peace."""
TALKING = ("do_ask", "do_talk", "do_cough", "do_press", "do_announce", "do_question")
PEACE = 40.0
"""Seconds after which everything has to be at rest again."""
LIMITS = RoomLimits(listening=20, thinking=8, speaking=20, microphone_gap=2, rouse_first=0.2, rouse_longest=1)
TURNS = TurnLimits(audio_gap=2, asr=5, tts=3, agent=3, playback=2)
ROOMS = {
    "kitchen": SatelliteConfig(source="kitchen", wake=WAKE, follow_up="always", follow_up_wait=1),
    "hall": SatelliteConfig(source="hall", wake=WAKE),
    "attic": SatelliteConfig(source="attic", mode="always_listening"),
    "shed": SatelliteConfig(source="shed", mode="push_to_talk", reply="hall"),
}


class AtOnce(ThreadPoolExecutor):
    """Does the work where it is asked for: threads would cost a thousand houses minutes."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001  it is the future's
            future.set_exception(error)
        return future


class Mischief:
    """Everything that can happen, chosen by a seed."""

    def __init__(self, house: Building, seed: int) -> None:
        self.house = house
        self.chance = random.Random(seed)
        self.toys = {name: self._toy(name) for name in ROOMS}
        self.favourite = self.chance.choice(list(ROOMS))
        """Where most of it happens."""
        self.done: list[str] = []
        self.errands: list[asyncio.Task[Any]] = []

    def _toy(self, name: str) -> ScriptedSatellite:
        able = self.chance.choice(("speech", "wake_word", "none"))
        abilities = Abilities(barge_in=able, can_flush=self.chance.random() < 0.5)  # type: ignore[arg-type]
        toy = ScriptedSatellite(self.house.tongue, name, abilities, chunk=0.256)
        self.house.connect(toy, name)
        return toy

    async def happen(self) -> None:
        """Let one thing happen, then some time pass."""
        name = self.favourite if self.chance.random() < 0.7 else self.chance.choice(list(ROOMS))
        every = [method for method in dir(self) if method.startswith("do_")]
        deed = self.chance.choice(TALKING if self.chance.random() < 0.5 else every)
        self.done.append(f"{deed[3:]}({name})")
        result: Awaitable[None] | None = getattr(self, deed)(name, self.toys[name])
        assert result is None
        await asyncio.sleep(self.chance.choice((0.0, 0.05, 0.3, 1.0, 2.5, 2.5)))

    def do_ask(self, name: str, toy: ScriptedSatellite) -> None:
        said, text = (
            self.house.tongue,
            self.chance.choice(("turn on the light", "tell me a story", "which light")),
        )
        seconds, is_far = self.chance.choice((0.3, 1.0)), self.chance.random() < 0.3
        toy.hear(said.wake(), said.silence(0.2), said.say(text, seconds))
        for other in ("kitchen", "hall"):
            if is_far and other != name:
                self.toys[other].hear(said.wake(loud=500), said.silence(0.2), said.say(text, seconds, 500))

    def do_talk(self, name: str, toy: ScriptedSatellite) -> None:
        toy.hear(self.house.tongue.say("stop it", self.chance.choice((0.5, 3.0))))

    def do_cough(self, name: str, toy: ScriptedSatellite) -> None:
        toy.hear(self.house.tongue.cough(self.chance.choice((0.1, 0.4, 3.0))))

    def do_press(self, name: str, toy: ScriptedSatellite) -> None:
        toy.do(Pressed())
        toy.hear(self.house.tongue.say("stop it"))

    def do_release(self, name: str, toy: ScriptedSatellite) -> None:
        toy.do(Released())

    def do_stop(self, name: str, toy: ScriptedSatellite) -> None:
        toy.do(StopPressed())

    def do_mute(self, name: str, toy: ScriptedSatellite) -> None:
        toy.do(MuteSwitched(not self.house.station(name).indicator.is_muted))

    def do_lose(self, name: str, toy: ScriptedSatellite) -> None:
        toy.lose()
        self.toys[name] = self._toy(name)

    def do_replace(self, name: str, toy: ScriptedSatellite) -> None:
        self.toys[name] = self._toy(name)

    def do_withdraw(self, name: str, toy: ScriptedSatellite) -> None:
        self.house.withdraw(toy)
        self.toys[name] = self._toy(name)

    def do_fail_microphone(self, name: str, toy: ScriptedSatellite) -> None:
        toy.fail_microphone()

    def do_deaden(self, name: str, toy: ScriptedSatellite) -> None:
        toy.microphone.is_still = toy.outlet.is_stuck = True

    def do_break_wake(self, name: str, toy: ScriptedSatellite) -> None:
        self.house.wake.error = EngineUnavailable("gone")

    def do_break_asr(self, name: str, toy: ScriptedSatellite) -> None:
        self.house.asr.error = self.chance.choice((EngineError("broken"), ValueError("a bug")))

    def do_slow_asr(self, name: str, toy: ScriptedSatellite) -> None:
        self.house.tongue.asr_delay = self.chance.choice((1.0, 4.0, 60.0))

    def do_break_vad(self, name: str, toy: ScriptedSatellite) -> None:
        self.house.engines["vad"].error = ValueError("a bug")

    def do_slow_voice(self, name: str, toy: ScriptedSatellite) -> None:
        self.house.tts.delay = self.chance.choice((1.0, 60.0))

    def do_lose_voice(self, name: str, toy: ScriptedSatellite) -> None:
        self.house.engines.pop("tts", None)

    def do_announce(self, name: str, toy: ScriptedSatellite) -> None:
        self._ask_for(name, "announce", message="Dinner is ready, and it will not wait.", timeout=5)

    def do_question(self, name: str, toy: ScriptedSatellite) -> None:
        answers = (ExpectedAnswer(id="light", sentences=("turn on [the] light",)),)
        self._ask_for(name, "ask", question="What now?", answers=answers, wait=2, timeout=5)

    def do_converse(self, name: str, toy: ScriptedSatellite) -> None:
        self._ask_for(name, "start_conversation", message="Hello.", priority="high", timeout=5)

    def do_tool(self, name: str, toy: ScriptedSatellite) -> None:
        self._ask_for(name, self.chance.choice(("listen", "stop", "mute", "unmute")))

    def _ask_for(self, name: str, action: str, **arguments: Any) -> None:
        performing = Deeds(self.house.station(name)).perform(action, arguments)
        self.errands.append(asyncio.ensure_future(performing))

    def make_peace(self) -> None:
        """Mend everything."""
        house = self.house
        house.wake.error = house.asr.error = house.engines["vad"].error = None
        house.tongue.asr_delay, house.tts.delay = 0.2, 0.0
        house.engines["tts"] = house.tts
        for name, toy in self.toys.items():
            toy.microphone.forget()
            toy.microphone.error = None
            if toy.microphone.is_still or toy.outlet.is_stuck:
                self.do_lose(name, toy)
            self.toys[name].do(MuteSwitched(False))


async def _rest(house: Building, what: str) -> None:
    """Wait until every satellite was at rest for a second; fails when that takes too long."""
    rest = {"kitchen": "standby", "hall": "standby", "attic": "listening", "shed": "standby"}
    quiet, left = 0, PEACE
    while quiet < 4 and left > 0:
        await asyncio.sleep(0.25)
        left -= 0.25
        is_still = all(not station.is_talking for station in house.rooms.stations.values())
        words = {name: house.word(name) for name in ROOMS}
        quiet = quiet + 1 if words == rest and is_still else 0
    assert words == rest, what


async def _live_through(seed: int) -> None:
    asyncio.get_running_loop().set_default_executor(AtOnce())
    async with Building(ROOMS, LIMITS).open() as house:
        house.turn_limits = TURNS
        mischief = Mischief(house, seed)
        await asyncio.sleep(0.5)
        for _ in range(TROUBLES):
            await mischief.happen()
        mischief.make_peace()
        what = f"house {seed}: {', '.join(mischief.done)}"
        await _rest(house, what)
        started = [event.turn for event in house.of(TurnStarted)]
        assert sorted(started) == sorted(event.turn for event in house.of(TurnEnded)), what
        assert (house.asr.open, house.tts.open) == (0, 0), what
        ends = [errand.exception() for errand in mischief.errands if errand.done()]
        assert len(ends) == len(mischief.errands), what
        assert all(end is None or isinstance(end, ToolError) for end in ends), f"{what}: {ends}"
        open_now = {name: toy.microphone.open for name, toy in mischief.toys.items()}
        assert open_now == {"kitchen": 1, "hall": 1, "attic": 1, "shed": 0}, what
        before = len(house.turns)
        said = house.tongue
        mischief.toys["hall"].hear(said.wake(), said.silence(0.2), said.say("turn on the light"))
        await house.talked("hall")
        assert [turn.reason for turn in house.turns[before:]] == ["acted"], what
    for _ in range(20):
        await asyncio.sleep(0)
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert not left, f"{what}: {left}"


@pytest.mark.parametrize("street", range(STREETS))
def test_nothing_stays_stuck_whatever_happens(street: int) -> None:
    for seed in range(street, HOUSES, STREETS):
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(_live_through(seed))
