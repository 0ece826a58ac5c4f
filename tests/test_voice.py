"""The whole way through real engines: Piper speaks, Whisper hears, the house acts, Piper answers."""

import re
from collections.abc import AsyncIterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from hub.app import App, running
from hub.audio import AudioChunk
from hub.pipeline.context import TurnRequest
from hub.pipeline.turn import Turn
from hub.testing.fakes import RecordingSpeaker
from hub.values.session import Session
from hub.values.tool import Caller

pytestmark = [pytest.mark.engines, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

STARTER = Path(__file__).parents[1] / "config"
ME = Session(id="voice", area="kitchen")

SENTENCES: tuple[tuple[str, str | None, tuple[str, ...], Mapping[str, Any], str], ...] = (
    ("Turn on the kitchen lamp.", "light.turn_on", ("light.kitchen_lamp",), {}, "turned on"),
    ("Turn off the bedroom lamp.", "light.turn_off", ("light.bedroom_lamp",), {}, "turned off"),
    ("Close the living room blind.", "cover.close_cover", ("cover.living_room_blind",), {}, "closing"),
    ("Lock the front door.", "lock.lock", ("lock.front_door",), {}, "locking"),
    ("What is the temperature in the bedroom?", None, (), {}, "degrees"),
    ("Turn off the garage light.", "light.turn_off", ("light.garage_light",), {}, "turned off"),
    (
        "Set the living room lamp to fifty percent.",
        "light.turn_on",
        ("light.living_room_lamp",),
        {"brightness_pct": 50},
        "brightness",
    ),
    (
        "Set the thermostat to twenty one degrees.",
        "climate.set_temperature",
        ("climate.thermostat",),
        {"temperature": 21},
        "temperature",
    ),
    ("Turn on the coffee machine.", "switch.turn_on", ("switch.coffee_machine",), {}, "turned on"),
    ("Add milk to my shopping list.", "todo.add_item", ("todo.shopping_list",), {"item": "milk"}, "milk"),
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hub(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[App]:
    async with running(STARTER, data_dir=tmp_path_factory.mktemp("data")) as app:
        yield app


async def _spoken(hub: App, text: str) -> tuple[AudioChunk, ...]:
    """Return the text as Piper says it."""
    speaker = RecordingSpeaker(is_paced=False)
    asked = TurnRequest(session=ME, caller=Caller(("cli:test",)), text=text, start="tts", speaker=speaker)
    turn = await hub.turn(asked)
    assert turn.reason == "said", turn.failures
    return tuple(speaker.chunks)


async def _heard(
    hub: App, audio: tuple[AudioChunk, ...], speaker: RecordingSpeaker | None = None, **more: Any
) -> Turn:
    """Run a turn over the sound."""

    async def chunks() -> AsyncIterator[AudioChunk]:
        for chunk in audio:
            yield chunk

    asked = TurnRequest(
        session=ME, caller=Caller(("voice:kitchen",)), audio=chunks(), speaker=speaker, **more
    )
    return await hub.turn(asked)


def _likeness(said: str, heard: str) -> float:
    """Return how much of the letters and digits is the same, 0 to 1; Whisper does not hear all."""
    one, other = (re.sub(r"[^a-z0-9]+", "", text.casefold()) for text in (said, heard))
    return SequenceMatcher(None, one, other).ratio()


@pytest.mark.parametrize(
    ("text", "tool", "targets", "arguments", "answer"), SENTENCES, ids=[line[0] for line in SENTENCES]
)
async def test_a_spoken_sentence_is_heard_done_and_answered_aloud(
    hub: App,
    text: str,
    tool: str | None,
    targets: tuple[str, ...],
    arguments: Mapping[str, Any],
    answer: str,
) -> None:
    speaker = RecordingSpeaker(is_paced=False)
    turn = await _heard(hub, await _spoken(hub, text), speaker)
    assert turn.reason == ("acted" if tool else "answered"), (turn.transcript, turn.misses)
    calls = turn.record()["calls"]
    assert [call["tool"] for call in calls] == ([tool] if tool else [])
    if tool:
        assert tuple(calls[0]["targets"]) == targets
        assert {key: calls[0]["args"].get(key) for key in arguments} == arguments
    reply = await _heard(hub, tuple(speaker.chunks), end="asr")
    assert reply.reason == "transcribed"
    assert answer in turn.reply.casefold()
    assert _likeness(turn.reply, reply.transcript or "") > 0.7, (turn.reply, reply.transcript)


async def test_every_millisecond_of_a_spoken_turn_has_an_owner(hub: App) -> None:
    turn = await _heard(hub, await _spoken(hub, "What time is it?"), RecordingSpeaker(is_paced=False))
    owners = {owner: ms for owner, ms in turn.timeline.items() if owner != "total"}
    assert sum(owners.values()) == pytest.approx(turn.timeline["total"], abs=0.1)
    assert min(turn.timeline["asr"], turn.timeline["tts"]) > 0


async def test_a_dangerous_wish_that_was_heard_is_refused_and_says_so(hub: App) -> None:
    speaker = RecordingSpeaker(is_paced=False)
    turn = await _heard(hub, await _spoken(hub, "Open the garage door."), speaker)
    assert turn.reason == "refused", turn.record()
    door = hub.states.get("cover.garage_door")
    assert door
    assert door.state == "closed"
    assert turn.reply
    assert speaker.seconds > 0.3
