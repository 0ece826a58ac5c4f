"""`/api/doctor`: disk, integrations, each engine, and one real turn."""

from __future__ import annotations

import errno
import json
import os
from typing import Any

import pytest

from hub.api.examination import disk_advice
from hub.errors import EngineError
from hub.testing import Heard, ScriptedAsr
from tests.api.conftest import Api


async def checks(api: Api) -> dict[str, dict[str, Any]]:
    """Return the checks by name, in order."""
    async with api.session.post("http://earnest/api/doctor") as response:
        lines = [json.loads(line) async for line in response.content]
    return {line["check"]: line for line in lines}


async def test_a_healthy_hub_passes(api: Api) -> None:
    api.hub.pipelines = {"default": api.hub.pipelines["default"]}
    api.hub.registry.whisper = ScriptedAsr(("What time is it?",))
    found = await checks(api)
    assert list(found) == ["disk", "tts voice", "vad ears", "asr whisper", "intents words", "turn by voice"]
    assert all(check["ok"] for check in found.values()), found
    assert "“What time is it?” → “It is noon.”" in found["turn by voice"]["message"]
    assert "spoke" in found["tts voice"]["message"]


async def test_an_engine_that_fails_is_named_with_what_to_do(api: Api) -> None:
    broken = Heard(error=EngineError("the model file is damaged"))
    api.hub.registry.whisper = ScriptedAsr((broken,))
    found = await checks(api)
    assert found["asr whisper"] == {
        "check": "asr whisper",
        "ok": False,
        "message": "the model file is damaged",
        "advice": "look at `integrations.whisper` in the YAML; the hub goes on trying by itself",
        "engine": True,
    }
    assert not found["turn by voice"]["ok"]
    assert found["tts voice"]["ok"]


async def test_an_engine_that_is_not_there_is_named(api: Api) -> None:
    found = await checks(api)
    assert not found["asr gone"]["ok"]
    assert found["asr gone"]["message"] == "there is no integration 'gone'"


async def test_an_integration_that_is_down_is_shown_with_its_reason(api: Api) -> None:
    attributes = {"type": "wyoming", "reason": "192.0.2.7:10300 refuses the connection"}
    api.hub.states.set("integration.gpu", "failed", attributes)
    api.hub.states.set("integration.voice", "open", {"type": "piper"})
    found = await checks(api)
    assert not found["integration gpu"]["ok"]
    assert found["integration gpu"]["message"] == "192.0.2.7:10300 refuses the connection"
    assert not found["integration gpu"]["engine"]
    assert found["integration voice"]["engine"]


async def test_a_house_without_voices_is_asked_by_text(api: Api) -> None:
    api.hub.pipelines = {"default": api.hub.pipelines["mute"]}
    found = await checks(api)
    assert list(found) == ["disk", "intents words", "turn by text"]
    assert found["turn by text"]["ok"]


async def test_a_house_without_a_default_pipeline_is_told_what_to_write(api: Api) -> None:
    api.hub.pipelines = {}
    found = await checks(api)
    assert not found["turn"]["ok"]
    assert "pipelines:" in found["turn"]["advice"]


async def test_wake_words_are_listened_for_though_no_pipeline_names_them(api: Api) -> None:
    api.hub.states.set("integration.waker", "open", {"type": "microwakeword", "provides": ["wake"]})
    found = await checks(api)
    assert found["wake waker"]["ok"]
    assert found["wake waker"]["message"].startswith("listened for okay_nabu, hey_jarvis in")
    (stream,) = api.hub.registry.waker.streams
    assert (stream.samples, stream.is_closed) == (480, True)
    api.hub.states.set("integration.gone", "open", {"type": "wyoming", "provides": ["wake", "asr"]})
    found = await checks(api)
    assert found["wake gone"]["message"] == "there is no integration 'gone'"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "make room on this disk"),
        (errno.EROFS, "mount it so that it can be written"),
        (errno.EACCES, "give it to the user that runs the hub"),
    ],
)
def test_what_is_to_be_done_about_a_disk_is_what_helps(number: int, words: str) -> None:
    assert words in disk_advice(OSError(number, os.strerror(number)))
