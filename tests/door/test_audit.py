from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.bus import Bus
from hub.clock import Clock
from hub.door.audit import AuditConfig, actions
from hub.errors import ToolError
from hub.values.thing import Thing
from hub.values.tool import Caller, Done, Effect, Refused, Tool, ToolCall
from tests.door.dwelling import Builder, Door

LAMP = "light.kitchen_lamp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Parameters of the tools of these tests."""

    number: int = 0
    wishes: dict[str, Any] = field(default_factory=dict)


async def test_an_action_is_one_line_with_all_its_fields(builder: Builder) -> None:
    async with builder.door() as door:
        done = await door(
            "light.turn_on", LAMP, caller=Caller(("voice:kitchen",)), text="lights", brightness=9
        )
    (line,) = door.lines()
    assert line["latency_ms"] > 0
    assert datetime.fromisoformat(line["ts"]).tzinfo is not None
    del line["latency_ms"], line["ts"]
    assert line == {
        "event": "close",
        "id": done.call.id,
        "caller": "voice:kitchen",
        "satellite": "kitchen",
        "mode": None,
        "text": None,
        "edited": None,
        "tool": "light.turn_on",
        "args": {"brightness": 9},
        "targets": [LAMP],
        "effect": "write",
        "requires_confirmation": False,
        "confirmed": None,
        "by": None,
        "ok": True,
        "result": None,
        "failed": {},
        "turn": None,
    }


async def test_reads_leave_no_line_and_no_file(builder: Builder) -> None:
    async with builder.door() as door:
        assert isinstance(await door("todo.get_items", "Shopping list"), Done)
    assert not door.audit.exists()


async def test_reads_are_kept_when_that_is_wanted(builder: Builder) -> None:
    async with builder.door(config=AuditConfig(reads=True)) as door:
        await door("todo.get_items", "Shopping list")
    assert [(line["effect"], line["ok"]) for line in door.lines()] == [("read", True)]


async def test_words_are_kept_only_when_that_is_wanted_and_never_with_a_secret(builder: Builder) -> None:
    async with builder.door(config=AuditConfig(text=True)) as door:
        door.appliances.trouble["lock.front_door"] = ToolError("The code 4711 is wrong.")
        await door("lock.unlock", "Front door", text="unlock the door with 4711", code="4711")
    (line,) = door.lines()
    assert line["text"] == "unlock the door with ***"
    assert line["args"] == {"code": "***"}
    assert line["failed"] == {"lock.front_door": "The code *** is wrong."}
    assert b"4711" not in b"".join(path.read_bytes() for path in door.audit.iterdir())


async def test_the_line_is_there_before_the_tool_runs_and_open_until_it_ends(builder: Builder) -> None:
    async with builder.door() as door:
        go = door.appliances.held[LAMP] = asyncio.Event()
        waiting = asyncio.create_task(door("light.turn_on", LAMP))
        await door.appliances.begun.wait()
        assert [(line["event"], line["ok"]) for line in door.lines()] == [("open", None)]
        go.set()
        await waiting
    assert [(line["event"], line["ok"]) for line in door.lines()] == [("close", True)]


async def test_nothing_runs_that_cannot_be_audited_and_reads_still_work(builder: Builder) -> None:
    (builder.folder / "audit").write_text("no folder")
    async with builder.door() as door:
        refused = await door("light.turn_on", LAMP)
        assert isinstance(refused, Refused)
        assert refused.code == "audit-failed"
        assert "audit" in refused.reason
        assert door.appliances.done == []
        assert isinstance(await door("todo.get_items", "Shopping list"), Done)
        (builder.folder / "audit").unlink()
        assert isinstance(await door("light.turn_on", LAMP), Done)
    assert [(line["event"], line.get("code")) for line in door.lines()] == [
        ("refused", "audit-failed"),
        ("close", None),
    ]


async def test_the_day_is_that_of_the_house(tmp_path: Path, bus: Bus) -> None:
    zone = ZoneInfo("Pacific/Kiritimati")
    async with Builder(tmp_path, bus, Clock(zone)).door() as door:
        before = datetime.now(UTC).astimezone(zone).date()
        await door("light.turn_on", LAMP)
        after = datetime.now(UTC).astimezone(zone).date()
    assert [path.stem for path in door.audit.iterdir()] in ([before.isoformat()], [after.isoformat()])


async def test_hostile_arguments_stay_one_line_of_json(builder: Builder) -> None:
    async def nothing(call: ToolCall, things: tuple[Thing, ...]) -> None:
        """Do nothing."""

    deep: dict[str, Any] = {}
    for _ in range(500):
        deep = {"in": deep}
    wishes = {
        "lines": "a\nb\u2028c\x00\ud800",
        "long": "x" * 100_000,
        "many": list(range(10_000)),
        "not a number": float("nan"),
        "deep": deep,
        "token": {"a": 1},
        "bytes": b"\xff",
    }
    tool = Tool(name="test.do", description="Do it.", parameters=Order, run=nothing)
    async with builder.door(tools=[tool]) as door:
        assert isinstance(await door("test.do", wishes=wishes, text="\udcff"), Done)
    (line,) = door.lines()
    assert line["ok"] is True
    assert line["args"]["wishes"]["token"] == "***"
    (file,) = door.audit.iterdir()
    assert file.stat().st_size < 10_000
    assert len(file.read_bytes().split(b"\n")) == 3


def test_reading_joins_ends_with_beginnings_and_leaves_torn_lines_out(tmp_path: Path) -> None:
    file = tmp_path / "2027-01-01.jsonl"
    every = [
        {"event": "open", "id": "a", "tool": "x", "ok": None},
        {"event": "open", "id": "b", "tool": "y", "ok": None},
        {"event": "close", "id": "a", "ok": True},
        {"event": "open", "id": "a", "tool": "again", "ok": None},
        {"event": "close", "id": "nobody", "ok": False},
    ]
    file.write_text(
        "\n".join(map(json.dumps, every)) + '\n[]\n7\n{"id": 3}\n{"event": "open", "id": "c", "to'
    )
    assert [(line["id"], line.get("tool"), line["ok"]) for line in actions(file)] == [
        ("a", "x", True),
        ("b", "y", None),
        ("a", "again", None),
        ("nobody", None, False),
    ]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(("end", "fail", "break"))), min_size=1, max_size=12)
)
def test_whatever_runs_has_its_line_on_the_disk_first(
    tmp_path_factory: pytest.TempPathFactory, plan: list[tuple[int, str]]
) -> None:
    """Calls come in bursts, wait at different times and end in different ways."""
    asyncio.run(_burst(tmp_path_factory.mktemp("audit"), plan))


async def _burst(folder: Path, plan: list[tuple[int, str]]) -> None:
    unaudited: list[str] = []

    async def run(call: ToolCall, things: tuple[Thing, ...]) -> None:
        pauses, end = plan[call.arguments["number"]]
        on_disk = {line["id"] for path in (folder / "audit").glob("*.jsonl") for line in actions(path)}
        if call.id not in on_disk:
            unaudited.append(call.id)
        for _ in range(pauses):
            await asyncio.sleep(0)
        if end == "fail":
            raise ToolError("It does not work.")
        if end == "break":
            raise ZeroDivisionError

    tool = Tool(name="test.do", description="Do it.", parameters=Order, run=run, effect=Effect.DANGER)
    async with Builder(folder, Bus(), Clock()).door(tools=[tool]) as door:
        ends = await asyncio.gather(*(_after(door, number, plan) for number in range(len(plan))))
    assert not unaudited
    assert [isinstance(end, Done) and end.ok for end in ends] == [how == "end" for _, how in plan]
    by_id = {line["id"]: line["ok"] for line in door.lines()}
    assert by_id == {end.call.id: how == "end" for end, (_, how) in zip(ends, plan, strict=True)}


async def _after(door: Door, number: int, plan: list[tuple[int, str]]) -> Any:
    for _ in range(plan[number][0]):
        await asyncio.sleep(0)
    return await door("test.do", number=number)
