"""The indicator: what may follow what, and that nobody hears unless it says so."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.audio import AudioChunk
from hub.errors import AudioError
from hub.rooms.ear import Ear, Listening
from hub.rooms.indicator import ADMITS, FOLLOWS, ImpossibleStep, Indicator, Shown, Use
from hub.stages.satellite import Indication

pytestmark = pytest.mark.virtual_time
CHUNK = AudioChunk(bytes(2_048))


def indicator(told: list[Shown]) -> Indicator:
    return Indicator("kitchen", told.append, patience=1.0)


def test_every_word_has_its_rules() -> None:
    words = set(get_args(Indication))
    assert set(ADMITS) == words
    assert set(FOLLOWS) == words - {"muted"}
    assert all(Use.WORDS not in ADMITS[word] for word in words - {"listening"})
    assert not ADMITS["muted"] | ADMITS["off"] | ADMITS["unavailable"]
    assert all(FOLLOWS[word] >= {"standby"} for word in FOLLOWS if word != "standby")


def test_what_cannot_follow_is_refused_and_changes_nothing() -> None:
    told: list[Shown] = []
    light = indicator(told)
    with pytest.raises(ImpossibleStep, match="cannot go from off to speaking"):
        light.step("speaking", "reply")
    assert (light.doing, told) == ("off", [])


async def test_the_gate_opens_after_the_word_is_told_and_shuts_before() -> None:
    seen: list[tuple[str, bool]] = []
    light: Indicator

    def publish(shown: Shown) -> None:
        seen.append((shown.indication, light.admits(Use.WORDS)))

    light = Indicator("kitchen", publish, patience=1.0)
    light.step("listening", "wake_word")
    assert light.admits(Use.WORDS)
    light.step("thinking", "silence")
    light.step("listening", "follow_up")
    light.mute(True, "switch")
    assert seen == [("listening", False), ("thinking", False), ("listening", False), ("muted", False)]


async def test_a_house_that_refuses_to_take_the_word_gets_no_sound_heard() -> None:
    def refuse(shown: Shown) -> None:
        raise OSError("no bus")

    light = Indicator("kitchen", refuse, patience=1.0)
    with pytest.raises(OSError, match="no bus"):
        light.step("listening", "wake_word")
    assert not light.admits(Use.WORDS)


async def test_the_gate_waits_for_its_witnesses_but_not_for_ever() -> None:
    confirmed = asyncio.Event()

    async def witness(shown: Shown) -> None:
        await confirmed.wait()

    light = Indicator("kitchen", lambda shown: None, patience=1.0, witnesses=(witness,))
    light.step("listening", "wake_word")
    await asyncio.sleep(0.5)
    assert not light.admits(Use.WORDS)
    confirmed.set()
    await light.opened()
    assert light.admits(Use.WORDS)
    confirmed.clear()
    light.step("standby", "ended")
    assert light.admits(Use.WAKE)
    light.step("listening", "wake_word")
    started = asyncio.get_running_loop().time()
    await light.opened()
    assert asyncio.get_running_loop().time() - started == pytest.approx(1.0)
    assert light.admits(Use.WORDS)


async def test_a_witness_that_fails_is_told_and_passed_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def witness(shown: Shown) -> None:
        raise OSError("no broker")

    light = Indicator("kitchen", lambda shown: None, patience=1.0, witnesses=(witness,))
    light.step("listening", "wake_word")
    await light.opened()
    assert light.admits(Use.WORDS)
    assert "'listening' of kitchen was not confirmed: no broker" in caplog.text


async def test_a_late_witness_does_not_open_what_was_shut_meanwhile() -> None:
    confirmed = asyncio.Event()

    async def witness(shown: Shown) -> None:
        await confirmed.wait()

    light = Indicator("kitchen", lambda shown: None, patience=1.0, witnesses=(witness,))
    light.step("listening", "wake_word")
    await asyncio.sleep(0)
    light.mute(True, "switch")
    confirmed.set()
    await asyncio.sleep(2)
    await light.opened()
    assert not light.admits(Use.WORDS)


class House:
    """One ear, its indicator, and listeners that are read whenever hypothesis says."""

    def __init__(self) -> None:
        self.said: Indication = "off"
        """What the house was told last."""
        self.light = Indicator("kitchen", self._take, patience=1.0)
        self.ear = Ear(self.light, kept=1.0, behind=2.0)
        self.listeners: list[Listening] = []
        self.stack = ExitStack()
        self.given = 0

    def _take(self, shown: Shown) -> None:
        self.said = shown.indication

    def step(self, word: Indication) -> None:
        try:
            self.light.step(word, "any")
        except ImpossibleStep:
            assert word not in FOLLOWS[self.light.doing]

    def listen(self, use: Use, since: int | None) -> None:
        if len(self.listeners) < 6:
            self.listeners.append(self.stack.enter_context(self.ear.listen(use, since)))

    async def read(self) -> None:
        """Read what every listener would be given at this very moment."""
        for listener in self.listeners:
            reading = asyncio.ensure_future(_next(listener))
            for _ in range(3):
                await asyncio.sleep(0)
            if not reading.done():
                reading.cancel()
                await asyncio.wait((reading,))
            elif reading.result() is not None:
                self.given += 1
                assert listener.use in ADMITS[self.said], (listener.use, self.said)


async def _next(listener: Listening) -> AudioChunk | None:
    try:
        return await anext(listener, None)
    except AudioError:
        return None


_STEPS = st.one_of(
    st.tuples(st.just("step"), st.sampled_from([word for word in get_args(Indication) if word != "muted"])),
    st.tuples(st.just("mute"), st.booleans()),
    st.tuples(st.just("sound"), st.integers(1, 4)),
    st.tuples(st.just("listen"), st.sampled_from(list(Use))),
    st.tuples(st.just("listen before"), st.sampled_from(list(Use))),
    st.tuples(st.just("read"), st.none()),
    st.tuples(st.just("end"), st.none()),
)


@contextmanager
def _house() -> Iterator[House]:
    house = House()
    try:
        yield house
    finally:
        house.stack.close()


async def _play(steps: list[tuple[str, object]]) -> int:
    with _house() as house:
        for kind, value in steps:
            if kind == "step":
                house.step(value)  # type: ignore[arg-type]
            elif kind == "mute":
                house.light.mute(bool(value), "switch")
            elif kind == "sound":
                for _ in range(int(str(value))):
                    house.ear.hear(CHUNK)
            elif kind.startswith("listen"):
                house.listen(value, 0 if kind == "listen before" else None)  # type: ignore[arg-type]
            elif kind == "end":
                house.ear.forget("gone")
            await house.read() if kind == "read" else None
        await house.read()
        return house.given


@settings(max_examples=100, deadline=None)
@given(st.lists(_STEPS, max_size=40))
def test_no_frame_reaches_anybody_while_the_indicator_says_otherwise(steps: list[tuple[str, object]]) -> None:
    asyncio.run(_play(steps))


async def test_the_property_above_sees_frames_at_all() -> None:
    script: list[tuple[str, object]] = [("step", "standby"), ("step", "listening"), ("listen", Use.WORDS)]
    assert await _play([*script, ("sound", 3)]) == 1
    assert await _play([*script, ("sound", 3), ("step", "thinking")]) == 0
