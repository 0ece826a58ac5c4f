"""A recogniser of intents in another process, whatever it answers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hub.errors import EngineError, EngineTimeout, EngineUnavailable
from hub.remote.choice import Wish
from hub.remote.intent import RemoteIntents, Request
from hub.remote.peer import Peer
from hub.values.intent import Match, Miss, NamedIntent
from hub.values.session import Session
from tests.remote.scripted import QUICK, Client, Script, serving

SESSION = Session(id="talk-1", language="en-US", satellite="kitchen_pi", area="kitchen")
INFO = {"intent": [{"name": "mind", "models": [{"name": "house", "languages": ["en"]}]}]}


class Resolved:
    """Stands for the house: takes every intent, and keeps them."""

    def __init__(self) -> None:
        self.intents: list[NamedIntent] = []

    async def __call__(self, intents: Sequence[NamedIntent], session: Session) -> Match | Miss:
        self.intents += intents
        return Match(stage="mind", intent=",".join(one.name for one in intents), respond=lambda _: "ok")


async def _ask(
    folder: Path, script: Script, request: Request = "recognize", wish: Wish | None = None
) -> tuple[Match | Miss, list[NamedIntent], list[Client]]:
    house = Resolved()
    async with serving(folder, script, **INFO) as server, Peer(server.uri, QUICK) as peer:
        recognizer = RemoteIntents(peer, house, wish or Wish(), request)
        answer = await recognizer.recognize("turn it on", SESSION)
        return answer, house.intents, server.busy


async def test_a_sentence_is_sent_with_who_said_it_where_and_its_intent_comes_back(tmp_path: Path) -> None:
    async def one(client: Client) -> None:
        await client.until("recognize")
        entities = [{"name": "name", "value": "lamp"}, {"name": "brightness", "value": 40}]
        await client.say("intent", name="HassLightSet", entities=entities, text="There you are.")

    answer, intents, (client,) = await _ask(tmp_path, one)
    assert isinstance(answer, Match)
    slots = {"name": "lamp", "brightness": 40}
    assert intents == [NamedIntent(name="HassLightSet", slots=slots, reply="There you are.")]
    (sent,) = client.data("recognize")
    context = {"conversation_id": "talk-1", "satellite_id": "kitchen_pi", "area_id": "kitchen"}
    assert sent == {"text": "turn it on", "language": "en", "context": context}


async def test_several_intents_come_between_a_start_and_a_stop(tmp_path: Path) -> None:
    async def several(client: Client) -> None:
        await client.until("recognize")
        await client.say("news-of-tomorrow", entities=7)
        await client.say("intents-start")
        await client.say("intent", name="A")
        await client.say("intent", name="B", entities=None)
        await client.say("intents-stop")

    _, intents, _ = await _ask(tmp_path, several)
    assert [one.name for one in intents] == ["A", "B"]


async def test_a_model_is_named_and_the_other_request_is_made_where_the_user_says_so(tmp_path: Path) -> None:
    async def one(client: Client) -> None:
        await client.until("transcript")
        await client.say("intent", name="A")

    _, _, (client,) = await _ask(tmp_path, one, "transcript", Wish(model="house"))
    assert client.data("transcript")[0]["name"] == "house"


@pytest.mark.parametrize(("kind", "text"), [("not-recognized", "Pardon?"), ("not-handled", None)])
async def test_what_it_does_not_know_is_a_miss_in_its_words(
    tmp_path: Path, kind: str, text: str | None
) -> None:
    async def none(client: Client) -> None:
        await client.until("recognize")
        await client.say(kind, **({"text": text} if text else {}))

    answer, _, _ = await _ask(tmp_path, none)
    assert isinstance(answer, Miss)
    assert (answer.code, answer.reply) == ("no-match", text)
    assert "the server does not" in answer.reason


async def test_what_it_did_itself_is_a_match_without_calls(tmp_path: Path) -> None:
    async def did(client: Client) -> None:
        await client.until("recognize")
        await client.say("handled", text="I did it.")

    answer, _, _ = await _ask(tmp_path, did)
    assert isinstance(answer, Match)
    assert (answer.calls, answer.respond([])) == ((), "I did it.")


async def test_a_context_comes_back_with_the_next_sentence_of_the_same_conversation(tmp_path: Path) -> None:
    async def remembers(client: Client) -> None:
        asked = await client.until("recognize")
        count = asked.data["context"].get("count", 0)
        await client.say("intent", name=f"N{count}", context={"count": count + 1})

    house = Resolved()
    async with serving(tmp_path, remembers, **INFO) as server, Peer(server.uri, QUICK) as peer:
        recognizer = RemoteIntents(peer, house)
        for session in (SESSION, SESSION, Session(id="talk-2"), SESSION):
            await recognizer.recognize("next", session)
    assert [one.name for one in house.intents] == ["N0", "N1", "N0", "N2"]


async def _said(client: Client, kind: str, **data: Any) -> None:
    await client.until("recognize")
    await client.say(kind, **data)
    await client.until("never")


async def _nameless(client: Client) -> None:
    await _said(client, "intent", name=7)


async def _failing(client: Client) -> None:
    await _said(client, "error", text="out of memory")


async def _endless(client: Client) -> None:
    await client.until("recognize")
    await client.say("intents-start")
    while True:
        await client.say("intent", name="A")


async def _silent(client: Client) -> None:
    await client.until("never")


async def _chatty(client: Client) -> None:
    await client.until("recognize")
    while True:
        await client.say("weather")


async def _gone(client: Client) -> None:
    await client.until("recognize")


@pytest.mark.parametrize(
    ("script", "error", "complaint"),
    [
        (_nameless, EngineError, "sent intent without name"),
        (_failing, EngineError, "out of memory"),
        (_endless, EngineError, "more than 100 intents"),
        (_silent, EngineTimeout, "gave no answer"),
        (_chatty, EngineTimeout, "gave no answer"),
        (_gone, EngineUnavailable, "closed the connection"),
    ],
)
async def test_whatever_goes_wrong_is_told_apart(
    tmp_path: Path, script: Script, error: type[EngineError], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        await _ask(tmp_path, script)


async def test_entities_that_are_none_are_left_out(tmp_path: Path) -> None:
    async def odd(client: Client) -> None:
        entities = ["x", {"value": 1}, {"name": "a"}, {"name": "b", "value": [1]}, {"name": 3, "value": 4}]
        await _said(client, "intent", name="A", entities=entities)

    _, intents, _ = await _ask(tmp_path, odd)
    assert intents[0].slots == {"a": None, "b": [1]}
