"""The house: its floors, areas and things, with the names that its people gave them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from hub.bus import Bus
from hub.errors import IntegrationError
from hub.events import HouseChanged
from hub.states import States
from hub.values.house import Area, Floor
from hub.values.thing import UNKNOWN, Thing


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What the people of the house say of a thing; None leaves what its integration says.

    The YAML's `things:` come first, then what was given while the hub ran, then the integration.
    """

    name: str | None = None
    area: str | None = None
    """Id of an area."""
    aliases: tuple[str, ...] | None = None
    exposed: bool | None = None
    device_class: str | None = None

    def over(self, other: Given) -> Given:
        """Return what holds when this one wins over `other`, field by field."""
        ours = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return dataclasses.replace(other, **{k: v for k, v in ours.items() if v is not None})


class House:
    """Floors, areas and things as people see them. The event loop's thread only.

    `generation` grows whenever a name, an area or a thing changes, so that whoever keeps an index
    knows when to build it anew.
    """

    def __init__(
        self,
        bus: Bus,
        states: States,
        floors: Iterable[Floor] = (),
        areas: Iterable[Area] = (),
        given: Mapping[str, Given] | None = None,
        declared: Mapping[str, Given] | None = None,
    ) -> None:
        self._bus = bus
        self._states = states
        self._floors = {floor.id: floor for floor in floors}
        self._areas = {area.id: area for area in areas}
        self._given = dict(given or {})
        self._declared = dict(declared or {})
        self._brought: dict[str, tuple[str, Thing]] = {}
        self._things: dict[str, Thing] = {}
        self.generation = 0

    @property
    def floors(self) -> Mapping[str, Floor]:
        """By id."""
        return self._floors

    @property
    def areas(self) -> Mapping[str, Area]:
        """By id."""
        return self._areas

    @property
    def things(self) -> Mapping[str, Thing]:
        """By id, with the names and areas that hold in this house."""
        return self._things

    def owner(self, thing_id: str) -> str | None:
        """Return the integration that brought the thing."""
        entry = self._brought.get(thing_id)
        return entry[0] if entry else None

    def declared(self, thing_id: str) -> Given:
        """Return what the YAML says of the thing; it wins over `given`."""
        return self._declared.get(thing_id, Given())

    def given(self, thing_id: str) -> Given:
        """Return what the people of the house said of the thing while the hub ran."""
        return self._given.get(thing_id, Given())

    def give(self, thing_id: str, given: Given) -> None:
        """Let `given` hold for the thing from now on, there or not, where the YAML says nothing."""
        self._given[thing_id] = given
        if thing_id in self._brought:
            self._things[thing_id] = self._named(self._brought[thing_id][1])
        self._changed(thing_id)

    def declare(self, floors: Iterable[Floor], areas: Iterable[Area], declared: Mapping[str, Given]) -> None:
        """Let what a reloaded YAML says hold from now on."""
        self._floors = {floor.id: floor for floor in floors}
        self._areas = {area.id: area for area in areas}
        self._declared = dict(declared)
        for thing_id, (_, thing) in self._brought.items():
            self._things[thing_id] = self._named(thing)
        self._changed()

    @contextmanager
    def bring(self, owner: str, things: Iterable[Thing]) -> Iterator[None]:
        """Let the things be there for as long as the block is open."""
        mine: list[str] = []
        try:
            for thing in things:
                if thing.id in self._brought:
                    other = self._brought[thing.id][0]
                    raise IntegrationError(f"{thing.id} was already brought by '{other}'")
                mine.append(thing.id)
                self._brought[thing.id] = (owner, thing)
                self._things[thing.id] = self._named(thing)
                self._enter(thing)
            self._changed(*mine)
            yield
        finally:
            for thing_id in mine:
                del self._brought[thing_id], self._things[thing_id]
                self._states.remove(thing_id)
            self._changed(*mine)

    def _enter(self, thing: Thing) -> None:
        """Give the thing its first state: its own, or the last one known if it knows none."""
        last = self._states.last(thing.id)
        if thing.state == UNKNOWN and last:
            self._states.set(thing.id, last.state, {**last.attributes, **thing.attributes})
        else:
            self._states.set(thing.id, thing.state, thing.attributes)

    def _named(self, thing: Thing) -> Thing:
        given = self.declared(thing.id).over(self.given(thing.id))
        said = {f.name: getattr(given, f.name) for f in dataclasses.fields(given)}
        return dataclasses.replace(thing, **{k: v for k, v in said.items() if v is not None})

    def _changed(self, *things: str) -> None:
        self.generation += 1
        self._bus.publish(HouseChanged(things=things))
