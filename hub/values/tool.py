"""What can be done, who asks for it, and how that ends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from hub.values.ids import new_id
from hub.values.thing import Thing


class Effect(IntEnum):
    """What an action does to a given thing; a larger one is stricter."""

    READ = 0
    WRITE = 1
    DANGER = 2
    """Opens, unlocks, disarms, or runs a command."""

    @property
    def label(self) -> str:
        """The word in YAML, audit and API: `read`, `write`, `danger`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, with the whole chain of what passed the wish on.

    The first link is where the wish came from: `voice:kitchen`, `cli:anna`, `api:dashboard`,
    `llm:ollama`, `automation.morning`, `integration:demo`. Policy looks at every link.
    """

    links: tuple[str, ...]

    def then(self, link: str) -> Caller:
        """Return the caller that this one becomes when `link` passes the wish on."""
        return Caller((*self.links, link))

    def __str__(self) -> str:
        return " > ".join(self.links)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Which things are meant: the union of all that is named here."""

    entities: tuple[str, ...] = ()
    """Ids of things, or their names and aliases."""
    areas: tuple[str, ...] = ()
    """Ids, names or aliases of areas."""
    floors: tuple[str, ...] = ()
    """Ids, names or aliases of floors."""
    everything: bool = False
    """All things of the tool's domain (`all`)."""
    device_classes: tuple[str, ...] = ()
    """Keep only things of these device classes; empty keeps all."""

    def __bool__(self) -> bool:
        return bool(self.entities or self.areas or self.floors or self.everything)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One wish: a tool, its arguments, and the things it is for."""

    tool: str
    """For instance `light.turn_on`."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    target: Target = Target()
    id: str = field(default_factory=new_id)
    turn: str | None = None
    """The turn in which it was said."""
    text: str | None = None
    """The words it came from; kept in the audit only if the user allows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something that can be done, whoever brings it."""

    name: str
    """`<domain>.<verb>`."""
    description: str
    """One sentence, for people and models."""
    parameters: type
    """A dataclass; its fields, validators and defaults are the tool's parameters."""
    effect: Effect | Callable[[Thing], Effect] = Effect.WRITE
    """What it does, or what it does to a given thing."""
    run: Callable[[ToolCall, tuple[Thing, ...]], Awaitable[Mapping[str, Any] | None]]
    """`await run(call, things)`; `call.arguments` are validated and `things` resolved."""
    targets: str | None = None
    """The domain of things it acts on (`*`: any); None for a tool without a target."""
    can: Callable[[Thing], bool] | None = None
    """Whether a given thing of that domain can do it; None: every one can."""
    repeatable: bool = True
    """Whether doing it twice is the same as doing it once."""
    timeout: float | None = None
    """Seconds it may take; None takes the house's `limits.tool_timeout`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The call ran. `ok` says how it went; a tool that fails is done, not refused."""

    call: ToolCall
    targets: tuple[str, ...] = ()
    """Ids of the things it was for, after areas, floors and `all` were resolved."""
    ok: bool = True
    result: Mapping[str, Any] | None = None
    failed: Mapping[str, str] = field(default_factory=dict)
    """Id of each thing that could not do it, with the sentence why; under "" what is no thing's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The call did not run: unknown tool, bad arguments, no such target, or a policy."""

    call: ToolCall
    code: str
    """Stable: `unknown-tool`, `bad-arguments`, `no-target`, `denied`, `unknown-caller`, `too-many-hops`,
    `busy`, `audit-failed`, `closing`."""
    reason: str
    """A sentence for people."""
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """The call waits for a yes; whoever may give it runs the stored call with its own caller."""

    call: ToolCall
    id: str
    question: str
    expires: float
    """Monotonic seconds."""
    targets: tuple[str, ...] = ()


Outcome = Done | Refused | Pending
Call = Callable[[ToolCall, Caller], Awaitable[Outcome]]
"""`await call(tool_call, caller)`: the one door, as everybody sees it."""
