"""`homeassistant.turn_on`, `turn_off`, `toggle`: for whatever can be turned on and off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hub.domains.domain import Action, Domain, Nothing
from hub.domains.perform import perform
from hub.values.thing import Thing
from hub.values.tool import Effect, Tool, ToolCall

_VERBS = {
    "turn_on": "Turn on whatever can be turned on.",
    "turn_off": "Turn off whatever can be turned off.",
    "toggle": "Turn on what is off, and off what is on.",
}


def generic_tools(domains: Mapping[str, Domain], thing_timeout: float) -> tuple[Tool, ...]:
    """Return the tools that stand for the action of the same name in each thing's own domain."""
    return tuple(_tool(verb, text, domains, thing_timeout) for verb, text in _VERBS.items())


def _tool(verb: str, description: str, domains: Mapping[str, Domain], thing_timeout: float) -> Tool:
    def action_of(thing: Thing) -> Action | None:
        domain = domains.get(thing.domain)
        return domain.action(verb) if domain else None

    def can(thing: Thing) -> bool:
        action = action_of(thing)
        return action is not None and action.is_of(thing)

    def effect(thing: Thing) -> Effect:
        action = action_of(thing)
        return action.on(thing) if action else Effect.DANGER

    async def run(call: ToolCall, things: tuple[Thing, ...]) -> Mapping[str, Any] | None:
        return await perform(verb, call, things, thing_timeout)

    return Tool(
        name=f"homeassistant.{verb}",
        description=description,
        parameters=Nothing,
        effect=effect,
        run=run,
        targets="*",
        can=can,
        repeatable=verb != "toggle",
    )
