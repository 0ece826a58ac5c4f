"""`/api/turns`: a sentence or a recording in, events out, the record last."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hub.audio import AudioChunk
from hub.testing import Heard, ScriptedAsr, tone
from hub.wav import wav
from tests.api.conftest import Api, served

WAV = {"Content-Type": "audio/wav"}


async def turn(api: Api, body: Any, query: str = "", **more: Any) -> list[dict[str, Any]]:
    """Run a turn and return its lines."""
    async with api.session.post(f"http://earnest/api/turns{query}", **body, **more) as response:
        assert response.status == 200, await response.text()
        assert response.content_type == "application/x-ndjson"
        return [json.loads(line) async for line in response.content]


def recording(seconds: float = 1.0) -> dict[str, Any]:
    """Return the request of a spoken sentence."""
    return {"data": wav([AudioChunk(tone(seconds))]), "headers": WAV}


async def test_a_sentence_is_understood_and_done(api: Api) -> None:
    *events, record = await turn(api, {"json": {"text": "turn on the lamp"}})
    assert record["reason"] == "acted"
    assert record["reply"] == "Lamp is on."
    assert record["match"]["intent"] == "HassTurnOn"
    assert record["calls"][0]["targets"] == ["light.lamp"]
    assert record["timeline"]["total"] >= 0
    assert api.lamps.done == [("light.lamp", "turn_on", {})]
    assert [events[0]["type"], events[-1]["type"]] == ["run-start", "run-end"]
    assert all(set(event) == {"type", "data", "timestamp"} for event in events)


async def test_a_text_turn_speaks_only_where_audio_is_wanted(api: Api) -> None:
    await turn(api, {"json": {"text": "turn on the lamp"}})
    assert api.hub.registry.voice.sentences == []
    *events, record = await turn(api, {"json": {"text": "turn on the lamp", "audio": True}})
    assert api.hub.registry.voice.sentences == ["Lamp is on."]
    sound = [event["data"] for event in events if event["type"] == "tts-audio"]
    assert {(piece["rate"], piece["width"], piece["channels"]) for piece in sound} == {(22_050, 2, 1)}
    pcm = b"".join(base64.b64decode(piece["pcm"]) for piece in sound)
    assert len(pcm) / 2 / 22_050 == pytest.approx(0.05 * len(record["reply"]), abs=0.01)


async def test_a_recording_runs_a_whole_turn(api: Api) -> None:
    *events, record = await turn(api, recording(), "?audio=1&area=cooking%20area")
    kinds = [event["type"] for event in events]
    assert record["transcript"] == "turn on the lamp"
    assert record["reason"] == "acted"
    for kind in ("stt-start", "stt-vad-start", "stt-vad-end", "stt-end", "tts-start", "tts-audio", "tts-end"):
        assert kind in kinds
    assert api.hub.turns[0].session.area == "kitchen"


async def test_a_recording_may_have_to_begin_with_a_wake_word(api: Api) -> None:
    *events, record = await turn(api, recording(), "?wake=waker:okay_nabu,%20hey_jarvis")
    assert (record["reason"], record["wake"]) == ("acted", {"word": "okay_nabu", "offset": 0.3})
    assert api.hub.registry.waker.asked == [("okay_nabu", "hey_jarvis")]
    assert "wake_word-end" in [event["type"] for event in events]
    *_, record = await turn(api, recording(), "?wake=waker:hey_jarvis")
    assert (record["reason"], record["wake"]) == ("no_wake_word", None)
    api.hub.states.set("integration.gone", "failed", {"type": "wyoming"})
    *_, record = await turn(api, recording(), "?wake=gone")
    assert record["failures"][0]["message"] == "there is no integration 'gone'"


@pytest.mark.parametrize(
    ("wake", "code", "words"),
    [
        ("wakr", "unknown-engine", "named 'wakr'; did you mean 'waker'?"),
        ("deaf", "unknown-engine", "named 'deaf'; there is waker"),
        ("waker:okay_nab", "unknown-wake-word", "'okay_nab'; did you mean 'okay_nabu'?"),
    ],
)
async def test_a_wake_word_that_nobody_has_is_told_at_once(
    api: Api, wake: str, code: str, words: str
) -> None:
    api.hub.states.set("integration.waker", "open", {"type": "microwakeword", "provides": ["wake"]})
    api.hub.states.set("integration.deaf", "open", {"type": "piper", "provides": ["tts"]})
    url = f"http://earnest/api/turns?wake={wake}"
    async with api.session.post(url, **recording()) as response:
        body = await response.json()
    assert (response.status, body["code"]) == (404, code)
    assert body["message"].endswith(words)


async def test_a_text_has_no_wake_word(api: Api) -> None:
    body = {"text": "turn on the lamp", "wake": "waker"}
    async with api.session.post("http://earnest/api/turns", json=body) as response:
        assert response.status == 400
        assert "starts at wake needs a body of type audio/wav" in (await response.json())["message"]


async def test_a_recording_without_wish_for_audio_sends_none(api: Api) -> None:
    lines = await turn(api, recording())
    assert "tts-audio" not in {line.get("type") for line in lines}
    assert lines[-1]["timeline"]["tts"] >= 0


async def test_a_text_is_said(api: Api) -> None:
    wish = {"text": "Dinner is ready.", "start": "tts", "end": "tts", "audio": True}
    *events, record = await turn(api, {"json": wish})
    assert record["reason"] == "said"
    assert any(event["type"] == "tts-audio" for event in events)


async def test_a_recording_is_heard_while_it_still_comes(api: Api) -> None:
    """The first words are answered before the second half of the recording was sent."""
    api.hub.registry.whisper = ScriptedAsr((Heard(text="turn on the lamp", partials=("turn on",)),))
    heard = asyncio.Event()
    whole = wav([AudioChunk(tone(2.0))])

    async def body() -> AsyncIterator[bytes]:
        yield whole[: len(whole) // 2]
        await heard.wait()
        yield whole[len(whole) // 2 :]

    async with api.session.post("http://earnest/api/turns", data=body(), headers=WAV) as response:
        async for line in response.content:
            if json.loads(line).get("type") == "stt-progress":
                heard.set()
    assert heard.is_set()
    assert api.lamps.done


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "empty"),
        (b"RIFF", "no WAV"),
        (b"this is no recording at all, but a text", "no WAV"),
        (bytes(1000), "no WAV"),
    ],
)
async def test_what_is_no_recording_fails_with_a_reason(api: Api, body: bytes, message: str) -> None:
    record = (await turn(api, {"data": body, "headers": WAV}))[-1]
    assert record["reason"] == "failed"
    assert record["failures"][0]["code"] == "audio-unreadable"


@pytest.mark.parametrize(
    ("wish", "status", "code"),
    [
        ({}, 400, "no-text"),
        ({"text": ""}, 400, "no-text"),
        ({"text": " \n\t "}, 400, "no-text"),
        ({"text": 7}, 400, "bad-body"),
        ({"text": "x" * 2_001}, 413, "text-too-long"),
        ({"txet": "hello"}, 400, "bad-body"),
        ({"text": "hello", "pipeline": "defalt"}, 404, "unknown-pipeline"),
        ({"text": "hello", "area": "kitchn"}, 404, "unknown-area"),
        ({"text": "hello", "start": "wake"}, 400, "bad-body"),
        ({"text": "hello", "start": "vad"}, 400, "bad-body"),
        ({"text": "hello", "language": "../../etc"}, 400, "bad-body"),
        ({"text": "hello", "session": "a b"}, 400, "bad-body"),
        (["hello"], 400, "bad-body"),
    ],
)
async def test_a_turn_that_cannot_begin_says_why(api: Api, wish: object, status: int, code: str) -> None:
    seen, body = await api.post("/api/turns", wish)
    assert (seen, body["code"]) == (status, code)
    assert not api.hub.turns


async def test_a_near_match_is_offered(api: Api) -> None:
    _, body = await api.post("/api/turns", {"text": "hello", "pipeline": "defalt"})
    assert body["message"] == "there is no pipeline 'defalt'; did you mean 'default'?"


async def test_a_client_that_leaves_cancels_the_turn_but_not_the_deed(
    api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    api.lamps.hold = asyncio.Event()
    response = await api.session.post("http://earnest/api/turns", json={"text": "turn on the lamp"})
    await api.lamps.begun.wait()
    response.close()
    while not api.hub.ended:
        await asyncio.sleep(0)
    assert api.hub.ended == ["cancelled"]
    assert not api.lamps.done
    api.lamps.hold.set()
    while not api.lamps.done:
        await asyncio.sleep(0)
    assert not [record for record in caplog.records if record.levelno > logging.INFO]


async def test_a_client_that_reads_nothing_is_let_go(folder: Path) -> None:
    """Its spoken answer is far larger than what lies between hub and client."""
    async with served(folder, write_timeout=0.3) as api:
        api.hub.registry.voice.seconds_per_character = 20.0
        reader, writer = await asyncio.open_unix_connection(str(api.path), limit=1024)
        body = json.dumps({"text": "word " * 20, "start": "tts", "end": "tts", "audio": True}).encode()
        head = "POST /api/turns HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await reader.readline()
        while not api.hub.ended:
            await asyncio.sleep(0)
        assert api.hub.ended == ["cancelled"]
        writer.close()


async def test_a_turn_that_runs_when_the_hub_stops_is_ended_within_the_limit(folder: Path) -> None:
    async with served(folder, stop_timeout=0.1) as api:
        api.lamps.hold = asyncio.Event()
        hub = api.hub
        await api.session.post("http://earnest/api/turns", json={"text": "turn on the lamp"})
        await api.lamps.begun.wait()
        api.lamps.hold.set()
    assert len(hub.ended) == 1


async def test_many_turns_at_once_answer_each_its_own(api: Api) -> None:
    asked = ["turn on the lamp", "what time is it?"] * 8
    answers = await asyncio.gather(*(turn(api, {"json": {"text": text}}) for text in asked))
    assert [lines[-1]["reply"] for lines in answers] == ["Lamp is on.", "It is noon."] * 8
