"""What a domain is: what its things can be, can do, and what an action does to a given thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hub.domains.perform import perform
from hub.values.thing import Thing
from hub.values.tool import Effect, Tool, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """Parameters of an action that has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something that things of a domain can do."""

    name: str
    """Home Assistant's name, for instance `turn_on`."""
    description: str
    """One sentence, for people and models."""
    parameters: type = Nothing
    """A dataclass; its fields, validators and defaults are the action's parameters."""
    effect: Effect | Callable[[Thing], Effect] = Effect.WRITE
    repeatable: bool = True
    """Whether doing it twice is the same as doing it once."""
    patience: float | None = None
    """Seconds each thing may take, for what lasts by its nature; None: as the house says."""

    def is_of(self, thing: Thing) -> bool:
        """Whether a thing of the action's domain can do it."""
        return thing.perform is not None and (thing.actions is None or self.name in thing.actions)

    def on(self, thing: Thing) -> Effect:
        """Return what it does to a thing."""
        return self.effect if isinstance(self.effect, Effect) else self.effect(thing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """One kind of thing, declared once for all integrations."""

    name: str
    """For instance `light`."""
    description: str
    """One sentence, for people and models."""
    states: tuple[str, ...] = ()
    """What a thing can be, besides `unknown` and `unavailable`; empty: any text or number."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    """What else is known of a thing: name, and what it says with its unit."""
    device_classes: tuple[str, ...] = ()
    actions: tuple[Action, ...] = ()

    def action(self, name: str) -> Action | None:
        """Return the action of that name."""
        return next((action for action in self.actions if action.name == name), None)

    def tools(self, thing_timeout: float) -> tuple[Tool, ...]:
        """Return a tool for each action; `thing_timeout` is how many seconds each thing may take."""
        return tuple(_tool(self, action, thing_timeout) for action in self.actions)


def _tool(domain: Domain, action: Action, thing_timeout: float) -> Tool:
    patience = action.patience or thing_timeout

    async def run(call: ToolCall, things: tuple[Thing, ...]) -> Mapping[str, Any] | None:
        return await perform(action.name, call, things, patience)

    return Tool(
        name=f"{domain.name}.{action.name}",
        description=action.description,
        parameters=action.parameters,
        effect=action.effect,
        run=run,
        targets=domain.name,
        can=action.is_of,
        repeatable=action.repeatable,
        timeout=action.patience,
    )
