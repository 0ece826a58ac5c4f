"""`/api/services`: tools in Home Assistant's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from hub.api.answers import Rejected, answer, problem
from hub.api.body import mapping
from hub.api.hub import HUB, Hub
from hub.api.peer import caller
from hub.api.shapes import outcome_shape, outcome_status, state_shape
from hub.api.tools import known
from hub.config.schema import json_schema
from hub.events import Event, StateChanged, plain
from hub.values.tool import Done, Outcome, Target, Tool, ToolCall

_TARGETS = ("entity_id", "area_id", "floor_id")
_UNSUPPORTED = ("device_id", "label_id")


async def listed(request: web.Request) -> web.Response:
    """Return the tools by domain, as Home Assistant lists its services."""
    domains: dict[str, dict[str, Any]] = {}
    for name, tool in sorted(request.app[HUB].toolbox.tools.items()):
        domain, _, verb = name.partition(".")
        domains.setdefault(domain, {})[verb] = _service(tool)
    return answer([{"domain": domain, "services": services} for domain, services in domains.items()])


async def call(request: web.Request) -> web.Response:
    """Call `<domain>.<service>`; the answer is the states that changed by it."""
    hub = request.app[HUB]
    tool = known(hub.toolbox.tools, f"{request.match_info['domain']}.{request.match_info['service']}")
    target, arguments = wanted(await mapping(request))
    wish = ToolCall(tool=tool, arguments=arguments, target=target)
    changed: dict[str, StateChanged] = {}

    def follow(event: Event) -> None:
        if isinstance(event, StateChanged):
            changed[event.entity_id] = event

    with hub.bus.follow(follow, StateChanged):
        outcome = await hub.toolbox.call(wish, caller(request))
    return _ended(hub, outcome, changed, wants_response="return_response" in request.query)


def wanted(body: Mapping[str, Any]) -> tuple[Target, dict[str, Any]]:
    """Split the body of a service call into its target and the tool's arguments."""
    arguments = dict(body)
    inner = arguments.pop("target", {})
    if not isinstance(inner, dict):
        raise Rejected(400, "bad-body", "`target` is no JSON object")
    for key in (*_TARGETS, *_UNSUPPORTED):
        if key in arguments:
            inner = {**inner, key: arguments.pop(key)}
    strange = sorted(set(inner) - set(_TARGETS))
    if strange:
        raise Rejected(400, "bad-body", f"a target takes {', '.join(_TARGETS)}; not {strange[0]}")
    entities = _names(inner, "entity_id")
    return (
        Target(
            entities=tuple(name for name in entities if name != "all"),
            areas=_names(inner, "area_id"),
            floors=_names(inner, "floor_id"),
            everything="all" in entities,
        ),
        arguments,
    )


def _names(target: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return one name, several, or several with commas between them, as a tuple."""
    value = target.get(key)
    if value is None:
        return ()
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Rejected(400, "bad-body", f"{key} is a text or a list of texts")
    return tuple(name.strip() for name in names if name.strip())


def _ended(
    hub: Hub, outcome: Outcome, changed: Mapping[str, StateChanged], *, wants_response: bool
) -> web.Response:
    if not isinstance(outcome, Done):
        return answer(outcome_shape(outcome), outcome_status(outcome))
    if not outcome.ok:
        message = "; ".join(dict.fromkeys(outcome.failed.values())) or "it failed"
        return answer(problem("tool-failed", message, failed=dict(outcome.failed)), 500)
    states = [hub.states.get(name) for name in outcome.targets if name in changed]
    shapes = [state_shape(state) for state in states if state]
    if wants_response:
        return answer({"changed_states": shapes, "service_response": plain(outcome.result)})
    return answer(shapes)


def _service(tool: Tool) -> dict[str, Any]:
    schema = json_schema(tool.parameters)
    required = schema.get("required", ())
    fields = {
        name: {"description": part.get("description", ""), "required": name in required}
        for name, part in schema.get("properties", {}).items()
    }
    shape = {"name": tool.name, "description": tool.description, "fields": fields}
    if tool.targets:
        shape["target"] = {"entity": [{"domain": [tool.targets]}]}
    return shape


ROUTES = (
    web.get("/api/services", listed),
    web.post("/api/services/{domain}/{service}", call),
)
