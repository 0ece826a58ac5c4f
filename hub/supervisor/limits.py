"""How long a child process may take, how often it may fail, and how much memory it may have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import voluptuous as vol

_Wait = Annotated[float, vol.Range(min=0.01, max=86_400)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildLimits:
    """What a process that the hub has started may do; waits are in seconds."""

    start: _Wait = 1800.0
    """From its start until it is ready; a first start may download a model. Then it is killed."""
    stop: Annotated[float, vol.Range(min=0, max=60)] = 3.0
    """From being asked to end until it is killed with all it has started."""
    line: _Wait = 120.0
    """Until a request is answered; then it is killed and started again."""
    check: _Wait = 2.0
    """Between two questions whether it is alive."""
    sign: _Wait = 15.0
    """Until it has answered such a question; then it is killed and started again."""
    urgent: _Wait = 3.0
    """The same, while a request waits for it."""
    failures: Annotated[int, vol.Range(min=1, max=1000)] = 3
    """Failures in a row, without an answered request between them, that turn it off."""
    pause: _Wait = 0.5
    """Before the second new start in a row, and doubled before each further one; the first is at once."""
    restart: _Wait = 20.0
    """How long a request waits for the new start of a process that crashed."""
    cool_down: _Wait = 300.0
    """How long it stays off before it is tried again; one that ran that long has no failures in a row."""
    memory: Annotated[int, vol.Range(min=16, max=1_048_576)] | None = None
    """Most memory in MB that it may ask the system for, which is several times what it then holds; one
    that needs more fails in its own way, or crashes. Not set: what the machine has. Only on Linux."""
