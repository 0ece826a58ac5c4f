"""Whole talks at one satellite."""

import asyncio

import pytest

from hub.audio import AudioChunk
from hub.rooms.config import SatelliteConfig, WakeConfig
from hub.rooms.indicator import Shown
from hub.stages.satellite import Abilities, Woken
from hub.testing.fleet import ScriptedSatellite
from tests.rooms.rig import WAKE, Building, kitchen

pytestmark = pytest.mark.virtual_time


async def test_a_wake_word_begins_a_turn_that_is_answered_in_the_room() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        said = house.tongue
        toy.hear(said.silence(1), said.wake(), said.silence(0.2), said.say("turn on the light"))
        await house.talked()
        (turn,) = house.turns
        assert (turn.reason, turn.transcript, turn.spoken) == ("acted", "turn on the light", turn.reply)
        assert turn.wake is not None
        assert (turn.wake.word, turn.engines["wake"]) == ("okay_nabu", "words")
        assert [call.tool for call in house.calls] == ["light.turn_on"]
        assert house.words() == ["unavailable", "standby", "listening", "thinking", "speaking", "standby"]
        assert [word for _, word, _ in toy.shown] == [
            "standby",
            "listening",
            "thinking",
            "speaking",
            "standby",
        ]
        assert toy.outlet.seconds == pytest.approx(0.05 * len(turn.reply), abs=0.01)
        assert (toy.outlet.plays, toy.outlet.ends) == (1, 1)
        (heard,) = house.asr.utterances
        assert said.text_of(heard) == "turn on the light"


async def test_nothing_before_the_wake_word_reaches_the_recogniser() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        said = house.tongue
        secret = said.say("tell me a story")
        toy.hear(secret, said.silence(0.4), said.wake(), said.silence(0.1), said.say("turn on the light"))
        await house.talked()
        assert [turn.transcript for turn in house.turns] == ["turn on the light"]
        assert [said.text_of(heard) for heard in house.asr.utterances] == ["turn on the light"]


async def test_a_command_said_in_one_breath_with_the_wake_word_is_heard_from_its_start() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        said = house.tongue
        toy.hear(said.silence(1), said.wake(), said.say("turn on the light", 0.7))
        await house.talked()
        assert house.turns[0].transcript == "turn on the light"
        assert house.turns[0].utterance is not None
        assert house.turns[0].utterance.ended_by == "silence"


async def test_each_wake_word_begins_its_own_pipeline() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        said = house.tongue
        toy.hear(said.wake("hey_jarvis"), said.silence(0.2), said.say("turn on the light"))
        await house.talked()
        assert [turn.pipeline for turn in house.turns] == ["quiet"]


async def test_a_wake_word_and_then_silence_ends_without_a_word() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        toy.hear(house.tongue.wake())
        await house.talked()
        assert [turn.reason for turn in house.turns] == ["no_speech"]
        assert (house.asr.utterances, toy.outlet.plays) == ([], 0)
        assert house.words() == ["unavailable", "standby", "listening", "thinking", "standby"]


async def test_speech_without_an_end_is_cut_after_15_seconds_with_its_reason() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        toy.hear(house.tongue.wake(), house.tongue.say("turn on the light", 40))
        await house.talked(limit=120)
        (turn,) = house.turns
        assert turn.utterance is not None
        assert turn.utterance.ended_by == "timeout"
        assert turn.utterance.ends is not None
        assert turn.utterance.ends - turn.utterance.begins == pytest.approx(15, abs=0.2)
        thinking = next(shown for shown in toy.shown if shown[1] == "thinking")
        assert thinking[2] == "timeout"


async def test_the_hub_asks_back_and_listens_once_its_question_was_heard() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        said = house.tongue
        toy.hear(said.wake(), said.silence(0.2), said.say("which light"))
        await house.until("speaking")
        await house.until("listening")
        now = asyncio.get_running_loop().time()
        assert toy.outlet.silent_since <= now + 0.05
        toy.hear(said.silence(0.5), said.say("turn on the light"))
        await house.until("standby")
        assert [turn.transcript for turn in house.turns] == ["which light", "turn on the light"]
        assert len({request.session.id for request in house.requests}) == 1
        assert house.requests[1].woken is None


async def test_a_question_that_nobody_answers_waits_for_as_long_as_is_said() -> None:
    async with Building(kitchen(follow_up_wait=3)).open() as house:
        toy = house.satellite()
        await house.until("standby")
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("which light"))
        await house.until("speaking")
        await house.until("listening")
        asked = asyncio.get_running_loop().time()
        await house.until("standby")
        assert asyncio.get_running_loop().time() - asked == pytest.approx(3, abs=0.2)
        assert [turn.reason for turn in house.turns] == ["answered", "no_speech"]


@pytest.mark.parametrize(("how", "turns"), [("never", 1), ("always", 2)])
async def test_follow_up_is_as_the_house_says(how: str, turns: int) -> None:
    async with Building(kitchen(follow_up=how)).open() as house:
        toy = house.satellite()
        await house.until("standby")
        text = "which light" if how == "never" else "turn on the light"
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say(text))
        await house.talked()
        assert len(house.turns) == turns


async def test_an_answer_may_be_played_in_another_room() -> None:
    rooms = {**kitchen(reply="hall"), "hall": SatelliteConfig(source="hall_pi", wake=WAKE)}
    async with Building(rooms).open() as house:
        toy, other = house.satellite(), ScriptedSatellite(house.tongue, "horn")
        house.connect(other, "hall_pi")
        await house.until("standby")
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("turn on the light"))
        await house.talked()
        assert (toy.outlet.plays, other.outlet.plays) == (0, 1)
        assert house.turns[0].spoken == "Turned on the light."
        assert house.words("hall")[-2:] == ["speaking", "standby"]
        assert "speaking" not in house.words()


async def test_an_answer_may_be_only_told() -> None:
    async with Building(kitchen(reply="event")).open() as house:
        toy = house.satellite()
        await house.until("standby")
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("turn on the light"))
        await house.talked()
        assert (house.turns[0].reason, house.turns[0].reply) == ("acted", "Turned on the light.")
        assert (toy.outlet.plays, house.tts.sentences) == (0, [])


async def test_a_satellite_that_hears_its_word_itself_begins_a_turn() -> None:
    async with Building(kitchen(wake=WakeConfig(words={"alexa": "quiet"}))).open() as house:
        toy = house.satellite(abilities=Abilities(wake_words=("alexa",)))
        await house.until("standby")
        toy.do(Woken(word="alexa"))
        toy.hear(house.tongue.silence(0.1), house.tongue.say("turn on the light"))
        await house.talked()
        assert [(turn.reason, turn.pipeline) for turn in house.turns] == [("acted", "quiet")]
        assert house.turns[0].engines["wake"] == "satellite"


async def test_nothing_is_heard_before_the_broker_has_the_indication_and_nothing_is_lost() -> None:
    confirmed: list[str] = []

    async def broker(shown: Shown) -> None:
        await asyncio.sleep(0.4)
        confirmed.append(shown.indication)

    async with Building(kitchen()).open() as house:
        with house.rooms.witnessed(broker):
            toy = house.satellite()
            await house.until("standby")
            await asyncio.sleep(1)
            toy.hear(house.tongue.wake(), house.tongue.say("turn on the light"))
            await house.until("listening")
            assert (house.requests, confirmed) == ([], ["standby"])
            await house.until("standby")
        assert [turn.transcript for turn in house.turns] == ["turn on the light"]
        assert confirmed[:2] == ["standby", "listening"]


async def test_sound_that_overtakes_the_news_of_its_wake_word_is_not_lost() -> None:
    async with Building(kitchen(wake=WakeConfig())).open() as house:
        toy = house.satellite(abilities=Abilities(wake_words=("alexa",)))
        await house.until("standby")
        ear = house.station().ear
        toy.microphone.is_still = True
        await asyncio.sleep(3)
        ear.hear(AudioChunk(house.tongue.say("turn on the light", 0.3)))
        toy.do(Woken(word="alexa"))
        await house.until("listening")
        for _ in range(20):
            await asyncio.sleep(0.064)
            ear.hear(AudioChunk(house.tongue.silence(0.064)))
        await house.until("standby")
        assert [turn.transcript for turn in house.turns] == ["turn on the light"]
