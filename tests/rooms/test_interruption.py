"""Breaking into a reply: words stop it, a cough does not."""

import asyncio

import pytest

from hub.events import InterruptionDismissed, TurnEnded, TurnInterrupted
from hub.stages.satellite import Abilities, Pressed
from hub.testing.fleet import ScriptedSatellite
from tests.rooms.rig import Building, kitchen

pytestmark = pytest.mark.virtual_time
SENTENCES = ("Once upon a time there was a king.", "He had a very long beard.", "The end.")
STORY = " ".join(SENTENCES)
LENGTH = 0.05 * sum(map(len, SENTENCES))
OPEN = Abilities(barge_in="speech", can_flush=True)


async def telling(house: Building, abilities: Abilities = OPEN) -> ScriptedSatellite:
    """Let a story be told for a second."""
    toy = house.satellite(abilities=abilities)
    await house.until("standby")
    toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("tell me a story"))
    await house.until("speaking")
    await asyncio.sleep(1)
    return toy


async def test_a_cough_pauses_the_reply_and_it_goes_on_at_the_same_sample() -> None:
    async with Building(kitchen()).open() as house:
        toy = await telling(house)
        toy.hear(house.tongue.cough(0.3))
        await house.until("listening")
        paused = asyncio.get_running_loop().time()
        await house.until("speaking")
        resumed = asyncio.get_running_loop().time()
        assert 0.3 < resumed - paused <= 2.0
        assert not [heard for heard, _ in toy.outlet.heard if paused < heard < resumed - 0.03]
        await house.until("standby")
        assert toy.outlet.seconds == pytest.approx(LENGTH, abs=0.005)
        assert house.turns[-1].spoken == STORY
        assert len(house.of(InterruptionDismissed)) == 1
        assert house.of(TurnInterrupted) == []
        assert toy.outlet.plays == 1


@pytest.mark.parametrize("can_flush", [True, False])
async def test_words_stop_the_reply_and_are_answered(can_flush: bool) -> None:
    async with Building(kitchen()).open() as house:
        toy = await telling(house, Abilities(barge_in="speech", can_flush=can_flush))
        said = asyncio.get_running_loop().time()
        toy.hear(house.tongue.say("turn on the light"))
        await house.until("listening")
        await asyncio.sleep(0.5)
        assert toy.outlet.silent_since <= said + 0.064 + 0.1 + 0.064 + (0.02 if can_flush else 0.27)
        await house.until("standby")
        (broken,) = house.of(TurnInterrupted)
        assert broken.by == "speech"
        assert [turn.reply for turn in house.turns] == ["Turned on the light."]
        assert len(house.calls) == 1


async def test_the_record_keeps_only_what_was_heard() -> None:
    async with Building(kitchen()).open() as house:
        toy = await telling(house)
        await asyncio.sleep(1.2)
        toy.hear(house.tongue.say("turn on the light"))
        await house.until("standby")
        ended = {event.record["transcript"]: event.record for event in house.of(TurnEnded)}
        broken = ended["tell me a story"]
        assert broken["reason"] == "cancelled"
        spoken = str(broken["spoken"])
        assert STORY.startswith(spoken)
        assert "Once upon a time there was a king. He" <= spoken < STORY
        (event,) = house.of(TurnInterrupted)
        assert event.spoken == spoken


async def test_speech_that_does_not_end_within_two_seconds_is_no_cough() -> None:
    async with Building(kitchen()).open() as house:
        toy = await telling(house)
        toy.hear(house.tongue.say("turn on the light", 5))
        await house.until("listening")
        await asyncio.sleep(2.2)
        assert len(house.of(TurnInterrupted)) == 1
        await house.until("standby")
        assert [turn.transcript for turn in house.turns] == ["turn on the light"]


async def test_a_slow_recogniser_lets_the_reply_go_on_until_it_has_words() -> None:
    async with Building(kitchen()).open() as house:
        toy = await telling(house)
        house.tongue.asr_delay = 2.0
        toy.hear(house.tongue.say("stop it", 0.5))
        await house.until("listening")
        await house.until("speaking")
        assert house.of(TurnInterrupted) == []
        await house.until("standby")
        assert [turn.reply for turn in house.turns] == ["Fine."]


async def test_a_wake_word_in_mid_reply_is_answered() -> None:
    async with Building(kitchen()).open() as house:
        toy = await telling(house, Abilities(barge_in="wake_word", can_flush=True))
        toy.hear(house.tongue.wake(seconds=0.5), house.tongue.silence(0.2), house.tongue.say("stop it"))
        await house.until("listening")
        await house.until("standby")
        (broken,) = house.of(TurnInterrupted)
        assert broken.by == "wake-word"
        assert [turn.reply for turn in house.turns] == ["Fine."]


async def test_speech_alone_does_not_interrupt_where_the_microphone_hears_the_speaker() -> None:
    async with Building(kitchen()).open() as house:
        toy = await telling(house, Abilities(barge_in="wake_word", can_flush=True))
        toy.hear(house.tongue.say("turn on the light"))
        await house.until("standby")
        assert [turn.spoken for turn in house.turns] == [STORY]


async def test_the_house_may_allow_less_than_the_satellite_can_do() -> None:
    async with Building(kitchen(barge_in="none")).open() as house:
        toy = await telling(house)
        toy.hear(house.tongue.wake(), house.tongue.say("turn on the light"))
        await house.until("standby")
        assert [turn.spoken for turn in house.turns] == [STORY]


async def test_a_button_interrupts() -> None:
    async with Building(kitchen()).open() as house:
        toy = await telling(house)
        toy.do(Pressed())
        await house.until("listening", limit=0.2)
        toy.hear(house.tongue.silence(0.1), house.tongue.say("stop it"))
        await house.until("standby")
        assert [turn.reply for turn in house.turns] == ["Fine."]


async def test_a_noise_before_the_reply_does_not_swallow_it() -> None:
    async with Building(kitchen()).open() as house:
        house.tongue.asr_delay = 1.0
        toy = house.satellite(abilities=OPEN)
        await house.until("standby")
        said = house.tongue
        toy.hear(
            said.wake(), said.silence(0.2), said.say("turn on the light"), said.silence(1.0), said.cough(0.1)
        )
        await house.talked()
        assert [turn.spoken for turn in house.turns] == ["Turned on the light."]
