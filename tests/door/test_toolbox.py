from __future__ import annotations

import asyncio

import pytest

from hub.door.limits import DoorLimits
from hub.door.policy import Policy, Rule, Scope
from hub.errors import IntegrationError
from hub.events import Event, ToolCalled, ToolFinished
from hub.values.thing import Thing
from hub.values.tool import Caller, Done, Effect, Refused, Target, ToolCall
from tests.door.dwelling import ANNA, LAMP, Builder, Door, tool


async def nothing(call: ToolCall, things: tuple[Thing, ...]) -> None:
    """Do nothing."""


async def test_a_lamp_is_turned_on(door: Door) -> None:
    done = await door("light.turn_on", LAMP, brightness_pct=40)
    assert isinstance(done, Done)
    assert done.ok
    assert done.targets == (LAMP,)
    assert door.appliances.done == [(LAMP, "turn_on", {"brightness_pct": 40.0})]


async def test_a_name_an_alias_and_another_case_find_the_lamp(door: Door) -> None:
    for word in ("Kitchen lamp", "BIG  LIGHT", "Light.Kitchen_Lamp"):
        assert isinstance(await door("light.turn_off", word), Done)
    assert [done[0] for done in door.appliances.done] == [LAMP] * 3


async def test_what_is_not_known_is_refused_with_a_near_match(door: Door) -> None:
    unknown = await door("light.turn_onn", LAMP)
    nobody = await door("light.turn_on", "Kitchen lammp")
    nowhere = await door("light.turn_on", areas=("kitchn",))
    assert isinstance(unknown, Refused)
    assert (unknown.code, "did you mean 'light.turn_on'?" in unknown.reason) == ("unknown-tool", True)
    assert isinstance(nobody, Refused)
    assert (nobody.code, "did you mean 'Kitchen lamp'?" in nobody.reason) == ("no-target", True)
    assert isinstance(nowhere, Refused)
    assert (nowhere.code, "did you mean 'Kitchen'?" in nowhere.reason) == ("no-target", True)
    assert door.appliances.done == []


async def test_wrong_arguments_are_refused_with_a_sentence(door: Door) -> None:
    for wrong in (
        {"brightness_pct": 101},
        {"brigtness": 1},
        {"color_name": "blu"},
        {"brightness": 1, "white": "x"},
    ):
        refused = await door("light.turn_on", LAMP, **wrong)
        assert isinstance(refused, Refused)
        assert refused.code == "bad-arguments"
        assert next(iter(wrong)) in refused.reason or "white" in refused.reason
    assert door.appliances.done == []


async def test_arguments_that_exclude_each_other_are_refused(door: Door) -> None:
    refused = await door("light.turn_on", LAMP, brightness=3, brightness_pct=4)
    assert isinstance(refused, Refused)
    assert "only one of brightness, brightness_pct" in refused.reason


async def test_arguments_that_are_null_count_as_not_given(door: Door) -> None:
    await door("light.turn_on", LAMP, brightness=None, color_name="Dark Blue")
    assert door.appliances.done == [(LAMP, "turn_on", {"color_name": "darkblue"})]


async def test_a_tool_without_target_takes_none_and_one_with_target_needs_one(builder: Builder) -> None:
    async with builder.door(tools=[tool(nothing)]) as door:
        assert isinstance(await door("test.do", level=3), Done)
        for refused in (await door("test.do", LAMP), await door("light.turn_on")):
            assert isinstance(refused, Refused)
            assert refused.code in ("bad-arguments", "no-target")


async def test_things_that_cannot_do_it_are_left_out_of_an_area_and_refused_by_name(door: Door) -> None:
    done = await door("homeassistant.turn_off", areas=("kitchen",))
    assert isinstance(done, Done)
    assert set(done.targets) == {LAMP, "light.counter", "switch.kettle"}
    refused = await door("homeassistant.turn_off", "Warmth")
    assert isinstance(refused, Refused)
    assert refused.code == "no-target"


async def test_nobody_may_call(door: Door) -> None:
    for nobody in (Caller(()), Caller(("voice:kitchen", " "))):
        refused = await door("light.turn_on", LAMP, caller=nobody)
        assert isinstance(refused, Refused)
        assert refused.code == "unknown-caller"


async def test_answers_come_back_by_thing(door: Door) -> None:
    done = await door("todo.get_items", "Shopping list")
    assert isinstance(done, Done)
    assert done.result == {"todo.shopping": {"was": "get_items"}}


async def test_a_cancelled_caller_stops_waiting_and_the_deed_is_done_and_audited(builder: Builder) -> None:
    async with builder.door() as door:
        go = door.appliances.held[LAMP] = asyncio.Event()
        waiting = asyncio.create_task(door("light.turn_on", LAMP))
        await door.appliances.begun.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert door.appliances.done == []
        go.set()
    assert door.appliances.done == [(LAMP, "turn_on", {})]
    assert [(line["tool"], line["ok"]) for line in door.lines()] == [("light.turn_on", True)]


@pytest.mark.virtual_time
async def test_closing_refuses_new_calls_waits_for_running_ones_and_then_cancels(builder: Builder) -> None:
    async with builder.door(limits=DoorLimits(close_wait=2)) as door:
        door.appliances.held[LAMP] = asyncio.Event()
        waiting = asyncio.create_task(door("light.turn_on", LAMP))
        await door.appliances.begun.wait()
        before = asyncio.get_running_loop().time()
    assert asyncio.get_running_loop().time() - before >= 2
    done = await waiting
    assert isinstance(done, Done)
    assert not done.ok
    refused = await door("light.turn_on", LAMP)
    assert isinstance(refused, Refused)
    assert refused.code == "closing"
    assert [(line["ok"], line["failed"]) for line in door.lines()] == [
        (False, {"": "The hub stopped before it was done."})
    ]


async def test_events_tell_what_was_called_and_how_it_ended(door: Door, seen: list[Event]) -> None:
    done = await door("lock.unlock", "Front door", code="4711")
    await door("lock.unlok", "Front door")
    assert isinstance(done, Done)
    called = [event for event in seen if isinstance(event, ToolCalled)]
    finished = [event for event in seen if isinstance(event, ToolFinished)]
    assert [(one.tool, one.targets, one.effect, one.caller) for one in called] == [
        ("lock.unlock", ("lock.front_door",), "danger", "cli:anna")
    ]
    assert called[0].arguments == {"code": "***"}
    assert [(one.ok, one.code) for one in finished] == [(True, None), (False, "unknown-tool")]
    assert called[0].call_id == finished[0].call_id == done.call.id


async def test_a_call_from_within_a_tool_carries_the_whole_chain(builder: Builder, seen: list[Event]) -> None:
    async def script(call: ToolCall, things: tuple[Thing, ...]) -> None:
        wish = ToolCall(tool="light.turn_on", target=Target(entities=(LAMP,)))
        await door.toolbox.call(wish, Caller(("script.open_up",)))
        await asyncio.create_task(door("light.turn_off", LAMP, caller=ANNA.then("timer.t1")))

    async with builder.door(tools=[tool(script)]) as door:
        await door("test.do")
        await door("light.turn_on", LAMP, caller=Caller(("api:x",)))
    assert [event.caller for event in seen if isinstance(event, ToolCalled)] == [
        "cli:anna",
        "cli:anna > script.open_up",
        "cli:anna > timer.t1",
        "api:x",
    ]


async def test_a_tool_that_calls_itself_ends(builder: Builder) -> None:
    depth = 0

    async def again(call: ToolCall, things: tuple[Thing, ...]) -> None:
        nonlocal depth
        depth += 1
        refused = await door("test.do", caller=Caller(("script.again",)))
        assert isinstance(refused, Refused | Done)

    async with builder.door(tools=[tool(again)], limits=DoorLimits(most_hops=5)) as door:
        assert isinstance(await door("test.do"), Done)
    assert depth == 5


async def test_too_many_calls_at_once_are_refused(builder: Builder) -> None:
    async with builder.door(limits=DoorLimits(most_running=1)) as door:
        go = door.appliances.held[LAMP] = asyncio.Event()
        waiting = asyncio.create_task(door("light.turn_on", LAMP))
        await door.appliances.begun.wait()
        refused = await door("light.turn_on", "light.counter")
        assert isinstance(refused, Refused)
        assert refused.code == "busy"
        go.set()
        await waiting


async def test_a_denied_call_does_nothing_and_is_audited(builder: Builder, seen: list[Event]) -> None:
    rule = Rule(then="deny", tools=("lock.unlock",), callers=("voice",))
    async with builder.door(rule) as door:
        refused = await door(
            "lock.unlock", "Front door", caller=Caller(("voice:kitchen", "script.x")), code="99"
        )
    assert isinstance(refused, Refused)
    assert (refused.code, refused.targets) == ("denied", ("lock.front_door",))
    assert "Front door" in refused.reason
    assert door.appliances.done == []
    assert [event.wire_name for event in seen if isinstance(event, ToolCalled | ToolFinished)] == [
        "call_service_finished"
    ]
    (line,) = door.lines()
    assert (line["event"], line["ok"], line["code"], line["args"]) == (
        "refused",
        False,
        "denied",
        {"code": "***"},
    )


async def test_one_denied_thing_denies_the_whole_call(builder: Builder) -> None:
    rule = Rule(then="deny", targets=Scope(areas=("bedroom",)))
    async with builder.door(rule) as door:
        refused = await door("light.turn_on", areas=("kitchen", "bedroom"))
    assert isinstance(refused, Refused)
    assert "Bedside lamp" in refused.reason
    assert "Kitchen lamp" not in refused.reason
    assert door.appliances.done == []


async def test_a_reloaded_policy_holds_from_the_next_call(door: Door) -> None:
    assert isinstance(await door("light.turn_on", LAMP), Done)
    door.toolbox.judge_by(Policy([Rule(then="deny")], door.house))
    assert isinstance(await door("light.turn_on", LAMP), Refused)


async def test_a_generic_tool_cannot_go_round_a_rule_about_a_domain(builder: Builder) -> None:
    async with builder.door(Rule(then="deny", tools=("light.turn_off",))) as door:
        assert isinstance(await door("homeassistant.turn_off", LAMP), Refused)
        assert isinstance(await door("homeassistant.turn_on", LAMP), Done)


async def test_tools_come_and_go_and_two_cannot_have_one_name(door: Door) -> None:
    mine = tool(nothing)
    with door.toolbox.add([mine]):
        assert door.toolbox.tools["test.do"] is mine
        with pytest.raises(IntegrationError, match=r"test\.do"), door.toolbox.add([mine]):
            pass
        assert "test.do" in door.toolbox.tools
    assert "test.do" not in door.toolbox.tools


@pytest.mark.parametrize(
    ("name", "target", "effect"),
    [
        ("cover.open_cover", "cover.blind", Effect.WRITE),
        ("cover.open_cover", "cover.garage_door", Effect.DANGER),
        ("cover.close_cover", "cover.garage_door", Effect.WRITE),
        ("lock.unlock", "lock.front_door", Effect.DANGER),
        ("lock.lock", "lock.front_door", Effect.WRITE),
        ("todo.get_items", "todo.shopping", Effect.READ),
    ],
)
async def test_the_effect_is_that_on_the_given_thing(
    door: Door, seen: list[Event], name: str, target: str, effect: Effect
) -> None:
    assert isinstance(await door(name, target), Done)
    assert [event.effect for event in seen if isinstance(event, ToolCalled)] == [effect.label]


async def test_the_strictest_effect_of_all_things_counts(door: Door, seen: list[Event]) -> None:
    await door("cover.open_cover", "cover.blind", "cover.garage_door")
    assert [event.effect for event in seen if isinstance(event, ToolCalled)] == ["danger"]


async def test_a_call_is_weighed_without_being_made(door: Door) -> None:
    def weighed(tool: str, thing: str) -> Effect | Refused:
        return door.toolbox.weigh(ToolCall(tool=tool, target=Target(entities=(thing,))), ANNA)

    assert weighed("light.turn_on", LAMP) is Effect.WRITE
    assert weighed("cover.open_cover", "cover.blind") is Effect.WRITE
    assert weighed("cover.open_cover", "cover.garage_door") is Effect.DANGER
    assert weighed("lock.unlock", "lock.front_door") is Effect.DANGER
    nobody = weighed("light.turn_on", "light.gone")
    assert isinstance(nobody, Refused)
    assert nobody.code == "no-target"
    assert (door.appliances.done, door.lines()) == ([], [])
