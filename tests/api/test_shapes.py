"""What is, what there is and what can be done, in Home Assistant's shapes."""

from __future__ import annotations

from datetime import datetime

import pytest

from hub.door.policy import Rule
from tests.api.conftest import Api, served


async def test_health_says_that_the_hub_runs(api: Api) -> None:
    status, body = await api.get("/api/")
    assert status == 200
    assert (body["message"], body["state"]) == ("API running.", "RUNNING")
    assert body["pipelines"] == ["default", "mute", "broken"]


async def test_states_look_as_in_home_assistant(api: Api) -> None:
    status, states = await api.get("/api/states")
    assert status == 200
    lamp = next(state for state in states if state["entity_id"] == "light.lamp")
    assert set(lamp) == {"entity_id", "state", "attributes", "last_changed", "last_updated", "context"}
    assert lamp["state"] == "off"
    assert datetime.fromisoformat(lamp["last_changed"]).tzinfo


async def test_one_state(api: Api) -> None:
    assert (await api.get("/api/states/light.lamp"))[1]["state"] == "off"


async def test_an_unknown_entity_is_told_with_a_near_match(api: Api) -> None:
    status, body = await api.get("/api/states/light.lmap")
    assert status == 404
    assert body == {
        "code": "unknown-entity",
        "message": "there is no entity 'light.lmap'; did you mean 'light.lamp'?",
    }


async def test_things_stand_in_their_rooms(api: Api) -> None:
    _, things = await api.get("/api/things")
    lamp = things[0]
    assert (lamp["id"], lamp["area"], lamp["area_name"], lamp["floor"]) == (
        "light.lamp",
        "kitchen",
        "Kitchen",
        "ground",
    )
    assert (lamp["integration"], lamp["state"], lamp["aliases"]) == ("demo", "off", ["bulb"])


async def test_tools_come_with_their_parameters(api: Api) -> None:
    _, tools = await api.get("/api/tools")
    tool = next(tool for tool in tools if tool["name"] == "light.turn_on")
    assert tool["targets"] == "light"
    assert "brightness_pct" in tool["parameters"]["properties"]


async def test_services_are_listed_by_domain(api: Api) -> None:
    _, listed = await api.get("/api/services")
    light = next(entry for entry in listed if entry["domain"] == "light")
    assert "brightness_pct" in light["services"]["turn_on"]["fields"]
    assert light["services"]["turn_on"]["target"] == {"entity": [{"domain": ["light"]}]}


@pytest.mark.parametrize(
    "body",
    [
        {"entity_id": "light.lamp"},
        {"entity_id": ["light.lamp"]},
        {"target": {"entity_id": "light.lamp"}},
        {"area_id": "kitchen"},
        {"entity_id": "light.lamp, light.lamp"},
    ],
)
async def test_a_service_call_answers_with_the_states_it_changed(api: Api, body: dict[str, object]) -> None:
    status, states = await api.post("/api/services/light/turn_on", body)
    assert status == 200
    assert [(state["entity_id"], state["state"]) for state in states] == [("light.lamp", "on")]
    assert api.lamps.done == [("light.lamp", "turn_on", {})]


async def test_a_service_call_can_return_its_response(api: Api) -> None:
    status, body = await api.post("/api/services/light/turn_on?return_response", {"entity_id": "light.lamp"})
    assert status == 200
    assert set(body) == {"changed_states", "service_response"}


async def test_arguments_reach_the_thing(api: Api) -> None:
    await api.post("/api/services/light/turn_on", {"entity_id": "light.lamp", "brightness_pct": 40})
    assert api.lamps.done[0][2]["brightness_pct"] == 40


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("light/turn_onn", {"entity_id": "light.lamp"}, 404, "unknown-tool"),
        ("light/turn_on", {"entity_id": "light.nowhere"}, 404, "no-target"),
        ("light/turn_on", {"entity_id": "light.lamp", "brightness_pct": "much"}, 400, "bad-arguments"),
        ("light/turn_on", {"entity_id": "light.stuck"}, 500, "tool-failed"),
        ("light/turn_on", {"device_id": "abc"}, 400, "bad-body"),
        ("light/turn_on", {"entity_id": 7}, 400, "bad-body"),
        ("light/turn_on", {"target": "light.lamp"}, 400, "bad-body"),
        ("light/turn_on", ["light.lamp"], 400, "bad-body"),
    ],
)
async def test_a_service_call_that_cannot_be_done_says_why(
    api: Api, path: str, body: object, status: int, code: str
) -> None:
    seen, answer = await api.post(f"/api/services/{path}", body)
    assert (seen, answer["code"]) == (status, code)
    assert answer["message"]
    assert not api.lamps.done


async def test_a_tool_call_answers_with_its_outcome(api: Api) -> None:
    status, outcome = await api.post("/api/tools/light.turn_on", {"entities": ["bulb"], "data": {}})
    assert status == 200
    assert outcome == {
        "tool": "light.turn_on",
        "targets": ["light.lamp"],
        "ok": True,
        "result": None,
        "failed": {},
    }


async def test_a_tool_that_fails_is_an_answer(api: Api) -> None:
    status, outcome = await api.post("/api/tools/light.turn_on", {"entities": ["light.stuck"]})
    assert status == 200
    assert outcome["ok"] is False
    assert outcome["failed"] == {"light.stuck": "The lamp is stuck."}


async def test_an_unknown_option_of_a_tool_call_has_a_near_match(api: Api) -> None:
    status, body = await api.post("/api/tools/light.turn_on", {"entitys": ["light.lamp"]})
    assert status == 400
    assert "did you mean 'entities'?" in body["message"]


async def test_a_rule_can_forbid_the_api_a_tool(folder: object) -> None:
    rule = Rule(tools=("light.*",), callers=("api",), then="deny")
    async with served(folder, rules=(rule,)) as api:  # type: ignore[arg-type]
        status, body = await api.post("/api/services/light/turn_on", {"entity_id": "light.lamp"})
        assert (status, body["code"]) == (403, "denied")
        cli = {"Earnest-Client": "cli"}
        status, _ = await api.post("/api/services/light/turn_on", {"entity_id": "light.lamp"}, headers=cli)
        assert status == 200


async def test_a_reload_that_finds_problems_returns_them_all(api: Api) -> None:
    assert (await api.post("/api/reload"))[0] == 200
    api.hub.is_broken = True
    status, body = await api.post("/api/reload")
    assert (status, body["code"]) == (400, "config-invalid")
    assert body["message"] == "a.yaml:3:1: areas: expected a mapping"
    assert body["problems"][0]["line"] == 3
    assert api.hub.reloads == 1
