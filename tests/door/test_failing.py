"""Things and tools that fail, hang, or take the hub with them: each costs its own answer and no more."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Literal

import pytest

from hub.door.limits import DoorLimits
from hub.errors import ToolError
from hub.values.thing import Thing
from hub.values.tool import Done, ToolCall
from tests.door.dwelling import LAMP, Builder, Door, tool


async def test_one_broken_thing_does_not_hide_what_the_others_did(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    door.appliances.trouble = {LAMP: ToolError("The bulb is dead."), "light.counter": KeyError("1234")}
    done = await door("light.turn_on", areas=("kitchen", "bedroom"))
    assert isinstance(done, Done)
    assert not done.ok
    assert done.failed == {LAMP: "The bulb is dead.", "light.counter": "'Counter light' failed."}
    assert [one[0] for one in door.appliances.done] == ["light.bedside"]
    assert "KeyError" in caplog.text
    assert "1234" not in caplog.text


async def test_a_thing_that_wants_to_end_the_program_only_fails(door: Door) -> None:
    door.appliances.trouble = {LAMP: SystemExit(3)}
    done = await door("light.turn_on", areas=("kitchen",))
    assert isinstance(done, Done)
    assert done.failed == {LAMP: "'Kitchen lamp' failed."}


async def test_a_thing_that_cancels_itself_only_fails(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    door.appliances.trouble = {LAMP: asyncio.CancelledError()}
    done = await door("light.turn_on", areas=("kitchen",))
    assert isinstance(done, Done)
    assert done.failed == {LAMP: "'Kitchen lamp' failed."}
    assert "CutShort" in caplog.text


@pytest.mark.virtual_time
async def test_a_thing_that_will_not_be_cancelled_is_left_behind(
    builder: Builder, caplog: pytest.LogCaptureFixture
) -> None:
    ends = asyncio.Event()

    async def swallow(call: ToolCall, things: tuple[Thing, ...]) -> None:
        while not ends.is_set():
            with suppress(asyncio.CancelledError):
                await ends.wait()

    async with builder.door(tools=[tool(swallow, timeout=2.5)]) as door:
        done = await door("test.do")
        assert isinstance(done, Done)
        assert done.failed == {"": "test.do did not finish within 2.5 seconds."}
        assert "tool test.do does not end although it was cancelled" in caplog.text
        ends.set()


async def test_a_tool_that_wants_to_end_the_program_only_fails(builder: Builder) -> None:
    async def leave(call: ToolCall, things: tuple[Thing, ...]) -> None:
        raise SystemExit(3)

    async with builder.door(tools=[tool(leave)]) as door:
        done = await door("test.do")
    assert isinstance(done, Done)
    assert done.failed == {"": "test.do failed."}


@pytest.mark.virtual_time
async def test_a_thing_that_hangs_is_named_and_the_others_are_done(door: Door) -> None:
    door.appliances.held[LAMP] = asyncio.Event()
    done = await door("light.turn_on", areas=("kitchen",))
    assert isinstance(done, Done)
    assert done.failed == {LAMP: "'Kitchen lamp' did not answer within 8 seconds."}
    assert [one[0] for one in door.appliances.done] == ["light.counter"]


@pytest.mark.virtual_time
async def test_a_tool_ends_at_its_own_limit(builder: Builder) -> None:
    async def hang(call: ToolCall, things: tuple[Thing, ...]) -> None:
        await asyncio.Event().wait()

    async with builder.door(tools=[tool(hang, timeout=2.5)]) as door:
        before = asyncio.get_running_loop().time()
        done = await door("test.do")
        assert 2.5 <= asyncio.get_running_loop().time() - before < 2.6
        assert isinstance(done, Done)
        assert done.failed == {"": "test.do did not finish within 2.5 seconds."}


async def test_a_broken_tool_is_logged_without_secrets_and_answers(
    builder: Builder, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(call: ToolCall, things: tuple[Thing, ...]) -> None:
        raise RuntimeError(f"cannot use {call.arguments['key']}")

    async with builder.door(tools=[tool(broken)]) as door:
        done = await door("test.do", key="s3sam3")
    assert isinstance(done, Done)
    assert done.failed == {"": "test.do failed."}
    assert "RuntimeError: cannot use ***" in caplog.text
    assert "s3sam3" not in caplog.text


async def test_a_tools_own_timeout_error_is_a_failure_like_any_other(builder: Builder) -> None:
    async def late(call: ToolCall, things: tuple[Thing, ...]) -> None:
        raise TimeoutError

    async with builder.door(tools=[tool(late)]) as door:
        done = await door("test.do")
    assert isinstance(done, Done)
    assert done.failed == {"": "test.do failed."}


async def test_the_log_of_a_hung_deed_names_it(builder: Builder, caplog: pytest.LogCaptureFixture) -> None:
    begun, stuck = asyncio.Event(), asyncio.Event()

    async def deaf(call: ToolCall, things: tuple[Thing, ...]) -> None:
        begun.set()
        while not stuck.is_set():
            with suppress(asyncio.CancelledError):
                await stuck.wait()

    caplog.set_level(logging.ERROR)
    async with builder.door(tools=[tool(deaf)], limits=DoorLimits(close_wait=0.01)) as door:
        waiting = asyncio.create_task(door("test.do"))
        await begun.wait()
    assert "tool test.do does not end" in caplog.text
    stuck.set()
    await waiting


@pytest.mark.virtual_time
async def test_one_thing_that_hangs_is_named_and_one_that_ends_the_program_fails(door: Door) -> None:
    door.appliances.held[LAMP] = asyncio.Event()
    hung = await door("light.turn_on", LAMP)
    assert isinstance(hung, Done)
    assert hung.failed == {LAMP: "'Kitchen lamp' did not answer within 8 seconds."}
    del door.appliances.held[LAMP]
    for trouble in (SystemExit(3), TimeoutError(), KeyError("x")):
        door.appliances.trouble = {LAMP: trouble}
        ended = await door("light.turn_on", LAMP)
        assert isinstance(ended, Done)
        assert ended.failed == {LAMP: "'Kitchen lamp' failed."}


@pytest.mark.virtual_time
async def test_one_thing_alone_that_cancels_itself_or_will_not_be_cancelled_ends_with_its_tool(
    door: Door,
) -> None:
    door.appliances.trouble = {LAMP: asyncio.CancelledError()}
    ended = await door("light.turn_on", LAMP)
    assert isinstance(ended, Done)
    assert ended.failed == {"": "light.turn_on failed."}
    door.appliances.trouble = {}
    held = door.appliances.held[LAMP] = _Deaf()
    late = await door("light.turn_on", LAMP)
    assert isinstance(late, Done)
    assert late.failed == {"": "light.turn_on did not finish within 10 seconds."}
    held.set()


class _Deaf(asyncio.Event):
    """An event whose waiters do not let themselves be cancelled."""

    async def wait(self) -> Literal[True]:
        """Return when it is set, whatever happens meanwhile."""
        while not self.is_set():
            with suppress(asyncio.CancelledError):
                await super().wait()
        return True
