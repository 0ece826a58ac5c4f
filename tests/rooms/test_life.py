"""What comes and goes: satellites that reboot, die silently, lose their microphone or their engine."""

import asyncio

import pytest

from hub.errors import EngineUnavailable
from hub.events import SatelliteStuck, TurnEnded, TurnInterrupted
from hub.rooms.config import RoomLimits, SatelliteConfig
from hub.stages.satellite import Abilities, Pressed
from hub.testing.fleet import ScriptedSatellite, TongueWake
from tests.rooms.rig import WAKE, Building, kitchen

pytestmark = pytest.mark.virtual_time


async def reach(house: Building, toy: ScriptedSatellite, state: str) -> None:
    """Bring the satellite into a state."""
    await house.until("standby")
    if state != "standby":
        house.tongue.asr_delay = 1.0
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("which light"))
        await house.until("speaking" if state == "follow-up" else state)
        await house.until("listening" if state == "follow-up" else state)


async def works(house: Building, toy: ScriptedSatellite) -> None:
    """Show that the next command is answered."""
    house.tongue.asr_delay = 0.2
    before = len(house.turns)
    await house.until("standby")
    toy.hear(house.tongue.silence(0.5), house.tongue.wake(), house.tongue.silence(0.2))
    toy.hear(house.tongue.say("turn on the light"))
    await house.talked()
    assert [turn.reason for turn in house.turns[before:]] == ["acted"]
    assert house.asr.open == house.tts.open == 0


STATES = ("standby", "listening", "thinking", "speaking", "follow-up")


@pytest.mark.parametrize("state", STATES)
async def test_a_satellite_that_reboots_ends_its_turn_and_works_again(state: str) -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await reach(house, toy, state)
        turns = len(house.requests)
        toy.lose("the satellite did not answer for 5 s")
        await house.until("unavailable", limit=1)
        shown = house.states.get("satellite.kitchen")
        assert shown is not None
        assert shown.attributes["reason"] == "the satellite did not answer for 5 s"
        await asyncio.sleep(0)
        assert len(house.of(TurnEnded)) == turns
        assert house.asr.open == house.tts.open == toy.microphone.open == 0
        house.withdraw(toy)
        await works(house, house.satellite())


@pytest.mark.parametrize("state", STATES)
async def test_a_satellite_that_is_back_before_the_old_connection_is_missed_takes_over(state: str) -> None:
    async with Building(kitchen()).open() as house:
        old = house.satellite()
        await reach(house, old, state)
        new = house.satellite()
        await works(house, new)
        assert old.microphone.open == 0
        house.withdraw(old)
        assert house.word() == "standby"


@pytest.mark.parametrize("state", STATES)
async def test_a_connection_that_is_dead_on_one_side_strands_no_turn(state: str) -> None:
    """Nothing comes, nothing arrives, and nobody has noticed yet."""
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await reach(house, toy, state)
        toy.microphone.is_still = toy.outlet.is_stuck = True
        await house.until("unavailable", limit=40)
        shown = house.states.get("satellite.kitchen")
        assert shown is not None
        assert shown.attributes["reason"] == "no sound came for 8 s (limits.microphone_gap)"
        assert house.asr.open == house.tts.open == 0
        assert len(house.of(TurnEnded)) == len(house.requests)
        toy.microphone.is_still = toy.outlet.is_stuck = False
        await works(house, toy)


@pytest.mark.parametrize("state", STATES)
async def test_an_integration_that_closes_takes_its_satellites_along(state: str) -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await reach(house, toy, state)
        house.withdraw(toy)
        await house.until("unavailable", limit=1)
        assert toy.microphone.open == 0


@pytest.mark.parametrize("state", STATES)
async def test_a_hub_that_stops_ends_every_turn_within_three_seconds(state: str) -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await reach(house, toy, state)
        stopped = asyncio.get_running_loop().time()
        await house.rooms.close()
        assert asyncio.get_running_loop().time() - stopped <= 3.0
        assert house.word() == "off"
        assert len(house.of(TurnEnded)) == len(house.requests)


async def test_a_turn_that_will_not_end_is_left_behind_and_told() -> None:
    class Deaf:
        async def recognize(self, text: str, session: object) -> None:
            while True:
                try:
                    await asyncio.sleep(20)
                    return
                except asyncio.CancelledError:
                    continue

    async with Building(kitchen()).open() as house:
        house.engines["home"] = Deaf()
        toy = house.satellite()
        await reach(house, toy, "thinking")
        await asyncio.sleep(2)
        stopped = asyncio.get_running_loop().time()
        await house.rooms.close()
        assert asyncio.get_running_loop().time() - stopped <= 3.0
        assert "does not end" in house.of(SatelliteStuck)[0].reason
        await asyncio.sleep(60)


async def test_a_microphone_that_fails_is_told_and_tried_again() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        toy.fail_microphone("the microphone was unplugged")
        await house.until("unavailable")
        shown = house.states.get("satellite.kitchen")
        assert shown is not None
        assert shown.attributes["reason"] == "the microphone was unplugged"
        await house.until("standby", limit=2)
        await works(house, toy)


async def test_a_microphone_that_fails_in_mid_speech_ends_the_turn() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("turn on the light", 5))
        await house.until("listening")
        await asyncio.sleep(1)
        toy.fail_microphone()
        toy.microphone.forget()
        await house.until("standby")
        assert [(turn.reason, turn.failures[0].message) for turn in house.turns] == [
            ("failed", "the microphone went away in mid-speech")
        ]
        assert house.calls == []
        await works(house, toy)


async def test_an_engine_for_wake_words_that_dies_is_told_and_waited_for() -> None:
    async with Building(kitchen()).open() as house:
        gone = EngineUnavailable("the wake word engine is not there")
        house.wake.error = gone
        toy = house.satellite()
        await asyncio.sleep(5)
        shown = house.states.get("satellite.kitchen")
        assert shown is not None
        assert (shown.state, shown.attributes["reason"]) == ("unavailable", str(gone))
        toy.do(Pressed())
        toy.hear(house.tongue.silence(0.1), house.tongue.say("turn on the light"))
        await house.until("listening")
        await house.until("unavailable")
        assert [turn.reason for turn in house.turns] == ["acted"]
        house.wake.error = None
        await house.until("standby")
        await works(house, toy)


async def test_a_recogniser_that_is_down_is_told_by_voice() -> None:
    async with Building(kitchen()).open() as house:
        del house.engines["asr"]
        toy = house.satellite()
        await house.until("standby")
        toy.hear(house.tongue.wake(), house.tongue.say("turn on the light"))
        await house.talked()
        assert [turn.reason for turn in house.turns] == ["failed"]
        assert toy.outlet.seconds > 1
        assert house.words() == ["unavailable", "standby", "listening", "speaking", "standby"]


@pytest.mark.parametrize(("stage", "word"), [("asr", "thinking"), ("tts", "thinking")])
async def test_what_the_table_calls_impossible_is_ended_and_told(stage: str, word: str) -> None:
    async with Building(kitchen(), RoomLimits(thinking=20)).open() as house:
        toy = house.satellite()
        await house.until("standby")
        house.tongue.asr_delay = 50 if stage == "asr" else 0.2
        house.tts.delay = 50 if stage == "tts" else 0
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("turn on the light"))
        await house.until(word)
        began = asyncio.get_running_loop().time()
        await house.until("standby")
        assert asyncio.get_running_loop().time() - began == pytest.approx(20, abs=0.1)
        (stuck,) = house.of(SatelliteStuck)
        assert (stuck.indication, "limits.thinking" in stuck.reason) == (word, True)
        assert [event.by for event in house.of(TurnInterrupted)] == ["stuck"]
        house.tts.delay = 0
        await works(house, toy)


async def test_two_satellites_of_one_integration_sit_where_the_yaml_says() -> None:
    configs = {
        "kitchen": SatelliteConfig(source="pi", device="blue", wake=WAKE),
        "hall": SatelliteConfig(source="pi", device="Red", wake=WAKE),
    }
    async with Building(configs).open() as house:
        red, blue, odd = house.satellite("red"), house.satellite("blue"), house.satellite("odd")
        await house.until("standby")
        await house.until("standby", "hall")
        assert [house.station(name).link for name in ("kitchen", "hall")] == [blue, red]
        assert house.rooms.unused() == (("pi", odd),)


async def test_a_reload_changes_only_whose_entry_has_changed() -> None:
    configs = kitchen() | {"hall": SatelliteConfig(source="hall_pi", wake=WAKE)}
    async with Building(configs).open() as house:
        toy, other = house.satellite(), ScriptedSatellite(house.tongue, "horn")
        house.connect(other, "hall_pi")
        await house.until("standby", "hall")
        before = house.station("hall")
        house.rooms.change({"hall": configs["hall"], "attic": configs["kitchen"]})
        assert house.station("hall") is before
        assert house.states.get("satellite.kitchen") is None
        await house.until("standby", "attic")
        assert (toy.microphone.open, len(other.shown)) == (1, 1)
        assert house.states.get("satellite.kitchen") is None


async def test_an_entry_that_changes_in_mid_talk_begins_anew_under_its_old_name() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await reach(house, toy, "speaking")
        house.rooms.change(kitchen(follow_up="never"))
        await works(house, toy)
        assert len(house.of(TurnEnded)) == len(house.requests)


async def test_what_a_satellite_can_do_is_in_its_state() -> None:
    async with Building(kitchen()).open() as house:
        house.satellite(abilities=Abilities(barge_in="speech", has_buttons=True))
        await house.until("standby")
        shown = house.states.get("satellite.kitchen")
        assert shown is not None
        assert shown.attributes["abilities"] == ["barge_in_speech", "buttons"]
        assert (shown.attributes["area"], shown.attributes["name"]) == ("kitchen", "Toy")


async def test_a_machine_that_is_too_slow_says_what_it_lost() -> None:
    async with Building(kitchen()).open() as house:
        house.satellite()
        await house.until("standby")
        for _ in range(5):
            house.station().shed(0.5)
        shown = house.states.get("satellite.kitchen")
        assert shown is not None
        assert (shown.state, shown.attributes["lost_seconds"]) == ("standby", 2)


async def test_an_engine_for_wake_words_that_is_closed_is_told_at_once_and_a_new_one_is_used() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        del house.engines["words"]
        await house.until("unavailable", limit=0.2)
        shown = house.states.get("satellite.kitchen")
        assert shown is not None
        assert shown.attributes["reason"] == "there is no integration 'words'"
        house.engines["words"] = TongueWake(house.tongue)
        await house.until("standby", limit=1.5)
        await works(house, toy)
        house.engines["words"] = TongueWake(house.tongue)
        await works(house, toy)
        assert "unavailable" not in house.words()[3:]
