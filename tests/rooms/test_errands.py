"""What a satellite is asked for from elsewhere: announcements, questions, conversations."""

import asyncio
from typing import Any

import pytest

from hub.domains.satellite import ExpectedAnswer
from hub.errors import ToolError
from hub.rooms.config import RoomLimits
from hub.rooms.deeds import Deeds
from hub.stages.satellite import Abilities, StopPressed
from tests.rooms.rig import Building, kitchen

pytestmark = pytest.mark.virtual_time

YES_NO = (
    ExpectedAnswer(id="yes", sentences=("(yes|sure) [please]",)),
    ExpectedAnswer(id="no", sentences=("no [thanks]",)),
    ExpectedAnswer(id="song", sentences=("play {title}", "play {title} by {artist}")),
)


def ask(house: Building, action: str, name: str = "kitchen", **arguments: Any) -> asyncio.Task[Any]:
    """Ask a satellite for something."""
    return asyncio.ensure_future(Deeds(house.station(name)).perform(action, arguments))


async def test_an_announcement_is_said_and_its_end_is_told() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        got = await ask(house, "announce", message="Dinner is ready.")
        assert got == {"status": "played", "spoken": "Dinner is ready."}
        await house.until("standby")
        assert house.words() == ["unavailable", "standby", "speaking", "standby"]
        assert toy.outlet.plays == 2, "two notes, then the words"
        assert house.asr.utterances == []


async def test_without_the_notes_only_the_words_are_heard() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        await ask(house, "announce", message="Dinner.", preannounce=False)
        assert toy.outlet.plays == 1


async def test_an_announcement_waits_for_the_turn_under_way_and_the_most_urgent_comes_first() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("tell me a story"))
        await house.until("listening")
        wishes = [
            ask(house, "announce", message="Low.", priority="low"),
            ask(house, "announce", message="First.", priority="normal"),
            ask(house, "announce", message="Second.", priority="normal"),
            ask(house, "announce", message="High.", priority="high"),
        ]
        assert [one["status"] for one in await asyncio.gather(*wishes)] == ["played"] * 4
        replies = [turn.reply for turn in house.turns]
        assert replies[0].startswith("Once upon a time")
        assert house.turns[0].spoken == replies[0], "nothing broke into the story"
        assert replies[1:] == ["High.", "First.", "Second.", "Low."]


async def test_one_that_waits_too_long_says_that_nothing_was_said() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("tell me a story"))
        await house.until("listening")
        with pytest.raises(ToolError, match="'kitchen' was busy for 1 s: nothing was said"):
            await ask(house, "announce", message="Dinner.", timeout=1)
        await house.talked()
        await asyncio.sleep(5)
        assert len(house.turns) == 1


async def test_more_than_may_wait_is_refused() -> None:
    async with Building(kitchen(), RoomLimits(announcements=2)).open() as house:
        toy = house.satellite()
        await house.until("standby")
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("tell me a story"))
        await house.until("listening")
        first = [ask(house, "announce", message="One."), ask(house, "announce", message="Two.")]
        await asyncio.sleep(0)
        with pytest.raises(ToolError, match=r"limits\.announcements"):
            await ask(house, "announce", message="Three.")
        assert [one["status"] for one in await asyncio.gather(*first)] == ["played", "played"]


@pytest.mark.parametrize(
    ("said", "answer", "slots"),
    [
        ("yes please", "yes", {}),
        ("no", "no", {}),
        ("play yesterday by the beatles", "song", {"title": "yesterday", "artist": "the beatles"}),
    ],
)
async def test_a_question_returns_the_answer_and_runs_no_command(
    said: str, answer: str, slots: dict[str, str]
) -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        asked = ask(house, "ask", question="Shall I?", answers=YES_NO)
        await house.until("speaking")
        await house.until("listening")
        toy.hear(house.tongue.silence(0.3), house.tongue.say(said), house.tongue.silence(2))
        got = await asked
        assert got == {"status": "answered", "sentence": said, "answer": answer, "slots": slots}
        await house.until("standby")
        assert (house.calls, house.turns[-1].reason) == ([], "transcribed")


async def test_what_fits_no_answer_is_asked_again_and_then_told() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        asked = ask(house, "ask", question="Shall I?", answers=YES_NO, retries=1)
        for _ in range(2):
            await house.until("speaking")
            await house.until("listening")
            toy.hear(house.tongue.silence(0.3), house.tongue.say("turn on the light"))
            toy.hear(house.tongue.silence(2))
        assert await asked == {"status": "not_understood", "sentence": "turn on the light"}
        assert [turn.reply for turn in house.turns if turn.reason == "said"] == ["Shall I?"] * 2
        assert house.calls == []


async def test_nobody_answers() -> None:
    async with Building(kitchen()).open() as house:
        house.satellite()
        await house.until("standby")
        asked = ask(house, "ask", question="Shall I?", answers=YES_NO, retries=0, wait=3)
        assert await asked == {"status": "no_answer"}
        await house.until("standby")


async def test_muting_ends_a_question() -> None:
    async with Building(kitchen()).open() as house:
        house.satellite()
        await house.until("standby")
        asked = ask(house, "ask", question="Shall I?", answers=YES_NO)
        await house.until("speaking")
        await house.until("listening")
        await ask(house, "mute")
        assert (await asked)["status"] == "interrupted"
        await house.until("muted")
        with pytest.raises(ToolError, match="is muted"):
            await ask(house, "ask", question="Shall I?")
        assert (await ask(house, "announce", message="Dinner."))["status"] == "played"
        await ask(house, "unmute")
        await house.until("standby")


async def test_a_conversation_goes_on_as_any_other() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        got = await ask(house, "start_conversation", message="What shall I do?")
        assert got == {"status": "listening", "spoken": "What shall I do?"}
        await house.until("listening")
        toy.hear(house.tongue.silence(0.3), house.tongue.say("turn on the light"))
        await house.until("standby")
        assert [call.tool for call in house.calls] == ["light.turn_on"]
        assert len({request.session.id for request in house.requests}) == 1


async def test_listening_is_asked_for_as_with_a_button() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        assert await ask(house, "listen") == {"status": "listening"}
        await house.until("listening")
        with pytest.raises(ToolError, match="Somebody is talking"):
            await ask(house, "listen")
        toy.hear(house.tongue.silence(0.3), house.tongue.say("turn on the light"))
        await house.until("standby")
        assert len(house.calls) == 1


async def test_stop_ends_an_announcement_and_says_what_was_heard() -> None:
    async with Building(kitchen()).open() as house:
        house.satellite()
        await house.until("standby")
        told = ask(
            house, "announce", message="One sentence is here. Another one follows it.", preannounce=False
        )
        await house.until("speaking")
        await asyncio.sleep(0.5)
        await ask(house, "stop")
        assert (await told)["status"] == "interrupted"
        assert (await told)["by"] == "stop"
        await house.until("standby")


async def test_the_button_of_the_satellite_stops_it_too() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        told = ask(house, "announce", message="One sentence is here.", preannounce=False)
        await house.until("speaking")
        toy.do(StopPressed())
        assert (await told)["by"] == "stop"


async def test_a_wake_word_in_mid_announcement_turns_to_whoever_it_was() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        told = ask(house, "announce", message="This is a very long announcement. " * 5)
        await house.until("speaking")
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("turn on the light"))
        await house.until("standby")
        assert (await told)["status"] == "interrupted"
        assert [call.tool for call in house.calls] == ["light.turn_on"]


async def test_an_answer_may_break_into_the_question() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite(abilities=Abilities(barge_in="speech"))
        await house.until("standby")
        asked = ask(house, "ask", question="Shall I do it now or rather later today?", answers=YES_NO)
        await house.until("speaking")
        await asyncio.sleep(0.5)
        toy.hear(house.tongue.say("yes please"), house.tongue.silence(2))
        assert (await asked)["answer"] == "yes"
        await house.until("standby")
        assert house.calls == []


async def test_a_satellite_that_goes_ends_what_was_said_and_refuses_what_waits() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        told = ask(house, "announce", message="This is a very long announcement.")
        await house.until("speaking")
        waits = ask(house, "announce", message="Another one.")
        await asyncio.sleep(0.1)
        toy.lose("it was unplugged")
        assert (await told)["status"] == "interrupted"
        with pytest.raises(ToolError, match="it was unplugged"):
            await waits
        with pytest.raises(ToolError, match="The satellite 'kitchen' is gone: it was unplugged"):
            await ask(house, "announce", message="A third one.")


async def test_a_voice_that_fails_is_told() -> None:
    async with Building(kitchen()).open() as house:
        house.satellite()
        await house.until("standby")
        house.engines.pop("tts")
        with pytest.raises(ToolError, match="it could not be said"):
            await ask(house, "announce", message="Dinner.")
        await house.until("standby")


@pytest.mark.parametrize(("sentence", "says"), [("[yes", "is no template"), ("go <there>", "names a rule")])
async def test_a_template_that_is_wrong_is_told_before_anything_is_said(sentence: str, says: str) -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        answers = (ExpectedAnswer(id="yes", sentences=(sentence,)),)
        with pytest.raises(ToolError, match=says):
            await ask(house, "ask", question="Shall I?", answers=answers)
        assert toy.outlet.plays == 0


async def test_words_in_mid_announcement_end_it_and_are_a_command() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite(abilities=Abilities(barge_in="speech"))
        await house.until("standby")
        told = ask(house, "announce", message="This is a very long announcement. " * 5)
        await house.until("speaking")
        await asyncio.sleep(0.5)
        toy.hear(house.tongue.say("turn on the light"), house.tongue.silence(2))
        assert (await told)["by"] == "speech"
        await house.until("standby")
        assert [call.tool for call in house.calls] == ["light.turn_on"]


async def test_a_wake_word_in_mid_question_is_no_answer_to_it() -> None:
    async with Building(kitchen()).open() as house:
        toy = house.satellite()
        await house.until("standby")
        asked = ask(house, "ask", question="Shall I do it now or rather later today?", answers=YES_NO)
        await house.until("speaking")
        toy.hear(house.tongue.wake(), house.tongue.silence(0.2), house.tongue.say("turn on the light"))
        assert (await asked)["by"] == "wake-word"
        await house.until("standby")
        assert [call.tool for call in house.calls] == ["light.turn_on"]
