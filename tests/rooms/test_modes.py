"""How a satellite listens: always, while a button is pressed, or not at all."""

import asyncio

import pytest

from hub.stages.satellite import Abilities, MuteSwitched, Pressed, Released, StopPressed
from tests.rooms.rig import Building, kitchen

pytestmark = pytest.mark.virtual_time


async def test_who_is_always_listened_to_needs_no_wake_word() -> None:
    async with Building(kitchen(mode="always_listening")).open() as house:
        toy = house.satellite()
        await house.until("listening")
        said = house.tongue
        toy.hear(said.silence(2), said.say("turn on the light"), said.silence(8), said.say("tell me a story"))
        async with asyncio.timeout(120):
            while len(house.turns) < 2:
                await asyncio.sleep(0.1)
        assert [turn.transcript for turn in house.turns] == ["turn on the light", "tell me a story"]
        assert [request.woken for request in house.requests] == [None, None]
        await house.until("listening")
        assert "standby" not in house.words()


async def test_a_microphone_with_a_button_is_read_only_after_it_was_pressed() -> None:
    async with Building(kitchen(mode="push_to_talk")).open() as house:
        toy = house.satellite()
        await house.until("standby")
        await asyncio.sleep(5)
        assert (toy.microphone.reads, toy.microphone.open) == (0, 0)
        toy.do(Pressed())
        await house.until("listening")
        toy.hear(house.tongue.say("turn on the light", 1.0), house.tongue.silence(60))
        await asyncio.sleep(1.2)
        toy.do(Released())
        await house.until("speaking", limit=1)
        await house.until("standby")
        assert [turn.transcript for turn in house.turns] == ["turn on the light"]
        assert house.turns[0].utterance is not None
        assert house.turns[0].utterance.ended_by == "end-of-audio"
        await asyncio.sleep(1)
        assert toy.microphone.open == 0


async def test_a_button_held_too_long_or_never_let_go_strands_nothing() -> None:
    async with Building(kitchen(mode="push_to_talk")).open() as house:
        toy = house.satellite()
        await house.until("standby")
        toy.do(Pressed())
        await house.talked()
        assert [turn.reason for turn in house.turns] == ["no_speech"]


async def test_who_is_muted_is_not_read_at_all() -> None:
    async with Building(kitchen(mode="muted")).open() as house:
        toy = house.satellite()
        await house.until("muted")
        toy.hear(house.tongue.wake(), house.tongue.say("turn on the light"))
        await asyncio.sleep(10)
        assert (toy.microphone.reads, toy.microphone.open, house.turns) == (0, 0, [])
        toy.do(MuteSwitched(False))
        await house.until("standby")
        await house.talked()
        assert [turn.transcript for turn in house.turns] == ["turn on the light"]


async def test_muting_in_mid_speech_strands_nothing_and_does_nothing() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        said = house.tongue
        toy.hear(said.wake(), said.silence(0.2), said.say("turn on the light", 3))
        await house.until("listening")
        await asyncio.sleep(1)
        toy.do(MuteSwitched(True))
        await house.until("muted", limit=0.1)
        await asyncio.sleep(1)
        assert (toy.microphone.open, house.asr.open, house.calls) == (0, 0, [])
        state = house.states.get("satellite.kitchen")
        assert state is not None
        assert state.attributes["doing"] == "standby"
        reads = toy.microphone.reads
        await asyncio.sleep(5)
        assert toy.microphone.reads == reads
        toy.microphone.forget()
        toy.do(MuteSwitched(False))
        await house.until("standby", limit=0.1)
        toy.hear(said.silence(0.5), said.wake(), said.silence(0.2), said.say("turn on the light"))
        await house.talked()
        assert [turn.reason for turn in house.turns] == ["acted"]


async def test_muting_in_mid_reply_lets_the_reply_end_and_never_says_listening() -> None:
    async with Building(kitchen(follow_up="always")).open() as house:
        toy = house.satellite()
        await house.until("standby")
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("turn on the light"))
        await house.until("speaking")
        toy.do(MuteSwitched(True))
        await house.until("muted", limit=0.1)
        await asyncio.sleep(5)
        assert house.turns[0].spoken == house.turns[0].reply
        assert house.words()[-2:] == ["speaking", "muted"]
        assert len(house.turns) == 1


async def test_a_stop_button_ends_what_is_said() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("tell me a story"))
        await house.until("speaking")
        await asyncio.sleep(1)
        toy.do(StopPressed())
        pressed = asyncio.get_running_loop().time()
        await house.until("standby", limit=0.5)
        assert toy.outlet.silent_since <= pressed + 0.02


async def test_muting_while_somebody_breaks_in_lets_the_reply_go_on() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite(abilities=Abilities(barge_in="speech", can_flush=True))
        await house.until("standby")
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("tell me a story"))
        await house.until("speaking")
        await asyncio.sleep(1)
        toy.hear(house.tongue.say("turn on the light", 1.5))
        await house.until("listening")
        toy.do(MuteSwitched(True))
        await asyncio.sleep(10)
        assert (house.calls, house.word()) == ([], "muted")
        assert house.turns[-1].spoken == house.turns[-1].reply
