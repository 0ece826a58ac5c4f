"""The chain of callers: whoever calls from within a call stands behind those who wished it."""

from __future__ import annotations

from contextvars import ContextVar

from hub.values.tool import Caller

KINDS = (
    "api",
    "automation",
    "cli",
    "command",
    "hub",
    "integration",
    "llm",
    "mcp",
    "mqtt",
    "satellite",
    "script",
    "timer",
    "tui",
    "voice",
    "web",
)
"""What a link of a chain begins with; the rest, after `:` or `.`, says which one."""

running: ContextVar[Caller | None] = ContextVar("running", default=None)
"""On whose behalf the code runs: set by the door around each tool, inherited by the tasks it starts."""


def joined(caller: Caller) -> Caller:
    """Return the caller with the chain of the call it is made from in front, unless it is there."""
    outer = running.get()
    if outer is None or caller.links[: len(outer.links)] == outer.links:
        return caller
    return Caller((*outer.links, *caller.links))
