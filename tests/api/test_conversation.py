"""`/api/conversation/process` answers as Home Assistant does."""

from __future__ import annotations

import pytest

from tests.api.conftest import Api

PATH = "/api/conversation/process"


async def test_a_command_is_an_action_done(api: Api) -> None:
    status, body = await api.post(PATH, {"text": "turn on the lamp", "language": "en"})
    assert status == 200
    assert body["response"] == {
        "speech": {"plain": {"speech": "Lamp is on.", "extra_data": None}},
        "card": {},
        "language": "en",
        "response_type": "action_done",
        "data": {
            "targets": [],
            "success": [{"name": "Lamp", "type": "entity", "id": "light.lamp"}],
            "failed": [],
        },
    }
    assert body["continue_conversation"] is False


async def test_a_question_is_a_query_answer(api: Api) -> None:
    _, body = await api.post(PATH, {"text": "what time is it?"})
    assert body["response"]["response_type"] == "query_answer"
    assert body["response"]["speech"]["plain"]["speech"] == "It is noon."


@pytest.mark.parametrize(
    ("text", "code"), [("sing me a song", "no_intent_match"), ("move the stuck lamp", "unknown")]
)
async def test_what_did_not_work_is_an_error_with_words(api: Api, text: str, code: str) -> None:
    _, body = await api.post(PATH, {"text": text})
    assert body["response"]["response_type"] == "error"
    assert body["response"]["data"] == {"code": code}
    assert body["response"]["speech"]["plain"]["speech"]


async def test_a_conversation_keeps_its_name(api: Api) -> None:
    _, body = await api.post(PATH, {"text": "what time is it?", "conversation_id": "01HX"})
    assert body["conversation_id"] == "01HX"
    _, body = await api.post(PATH, {"text": "what time is it?", "conversation_id": None})
    assert body["conversation_id"]


async def test_an_agent_may_name_a_pipeline(api: Api) -> None:
    await api.post(PATH, {"text": "what time is it?", "agent_id": "mute"})
    await api.post(PATH, {"text": "what time is it?", "agent_id": "conversation.home_assistant"})
    assert [request.pipeline for request in api.hub.turns] == ["mute", "default"]


async def test_the_voice_stays_silent(api: Api) -> None:
    await api.post(PATH, {"text": "turn on the lamp"})
    assert api.hub.registry.voice.sentences == []


async def test_a_sentence_is_needed(api: Api) -> None:
    status, body = await api.post(PATH, {"text": "  "})
    assert (status, body["code"]) == (400, "no-text")
