"""An agent in another process, whatever it answers."""

import json
from pathlib import Path
from typing import Any

import pytest

from hub.errors import EngineDeclined, EngineError, EngineTimeout, EngineUnavailable
from hub.remote.contexts import Contexts
from hub.remote.handle import RemoteAgent
from hub.remote.peer import Peer
from hub.remote.wire import Event
from hub.values.session import Session
from tests.remote.scripted import QUICK, Client, Script, serving

SESSION = Session(id="talk-1", language="en", satellite="kitchen_pi", area="kitchen")
INFO = {"handle": [{"name": "mind", "models": [], "supports_handled_streaming": True}]}


async def _answer(folder: Path, script: Script) -> tuple[list[str], list[Client]]:
    async with (
        serving(folder, script, **INFO) as server,
        Peer(server.uri, QUICK) as peer,
        RemoteAgent(peer).answer("What is up?", SESSION) as pieces,
    ):
        return [piece async for piece in pieces], server.busy


async def test_an_answer_comes_whole(tmp_path: Path) -> None:
    async def plain(client: Client) -> None:
        await client.until("transcript")
        await client.say("handled", text="The sky.")

    pieces, (client,) = await _answer(tmp_path, plain)
    assert pieces == ["The sky."]
    context = {"conversation_id": "talk-1", "satellite_id": "kitchen_pi", "area_id": "kitchen"}
    assert client.data("transcript") == [{"text": "What is up?", "language": "en", "context": context}]


@pytest.mark.parametrize("end", ["handled", "handled-stop", "both"])
async def test_an_answer_comes_as_it_is_written_and_once(tmp_path: Path, end: str) -> None:
    async def streaming(client: Client) -> None:
        await client.until("transcript")
        await client.say("handled-start")
        await client.say("news-of-tomorrow")
        await client.say("handled-chunk", text="The ")
        await client.say("handled-chunk", text="sky.")
        if end != "handled-stop":
            await client.say("handled", text="The sky.")
        if end != "handled":
            await client.say("handled-stop")
        await client.until("never")

    assert (await _answer(tmp_path, streaming))[0] == ["The ", "sky."]


async def test_pieces_come_while_others_are_still_to_be_written(tmp_path: Path) -> None:
    async def waiting(client: Client) -> None:
        await client.until("transcript")
        await client.say("handled-start")
        await client.say("handled-chunk", text="One.")
        await client.until("never")

    async with (
        serving(tmp_path, waiting, **INFO) as server,
        Peer(server.uri, QUICK) as peer,
        RemoteAgent(peer).answer("Count", SESSION) as pieces,
    ):
        assert await anext(pieces) == "One."
        with pytest.raises(EngineTimeout, match="gave no more of its answer"):
            await anext(pieces)


@pytest.mark.parametrize("data", [{}, {"text": None}])
async def test_what_is_done_without_a_word_is_an_empty_piece(tmp_path: Path, data: dict[str, Any]) -> None:
    async def wordless(client: Client) -> None:
        await client.until("transcript")
        await client.say("handled", **data)

    assert (await _answer(tmp_path, wordless))[0] == [""]


@pytest.mark.parametrize(("data", "said"), [({}, ""), ({"text": "Not my business."}, "Not my business.")])
async def test_what_it_does_not_take_is_declined(tmp_path: Path, data: dict[str, str], said: str) -> None:
    async def declining(client: Client) -> None:
        await client.until("transcript")
        await client.say("not-handled", **data)

    with pytest.raises(EngineDeclined) as caught:
        await _answer(tmp_path, declining)
    assert str(caught.value) == said


async def _said(client: Client, kind: str, **data: Any) -> None:
    await client.until("transcript")
    await client.say(kind, **data)
    await client.until("never")


async def _wordless(client: Client) -> None:
    await _said(client, "handled-chunk", text=7)


async def _intent(client: Client) -> None:
    await _said(client, "intent", name="HassTurnOn")


async def _failing(client: Client) -> None:
    await _said(client, "error", text="the model is overloaded", code="busy")


async def _endless(client: Client) -> None:
    await client.until("transcript")
    while True:
        await client.say("handled-chunk", text="blah " * 100)


async def _gone(client: Client) -> None:
    await client.until("transcript")


@pytest.mark.parametrize(
    ("script", "error", "complaint"),
    [
        (_wordless, EngineError, "without text"),
        (_intent, EngineError, "name it under `intents:`"),
        (_failing, EngineError, "overloaded"),
        (_endless, EngineError, "more than 20000 characters"),
        (_gone, EngineUnavailable, "closed the connection"),
    ],
)
async def test_whatever_goes_wrong_is_told_apart(
    tmp_path: Path, script: Script, error: type[EngineError], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        await _answer(tmp_path, script)


async def test_an_answer_that_is_given_up_closes_the_connection(tmp_path: Path) -> None:
    async def talking(client: Client) -> None:
        await client.until("transcript")
        await client.say("handled-chunk", text="Once upon a time")
        await client.until("never")

    async with serving(tmp_path, talking, **INFO) as server, Peer(server.uri, QUICK) as peer:
        async with RemoteAgent(peer).answer("A story", SESSION) as pieces:
            await anext(pieces)
        await server.left.wait()


def test_what_is_remembered_is_bounded() -> None:
    contexts = Contexts(conversations=2, size=100)
    for number in range(4):
        contexts.keep(Session(id=str(number)), Event("handled", {"context": {"n": number}}))
    contexts.keep(Session(id="3"), Event("handled", {"context": {"n": "x" * 200}}))
    contexts.keep(Session(id="3"), Event("handled", {"context": 7}))
    known = [contexts.of(Session(id=str(number))).get("n") for number in range(4)]
    assert known == [None, None, 2, 3]
    assert json.dumps(contexts.of(Session(id="9"))) == '{"conversation_id": "9"}'
