"""`/api/tools`: what can be done, and doing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from hub.api.answers import Rejected, answer
from hub.api.body import checked, mapping
from hub.api.hub import HUB
from hub.api.peer import caller
from hub.api.shapes import outcome_shape, outcome_status
from hub.config.schema import json_schema
from hub.config.words import near
from hub.values.tool import Effect, Target, Tool, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Body of `POST /api/tools/<name>`."""

    data: Mapping[str, Any] = field(default_factory=dict)
    """The tool's arguments."""
    entities: tuple[str, ...] = ()
    """Ids of things, or their names and aliases."""
    areas: tuple[str, ...] = ()
    """Ids, names or aliases of areas."""
    floors: tuple[str, ...] = ()
    """Ids, names or aliases of floors."""
    everything: bool = False
    """All things of the tool's domain."""
    device_classes: tuple[str, ...] = ()
    """Keep only things of these device classes."""


async def listed(request: web.Request) -> web.Response:
    """Return every tool with its parameters as JSON schema."""
    tools = request.app[HUB].toolbox.tools
    return answer([tool_shape(tools[name]) for name in sorted(tools)])


async def call(request: web.Request) -> web.Response:
    """Call one tool; the answer is how it ended."""
    toolbox = request.app[HUB].toolbox
    wish = checked(Wish, await mapping(request))
    outcome = await toolbox.call(
        ToolCall(
            tool=known(toolbox.tools, request.match_info["name"]),
            arguments=wish.data,
            target=Target(
                entities=wish.entities,
                areas=wish.areas,
                floors=wish.floors,
                everything=wish.everything,
                device_classes=wish.device_classes,
            ),
        ),
        caller(request),
    )
    return answer(outcome_shape(outcome), outcome_status(outcome))


def known(tools: Mapping[str, Tool], name: str) -> str:
    """Return the name of a tool that is there; raises `Rejected` with a near match."""
    if name not in tools:
        raise Rejected(404, "unknown-tool", f"there is no tool '{name[:100]}'{near(name, tools)}")
    return name


def tool_shape(tool: Tool) -> dict[str, Any]:
    """Return what a person or a model needs to know to call the tool."""
    return {
        "name": tool.name,
        "description": tool.description,
        "effect": tool.effect.label if isinstance(tool.effect, Effect) else "by thing",
        "targets": tool.targets,
        "repeatable": tool.repeatable,
        "parameters": json_schema(tool.parameters),
    }


ROUTES = (
    web.get("/api/tools", listed),
    web.post("/api/tools/{name}", call),
)
