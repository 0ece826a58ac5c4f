"""What the API needs of the hub, and where a request finds it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from aiohttp import web

from hub.api.config import ApiConfig
from hub.bus import Bus, View
from hub.clock import Clock
from hub.house import House
from hub.integration import Paths
from hub.pipeline.config import Pipeline
from hub.pipeline.context import Engines, TurnRequest
from hub.pipeline.turn import Turn
from hub.states import States
from hub.values.house import Locale
from hub.values.tool import Caller, Outcome, Tool, ToolCall


class Door(Protocol):
    """The one door, and what goes through it."""

    @property
    def tools(self) -> Mapping[str, Tool]:
        """By name."""

    async def call(self, call: ToolCall, caller: Caller) -> Outcome:
        """Do it, refuse it, or ask first."""


class Settings(Protocol):
    """The part of the configuration that the API shows."""

    @property
    def hub(self) -> Locale:
        """How the house speaks and measures."""


class Hub(Protocol):
    """A running hub. What a reload replaces is read anew for each request."""

    @property
    def config(self) -> Settings:
        """The configuration that holds now."""

    @property
    def paths(self) -> Paths:
        """Where its files are."""

    @property
    def clock(self) -> Clock:
        """The house's time."""

    @property
    def house(self) -> House:
        """Floors, areas and things."""

    @property
    def states(self) -> States:
        """What is."""

    @property
    def bus(self) -> Bus:
        """What happens."""

    @property
    def toolbox(self) -> Door:
        """The one door."""

    @property
    def registry(self) -> Engines:
        """The stages that integrations provide."""

    @property
    def pipelines(self) -> Mapping[str, Pipeline]:
        """By name."""

    async def turn(self, request: TurnRequest) -> Turn:
        """Run one turn to its end."""

    async def reload(self) -> object:
        """Read the configuration anew; raises `ConfigError` and changes nothing if it is wrong."""


HUB = web.AppKey("hub", Hub)
CONFIG = web.AppKey("config", ApiConfig)
OWNER = web.AppKey("owner", int)
"""User id of those who may use the socket."""
VIEWS: web.AppKey[set[View]] = web.AppKey("views")
"""Views of all event streams that are open."""
RUNNING: web.AppKey[set[asyncio.Task[Any]]] = web.AppKey("running")
"""Requests that are being answered."""
