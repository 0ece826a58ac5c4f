"""An integration is a context manager: `setup(options, context)` opens, yields what it provides, closes."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub.bus import Bus
from hub.clock import Clock
from hub.models.store import Models
from hub.stages.agent import Agent
from hub.stages.asr import Asr
from hub.stages.intents import IntentRecognizer
from hub.stages.satellite import Satellite
from hub.stages.tts import Tts
from hub.stages.vad import Vad
from hub.stages.wake import WakeDetector
from hub.values.house import Locale
from hub.values.intent import Match, Miss, NamedIntent
from hub.values.session import Session
from hub.values.thing import State, Thing
from hub.values.tool import Outcome, Tool, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Provides:
    """What an instance brings; a pipeline names the instance in the slot of the same name."""

    wake: WakeDetector | None = None
    vad: Vad | None = None
    asr: Asr | None = None
    intents: IntentRecognizer | None = None
    agent: Agent | None = None
    tts: Tts | None = None
    things: tuple[Thing, ...] = ()
    tools: tuple[Tool, ...] = ()
    satellites: tuple[Satellite, ...] = ()
    """Those that are connected; `satellites:` in the YAML says what they are used for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """Where files go; all absolute, all exist."""

    config: Path
    """The user's YAML."""
    data: Path
    """What must survive: states, audit, lists."""
    cache: Path
    """What can be made again: downloaded models."""
    run: Path
    """Sockets of this run; only its owner may enter."""


@dataclass(frozen=True, slots=True)
class OwnStates:
    """The states as an instance sees them: all to read, its own things' to set."""

    get: Callable[[str], State | None]
    """`get(entity_id)` returns what it is now."""
    last: Callable[[str], State | None]
    """`last(entity_id)` returns what it is now, or was before the restart."""
    set: Callable[[str, str, Mapping[str, Any] | None], State]
    """`set(entity_id, state, attributes)`; attributes None keeps those it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationContext:
    """What the hub gives an instance while it is open."""

    name: str
    """The instance's name: the key under `integrations:`."""
    offer: Callable[[Provides], AbstractContextManager[None]]
    """`with context.offer(Provides(things=(lamp,))):` for what comes and goes while it is open."""
    resolve: Callable[[Sequence[NamedIntent], Session], Awaitable[Match | Miss]]
    """`await resolve(intents, session)` returns what intents that the instance recognised do in this
    house, all of them in order; for an `IntentRecognizer` of its own."""
    events: Bus
    states: OwnStates
    call: Callable[[ToolCall], Awaitable[Outcome]]
    """The one door; the instance is the caller."""
    report: Callable[[str | None], None]
    """`report(reason)` shows that the open instance cannot work now, in its state and in one log line;
    `report(None)` that it can again."""
    health: Callable[[Mapping[str, Any]], None]
    """`health({"starts": 3, "last_reason": "…"})` merges facts into the attributes of the instance's
    state, also while it is still opening; None as a value removes one. May be called often."""
    models: Models
    """`await context.models.ensure(CATALOGUE, name, context.health)` returns a model's folder."""
    paths: Paths
    locale: Locale
    clock: Clock
    log: logging.Logger
