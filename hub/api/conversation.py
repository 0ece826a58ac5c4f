"""`/api/conversation/process`: a sentence in, an answer out, in Home Assistant's shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from hub.api.answers import answer
from hub.api.body import checked, mapping, sentence
from hub.api.hub import HUB
from hub.api.peer import caller
from hub.api.wanted import Wanted, request_of
from hub.house import House

_KINDS: Mapping[str, str] = {"acted": "action_done", "answered": "query_answer"}
_CODES: Mapping[str, str] = {
    "not_understood": "no_intent_match",
    "no_speech": "no_intent_match",
    "refused": "failed_to_handle",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Body of `POST /api/conversation/process`."""

    text: str
    """The sentence."""
    language: str | None = None
    """BCP 47; the house's own if it is not given."""
    conversation_id: str | None = None
    """The conversation it belongs to; a new one if it is not given."""
    agent_id: str | None = None
    """A pipeline of this house; another hub's agent means the usual one."""
    device_id: str | None = None
    """Taken for compatibility."""


async def process(request: web.Request) -> web.Response:
    """Understand a sentence, do what it says, and return the answer."""
    hub = request.app[HUB]
    said = checked(Said, await mapping(request))
    wanted = Wanted(
        text=sentence(request, said.text),
        language=said.language,
        session=said.conversation_id,
        pipeline=said.agent_id if said.agent_id in hub.pipelines else None,
    )
    asked = request_of(hub, wanted, caller(request))
    record = (await hub.turn(asked)).record()
    return answer(
        {
            "response": response_shape(record, asked.session.language, hub.house),
            "conversation_id": asked.session.id,
            "continue_conversation": record["reason"] == "awaiting_confirmation",
        }
    )


def response_shape(record: Mapping[str, Any], language: str, house: House) -> dict[str, Any]:
    """Return a turn's record as Home Assistant's intent response."""
    kind = _KINDS.get(record["reason"], "error")
    said: dict[str, Any] = _targets(record, house)
    if kind == "error":
        said = {"code": _CODES.get(record["reason"], "unknown")}
    return {
        "speech": {"plain": {"speech": record["reply"] or "", "extra_data": None}},
        "card": {},
        "language": language,
        "response_type": kind,
        "data": said,
    }


def _targets(record: Mapping[str, Any], house: House) -> dict[str, Any]:
    """Return which things did what was asked and which did not."""
    done: dict[str, dict[str, str]] = {}
    failed: dict[str, dict[str, str]] = {}
    for call in record["calls"]:
        for thing_id in call["targets"]:
            thing = house.things.get(thing_id)
            shape = {"name": thing.name if thing else thing_id, "type": "entity", "id": thing_id}
            (done if call["ok"] else failed)[thing_id] = shape
    return {"targets": [], "success": list(done.values()), "failed": list(failed.values())}


ROUTES = (web.post("/api/conversation/process", process),)
