"""What a sentence means, or why it was not understood."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hub.values.tool import Outcome, ToolCall

Respond = Callable[[Sequence[Outcome]], str]
"""`respond(outcomes)` words the answer; the outcomes are those of the match's calls, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A sentence that a recogniser understood; nothing has been done yet."""

    stage: str
    """Name of the recogniser, for instance `commands` or `home`."""
    intent: str
    """For instance `HassTurnOn`, or the id of a command."""
    slots: Mapping[str, Any] = field(default_factory=dict)
    score: float = 1.0
    calls: tuple[ToolCall, ...] = ()
    """What to do; empty for a question that states alone answer."""
    respond: Respond
    why: str = ""
    """Why this one and no other, in words for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Words that were probably heard wrong."""

    heard: str
    meant: str
    score: float
    """How much the two sound and look alike, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """A sentence as it was probably meant."""

    text: str
    changes: tuple[Change, ...]
    is_sure: bool = True
    """Whether it may be done without a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A sentence that a recogniser did not take."""

    stage: str
    code: str
    """Stable: `no-match`, `unknown-name`, `unknown-area`, `not-exposed`, `nothing-there`, `ambiguous`,
    `out-of-range`, `unsupported`, `empty`, `no-language`, `failed`, `doubtful`."""
    reason: str
    """Why, in words for people."""
    reply: str | None = None
    """What to say if no later stage takes it; None leaves it to the hub's own sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedIntent:
    """What a recogniser outside the hub took a sentence for, before anybody knows what it does here."""

    name: str
    """For instance `HassTurnOn`, or one that a command declares with `intent:`."""
    slots: Mapping[str, Any] = field(default_factory=dict)
    """Texts, numbers or truth values, as the recogniser has them."""
    reply: str | None = None
    """What to say when all went well; None leaves it to the hub."""
