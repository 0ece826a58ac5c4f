"""Who answers when several satellites hear the same wake word."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.events import WakeWordYielded
from hub.rooms.arbiter import Arbiter, Claim, best, loudness
from hub.rooms.config import SatelliteConfig, WakeConfig
from hub.stages.satellite import Abilities, Woken
from hub.testing.fleet import ScriptedSatellite, Tongue
from tests.rooms.rig import WAKE, Building

pytestmark = pytest.mark.virtual_time


def rooms(*names: str) -> dict[str, SatelliteConfig]:
    return {name: SatelliteConfig(source=name, area=name, wake=WAKE) for name in names}


async def furnished(house: Building, *names: str) -> list[ScriptedSatellite]:
    toys = [ScriptedSatellite(house.tongue, name) for name in names]
    for toy in toys:
        house.connect(toy, toy.id)
        await house.until("standby", toy.id)
    return toys


async def test_the_loudest_answers_whoever_was_first_and_the_others_stay_silent() -> None:
    async with Building(rooms("kitchen", "hall", "attic")).open() as house:
        said = house.tongue
        for at, toy in enumerate(await furnished(house, "kitchen", "hall", "attic")):
            toy.hear(said.silence(1 + 0.06 * at), said.wake(loud=1_000 * (at + 1)), said.silence(0.3))
            toy.hear(said.say("turn on the light"))
        await house.talked("attic")
        assert [request.session.area for request in house.requests] == ["attic"]
        assert len(house.calls) == 1
        assert house.words("kitchen") == house.words("hall") == ["unavailable", "standby"]
        yielded = {(event.satellite, event.winner) for event in house.of(WakeWordYielded)}
        assert yielded == {("kitchen", "attic"), ("hall", "attic")}


async def test_one_satellite_alone_waits_for_nobody() -> None:
    async with Building(rooms("kitchen")).open() as house:
        (toy,) = await furnished(house, "kitchen")
        toy.hear(house.tongue.wake(), house.tongue.say("turn on the light"))
        started = asyncio.get_running_loop().time()
        await house.until("listening")
        assert asyncio.get_running_loop().time() - started <= 0.6 + 2 * 0.064 + 0.02


async def test_two_decide_within_250_milliseconds_and_lose_no_sound() -> None:
    async with Building(rooms("kitchen", "hall")).open() as house:
        near, _ = await furnished(house, "kitchen", "hall")
        near.hear(house.tongue.wake(), house.tongue.say("turn on the light", 0.5))
        started = asyncio.get_running_loop().time()
        await house.until("listening")
        assert asyncio.get_running_loop().time() - started <= 0.6 + 2 * 0.064 + 0.25
        await house.until("standby")
        assert house.turns[0].transcript == "turn on the light"


async def test_other_words_in_other_rooms_are_other_people() -> None:
    async with Building(rooms("kitchen", "hall")).open() as house:
        one, other = await furnished(house, "kitchen", "hall")
        said = house.tongue
        one.hear(said.wake("okay_nabu"), said.silence(0.2), said.say("turn on the light"))
        other.hear(said.wake("hey_jarvis"), said.silence(0.2), said.say("stop it"))
        await house.talked("kitchen")
        assert {turn.transcript for turn in house.turns} == {"turn on the light", "stop it"}


async def test_satellites_of_any_kind_are_compared() -> None:
    """One hears its word itself and tells how loud it was; the hub listens for the other."""
    configs = rooms("kitchen") | {"hall": SatelliteConfig(source="hall", wake=WakeConfig())}
    async with Building(configs).open() as house:
        (toy,) = await furnished(house, "kitchen")
        own = ScriptedSatellite(house.tongue, "hall", Abilities(wake_words=("okay_nabu",)))
        house.connect(own, "hall")
        await house.until("standby", "hall")
        toy.hear(house.tongue.wake(loud=300), house.tongue.say("stop it"))
        await asyncio.sleep(0.7)
        own.do(Woken(word="okay_nabu", level=-20, noise=-60))
        own.hear(house.tongue.silence(0.3), house.tongue.say("turn on the light"))
        await house.talked("hall")
        assert [turn.transcript for turn in house.turns] == ["turn on the light"]


async def test_who_tells_late_of_the_same_word_stays_silent() -> None:
    arbiter = Arbiter(0.2, 0.5, lambda: 2)
    first = await arbiter.decide(Claim(satellite="kitchen", word="nabu", level=-38))
    late = asyncio.create_task(arbiter.decide(Claim(satellite="hall", word="nabu", level=-20)))
    assert first.satellite == (await late).satellite == "kitchen"
    await asyncio.sleep(0.6)
    again = await arbiter.decide(Claim(satellite="hall", word="nabu"))
    assert again.satellite == "hall"


_LEVELS = st.none() | st.floats(-90, 0)


@given(st.lists(st.tuples(_LEVELS, _LEVELS, st.none() | st.floats(0, 1)), min_size=1, max_size=5))
def test_the_order_of_arrival_decides_only_between_equals(values: list[tuple[float | None, ...]]) -> None:
    claims = [
        Claim(satellite=str(at), word="nabu", level=level, noise=noise, score=score)
        for at, (level, noise, score) in enumerate(values)
    ]
    forward, backward = best(claims), best(claims[::-1])
    assert (round(forward.ratio, 1), forward.score or 0) == (round(backward.ratio, 1), backward.score or 0)


def test_loudness_is_the_words_over_the_rooms() -> None:
    tongue = Tongue()
    level, noise = loudness(tongue.silence(2) + tongue.wake(loud=16_384))
    assert level == pytest.approx(-9, abs=0.2)
    assert noise == pytest.approx(-73, abs=1)
    assert loudness(b"") == (None, None)
    assert loudness(bytes(32_000)) == (-96.0, -96.0)
