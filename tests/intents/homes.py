"""The homes of the published test sentences, in one house whose things come and go."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from hub.bus import Bus
from hub.clock import Clock
from hub.house import House
from hub.intents.home import HomeIntents
from hub.intents.pick import DOMAIN_OF
from hub.states import States
from hub.values.house import Area, Floor, Locale
from hub.values.session import Session
from hub.values.thing import Thing

SENTENCES = Path(__file__).parent.parent / "cases" / "sentences"


@dataclass(frozen=True, slots=True)
class SomeDay(Clock):
    """A clock that stands."""

    def now(self) -> datetime:
        return datetime(2013, 9, 17, 1, 2, tzinfo=self.zone)


@dataclass
class Home:
    """A house with its recogniser."""

    bus: Bus = field(default_factory=Bus)
    clock: Clock = field(default_factory=SomeDay)

    def __post_init__(self) -> None:
        self.states = States(self.bus, self.clock)
        self.house = House(self.bus, self.states)
        self.intents = HomeIntents(self.house, self.states, self.clock, Locale())

    @contextmanager
    def furnished(
        self, *things: Thing, areas: tuple[Area, ...] = (), floors: tuple[Floor, ...] = ()
    ) -> Iterator[None]:
        """Let the house look like this for as long as the block is open."""
        self.house.declare(floors, areas, {})
        with self.house.bring("test", things):
            yield


@cache
def cases() -> list[dict[str, Any]]:
    """Return all English test sentences."""
    return _read("en.yaml")  # type: ignore[no-any-return]


@cache
def homes() -> dict[str, Any]:
    """Return the homes they need."""
    return _read("en_homes.yaml")  # type: ignore[no-any-return]


def _read(name: str) -> Any:
    return yaml.load((SENTENCES / name).read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def slug(name: str) -> str:
    return re.sub(r"\W+", "_", name.casefold())


def session(case: Mapping[str, Any]) -> Session:
    room = case.get("satellite_area")
    return Session(id="test", area=slug(room) if room else None)


@contextmanager
def at_home(home: Home, case: Mapping[str, Any]) -> Iterator[None]:
    """Give the sentence the home it was written for, and what the home leaves out."""
    plan = homes().get(str(case.get("home")), {})
    floors = [Floor(id=slug(floor["name"]), name=floor["name"]) for floor in plan.get("floors", ())]
    areas = {slug(area["name"]): _area(area) for area in plan.get("areas", ())}
    if room := case.get("satellite_area"):
        areas.setdefault(slug(room), Area(id=slug(room), name=room))
    if floor := case["slots"].get("floor"):
        areas.setdefault("somewhere", Area(id="somewhere", name="Zorbium", floor=slug(floor)))
    things = [_thing(entity, case) for entity in plan.get("entities", ())]
    things += _missing(case, things)
    with home.furnished(*things, areas=tuple(areas.values()), floors=tuple(floors)):
        yield


def _area(area: Mapping[str, Any]) -> Area:
    floor = area.get("floor")
    return Area(id=slug(area["name"]), name=area["name"], floor=slug(floor) if floor else None)


def _place(case: Mapping[str, Any]) -> str | None:
    """Return the area in which the sentence needs something."""
    if "floor" in case["slots"]:
        return "somewhere"
    area = case["slots"].get("area") or case.get("satellite_area")
    return slug(area) if area else None


def _thing(entity: Mapping[str, Any], case: Mapping[str, Any]) -> Thing:
    attributes = dict(entity.get("attributes", {}))
    area = entity.get("area")
    return Thing(
        id=f"{entity['domain']}.{slug(entity['name'])}",
        name=entity["name"],
        area=slug(area) if area else _place(case) if case["intent"] != "HassGetState" else None,
        device_class=attributes.pop("device_class", None),
        state=str(entity.get("state", "unknown")),
        attributes=attributes,
    )


def _missing(case: Mapping[str, Any], things: list[Thing]) -> list[Thing]:
    """Return what the sentence speaks of, where its home does not hold it."""
    if case["intent"].startswith("HassShoppingList"):
        return [Thing(id="todo.shopping_list", name="Groceries")]
    domain = DOMAIN_OF.get(case["intent"]) or case["slots"].get("domain") or _DOMAIN.get(case["intent"])
    if "name" in case["slots"] or domain is None or any(thing.domain == domain for thing in things):
        return []
    device_class = case["slots"].get("device_class")
    return [Thing(id=f"{domain}.more", name="Quixotry", area=_place(case), device_class=device_class)]


_DOMAIN = {"HassLightSet": "light", "HassSetPosition": "cover"}
