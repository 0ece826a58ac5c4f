"""`/api/events`: what happens, live; slow viewers lose the oldest and are told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import aiohttp

from tests.api.conftest import Api, served


async def messages(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    """Yield the events of a stream."""
    async for line in response.content:
        if line.startswith(b"data: "):
            yield json.loads(line[6:])


async def test_a_viewer_sees_states_change(api: Api) -> None:
    async with api.session.get("http://earnest/api/events?restrict=state_changed") as response:
        assert response.content_type == "text/event-stream"
        await response.content.readline()
        api.hub.states.set("light.lamp", "on")
        event = await anext(messages(response))
    assert event["event_type"] == "state_changed"
    assert event["data"]["old_state"]["state"] == "off"
    assert event["data"]["new_state"]["state"] == "on"
    assert event["time_fired"]


async def test_a_viewer_that_names_no_kinds_sees_a_whole_turn(api: Api) -> None:
    async with api.session.get("http://earnest/api/events") as response:
        await response.content.readline()
        await api.post("/api/conversation/process", {"text": "turn on the lamp"})
        kinds = []
        async for event in messages(response):
            kinds.append(event["event_type"])
            if event["event_type"] == "run-end":
                break
    assert kinds[0] == "run-start"
    assert "call_service" in kinds
    assert "state_changed" in kinds


async def test_an_unknown_kind_of_event_has_a_near_match(api: Api) -> None:
    status, body = await api.get("/api/events?restrict=state_change")
    assert (status, body["code"]) == (400, "unknown-event")
    assert "did you mean 'state_changed'?" in body["message"]


async def test_a_silent_stream_says_that_it_is_alive(folder: Path) -> None:
    async with (
        served(folder, heartbeat=0.1) as api,
        api.session.get("http://earnest/api/events") as response,
    ):
        lines = [await response.content.readline() for _ in range(5)]
    assert lines == [b": connected\n", b"\n", b": alive\n", b"\n", b": alive\n"]


async def test_a_viewer_that_reads_slowly_loses_the_oldest_and_is_told(folder: Path) -> None:
    async with (
        served(folder, viewer_events=10) as api,
        api.session.get("http://earnest/api/events?restrict=state_changed") as response,
    ):
        await response.content.readline()
        for number in range(100):
            api.hub.states.set("light.lamp", str(number))
        told = messages(response)
        first = await anext(told)
        seen = [await anext(told) for _ in range(10)]
    assert first["event_type"] == "events_lost"
    assert first["data"] == {"count": 90}
    assert [event["data"]["new_state"]["state"] for event in seen] == [str(n) for n in range(90, 100)]


async def test_a_viewer_that_stops_reading_costs_no_memory_and_nobody_else(folder: Path) -> None:
    """The stuck one is let go after `viewer_timeout`; a second one gets every event meanwhile."""
    async with served(folder, viewer_events=50, viewer_timeout=0.3) as api:
        reader, writer = await asyncio.open_unix_connection(str(api.path), limit=1024)
        writer.write(b"GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readline()
        big = {"text": "x" * 100_000}
        async with api.session.get("http://earnest/api/events?restrict=state_changed") as response:
            await response.content.readline()
            told = messages(response)
            for number in range(40):
                api.hub.states.set("light.lamp", str(number), big)
                assert (await anext(told))["data"]["new_state"]["state"] == str(number)
            while len(api.hub.bus._views) > 1:
                await asyncio.sleep(0)
            api.hub.states.set("light.lamp", "after that")
            assert (await anext(told))["data"]["new_state"]["state"] == "after that"
        with suppress(ConnectionError):
            while await reader.read(65_536):
                pass
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def test_a_stream_ends_with_the_hub_and_says_so(folder: Path) -> None:
    async with AsyncExitStack() as hub:
        api = await hub.enter_async_context(served(folder))
        async with (
            aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(api.path))) as session,
            session.get("http://earnest/api/events") as response,
        ):
            await response.content.readline()
            await hub.aclose()
            rest = await response.content.read()
    assert b"event: homeassistant_stop\n" in rest


async def test_a_viewer_that_leaves_is_forgotten(api: Api) -> None:
    async with api.session.get("http://earnest/api/events") as response:
        await response.content.readline()
        response.close()
    while api.hub.bus._views:
        await asyncio.sleep(0)
