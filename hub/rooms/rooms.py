"""All satellites of the house: which connected one is which entry of `satellites:`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from hub.rooms.arbiter import Arbiter
from hub.rooms.config import SatelliteConfig
from hub.rooms.deeds import Deeds
from hub.rooms.indicator import Witness
from hub.rooms.lent import Lent, Shared
from hub.rooms.life import live
from hub.rooms.station import Station
from hub.rooms.wake import WakeDesk
from hub.stages.satellite import Satellite
from hub.stages.speaker import PausingSpeaker

_log = logging.getLogger(__name__)
SATELLITES = "satellites"
"""Who brings them, as the house calls it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Link:
    """A satellite that an integration has connected."""

    instance: str
    satellite: Satellite

    def fits(self, config: SatelliteConfig) -> bool:
        """Whether an entry means this one."""
        names = (self.satellite.id, self.satellite.name)
        return config.source == self.instance and (config.device is None or config.device in names)


class _Seat:
    """A station, and who sits there now."""

    def __init__(self, station: Station, thing: AbstractContextManager[None]) -> None:
        self.station = station
        self.thing = thing
        """Open for as long as the house knows the satellite."""
        self.link: _Link | None = None
        self.task: asyncio.Task[None] | None = None


class Rooms:
    """Holds the stations. The event loop's thread only."""

    def __init__(self, configs: Mapping[str, SatelliteConfig], lent: Lent) -> None:
        limits = lent.limits()
        arbiter = Arbiter(limits.arbitration, limits.arbitration_late, self._waiting_for_words)
        self._desks: dict[str, WakeDesk] = {}
        self._lent = lent
        self._witnesses: list[Witness] = []
        self._shared = Shared(arbiter=arbiter, witnesses=self._witnesses, desk=self._desk, voice=self._voice)
        self._links: list[_Link] = []
        self._seats: dict[str, _Seat] = {}
        self._is_closed = False
        self._ending: set[asyncio.Task[None]] = set()
        self._add(configs)

    @property
    def stations(self) -> Mapping[str, Station]:
        """By the satellite's id in the YAML."""
        return {name: seat.station for name, seat in self._seats.items()}

    @contextmanager
    def connect(self, instance: str, satellites: Iterable[Satellite]) -> Iterator[None]:
        """Let these satellites be used for as long as the block is open."""
        mine = [_Link(instance, satellite) for satellite in satellites]
        self._links += mine
        self._assign()
        for instance_name, satellite in self.unused():
            if satellite in satellites:
                _log.info("no entry of satellites: means '%s' of '%s'", satellite.id, instance_name)
        try:
            yield
        finally:
            self._links = [link for link in self._links if link not in mine]
            self._assign()

    @contextmanager
    def witnessed(self, witness: Witness) -> Iterator[None]:
        """Let sound flow only after `witness` has confirmed the indication, for as long as the block is open.

        One that takes longer than `limits.indication`, or fails, is told in the log and not waited for.
        """
        self._witnesses.append(witness)
        try:
            yield
        finally:
            self._witnesses.remove(witness)

    def change(self, configs: Mapping[str, SatelliteConfig]) -> None:
        """Let other entries hold from now on; satellites whose entry is the same do not notice."""
        for name, seat in tuple(self._seats.items()):
            if configs.get(name) != seat.station.config:
                seat.station.retire()
                self._leave(seat)
                seat.thing.__exit__(None, None, None)
                del self._seats[name]
        self._add({name: config for name, config in configs.items() if name not in self._seats})
        for name in self._gone(configs):
            self._lent.states.remove(name)
        self._assign()

    async def close(self) -> None:
        """End every talk, and let every indicator say `off`."""
        self._is_closed = True
        for seat in self._seats.values():
            seat.station.farewell = ("the hub stops", "off")
            self._leave(seat)
        if self._ending:
            await asyncio.wait(tuple(self._ending), timeout=2 * self._lent.limits().room_stop)
        for seat in self._seats.values():
            seat.station.disconnect(*seat.station.farewell)

    def unused(self) -> tuple[tuple[str, Satellite], ...]:
        """Return the connected satellites that no entry means, each with its integration."""
        used = {seat.link for seat in self._seats.values()}
        return tuple((link.instance, link.satellite) for link in self._links if link not in used)

    def _add(self, configs: Mapping[str, SatelliteConfig]) -> None:
        for name, config in configs.items():
            station = Station(name, config, self._lent, self._shared)
            seat = self._seats[name] = _Seat(station, self._lent.bring((Deeds(station).thing(),)))
            seat.thing.__enter__()
            station.disconnect(f"'{config.source}' has not connected it")

    def _gone(self, configs: Mapping[str, SatelliteConfig]) -> list[str]:
        known = [state.entity_id for state in self._lent.states]
        return [one for one in known if one.startswith("satellite.") and one[10:] not in configs]

    def _assign(self) -> None:
        """Give each entry the newest satellite that fits it, each to one entry only."""
        if self._is_closed:
            return
        wanted: dict[str, _Link | None] = {}
        for name, seat in self._seats.items():
            wanted[name] = self._successor(seat)
        for name, seat in self._seats.items():
            if wanted[name] is None:
                taken = set(wanted.values())
                free = [link for link in self._links if link.fits(seat.station.config) and link not in taken]
                wanted[name] = free[-1] if free else None
        for name, seat in self._seats.items():
            if wanted[name] is not seat.link:
                self._leave(seat)
                self._sit(seat, wanted[name])

    def _successor(self, seat: _Seat) -> _Link | None:
        """Return the link that is used now, or a newer one of the same satellite."""
        if seat.link is None:
            return None
        same = [
            link
            for link in self._links
            if link.instance == seat.link.instance and link.satellite.id == seat.link.satellite.id
        ]
        return same[-1] if same else None

    def _leave(self, seat: _Seat) -> None:
        task, seat.task, seat.link = seat.task, None, None
        if task and not task.done():
            task.cancel()
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    def _sit(self, seat: _Seat, link: _Link | None) -> None:
        seat.link = link
        if link:
            name = f"station {seat.station.name}"
            seat.task = asyncio.create_task(self._serve(seat, link, tuple(self._ending)), name=name)

    async def _serve(self, seat: _Seat, link: _Link, before: tuple[asyncio.Task[None], ...]) -> None:
        """Live with one connected satellite, once those before it have let go."""
        if before:
            await asyncio.wait(before, timeout=2 * self._lent.limits().room_stop)
        name = seat.station.name
        _log.info("satellite '%s' is up", name)
        reason = await live(seat.station, link.satellite)
        _log.warning("satellite '%s' is down: %s", name, reason)
        if seat.link is link:
            seat.link = seat.task = None
            self._links = [other for other in self._links if other is not link]
            self._assign()

    def _waiting_for_words(self) -> int:
        """Return how many satellites could hear a wake word now."""
        stations = [seat.station for seat in self._seats.values() if seat.link]
        return sum(one.mode == "wake_word" and not one.indicator.is_muted for one in stations)

    def _desk(self, engine: str) -> WakeDesk:
        if engine not in self._desks:
            self._desks[engine] = WakeDesk(self._lent.limits().wake_answer)
        return self._desks[engine]

    def _voice(self, name: str) -> PausingSpeaker | None:
        seat = self._seats.get(name)
        return seat.station.voice if seat else None
