"""What a satellite can be asked for through the door: `satellite.announce` and the others."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from hub.errors import ToolError
from hub.rooms.errand import Errand, Kind, Question, talking
from hub.rooms.expected import Expected
from hub.rooms.station import Station
from hub.stages.satellite import Pressed, StopPressed
from hub.values.thing import Thing

Answer = Mapping[str, Any] | None


class Deeds:
    """Does them at one station."""

    def __init__(self, station: Station) -> None:
        self._station = station

    def thing(self) -> Thing:
        """Return the satellite as a thing of the house; people name it in YAML and on dashboards only."""
        station = self._station
        return Thing(
            id=f"satellite.{station.name}",
            name=f"{station.name.replace('_', ' ')} satellite",
            area=station.config.area,
            exposed=False,
            perform=self.perform,
            state="unavailable",
        )

    async def perform(self, action: str, arguments: Mapping[str, Any]) -> Answer:
        """Do it; raises `ToolError` with a sentence for people."""
        station = self._station
        if action in ("mute", "unmute"):
            station.mute(action == "mute", "tool")
            return None
        self._check_there()
        if action == "stop":
            station.inbox.put(StopPressed())
            return None
        if action == "listen":
            return self._listen()
        if action == "announce":
            return await self._say("announcement", arguments["message"], arguments)
        if action == "start_conversation":
            return await self._say("conversation", arguments["message"], arguments)
        question = Question(
            expected=Expected(arguments.get("answers", ()), station.lent.language()),
            wait=arguments.get("wait", 10.0),
            retries=arguments.get("retries", 1),
        )
        return await self._say("question", arguments["question"], arguments, question)

    def _check_there(self) -> None:
        station = self._station
        if station.link is None:
            raise ToolError(f"The satellite '{station.name}' is gone: {station.indicator.shown.reason}.")

    def _listen(self) -> Answer:
        station = self._station
        self._check_hears("listen")
        if station.is_talking:
            raise ToolError(f"Somebody is talking at the satellite '{station.name}' already.")
        station.inbox.put(Pressed())
        return {"status": "listening"}

    def _check_hears(self, deed: str) -> None:
        station = self._station
        if station.indicator.is_muted:
            raise ToolError(f"The satellite '{station.name}' is muted: it cannot {deed}.")
        if station.link is None or station.link.microphone is None:
            raise ToolError(f"The satellite '{station.name}' has no microphone.")

    async def _say(
        self, kind: Kind, message: str, arguments: Mapping[str, Any], question: Question | None = None
    ) -> Answer:
        """Wait for its turn, then for its end."""
        station = self._station
        if station.link is None or station.link.speaker is None:
            raise ToolError(f"The satellite '{station.name}' has no speaker.")
        if kind != "announcement":
            self._check_hears("be asked")
        if len(station.errands) >= station.lent.limits().announcements:
            raise ToolError(f"Too much waits to be said at '{station.name}' (limits.announcements).")
        is_own = station.name in talking.get()
        if is_own and kind != "announcement":
            raise ToolError(f"What is said at '{station.name}' cannot wait for an answer given there.")
        errand = Errand(
            kind,
            message,
            priority=arguments.get("priority", "normal"),
            preannounce=arguments.get("preannounce", True),
            question=question,
        )
        station.errands.put(errand)
        if is_own:
            return {"status": "queued"}
        return await self._end_of(errand, arguments.get("timeout", 60.0))

    async def _end_of(self, errand: Errand, patience: float) -> Answer:
        station = self._station
        begun = asyncio.ensure_future(errand.begun.wait())
        try:
            await asyncio.wait((begun, errand.over), timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if not errand.begun.is_set() and not errand.over.done():
                raise ToolError(f"'{station.name}' was busy for {patience:g} s: nothing was said.")
            return await asyncio.shield(errand.over)
        finally:
            begun.cancel()
            station.errands.withdraw(errand)
