"""What the sections say of each other, and of the world: areas, floors, engines, tools, time zones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from hub.bus import Bus
from hub.clock import Clock
from hub.config.document import Document
from hub.config.root.instances import BUILT_IN
from hub.config.root.places import languages, time_zone_problem
from hub.config.root.sections import AreaConfig, FloorConfig
from hub.config.words import Path, known, near, shown
from hub.domains import DEVICE_CLASSES, DOMAINS, tools
from hub.door.check import Known
from hub.door.check import check as check_rules
from hub.door.policy import Rule
from hub.errors import Problem
from hub.house import Given, House
from hub.pipeline.config import PipelineConfig
from hub.pipeline.resolve import check as check_pipelines
from hub.rooms.check import check as check_satellites
from hub.states import States
from hub.values.house import Area, Floor, Locale

Fields = Mapping[str, Any]


class Finding(NamedTuple):
    """Something wrong at `path`."""

    path: Path
    message: str
    at_key: bool = False


_Found = Iterator[Finding]


def check(
    fields: Fields,
    document: Document,
    engines: Mapping[str, frozenset[str] | None],
    later: frozenset[str] = frozenset(),
) -> list[Problem]:
    """Return what is wrong between sections that are each in order.

    `engines` are all engines, with the slots that each may fill (None: any); tools of the domains in `later`
    come with integrations that are not open yet, so nobody knows them.
    """
    found = [*_house(fields), *_places(fields, document), *_languages(fields)]
    problems = [document.problem(*finding) for finding in found]
    problems += check_pipelines(
        fields["pipelines"],
        document,
        lambda slot: [name for name, slots in engines.items() if slots is None or slot in slots],
    )
    problems += check_satellites(
        fields.get("satellites", {}),
        document,
        integrations=[name for name in engines if name not in BUILT_IN],
        detectors=[name for name, slots in engines.items() if slots is None or "wake" in slots],
        pipelines=_keys(document, "pipelines"),
        areas=_keys(document, "areas"),
    )
    house = _empty_house(document)
    known_tools = {tool.name: tool for tool in tools(house)}
    if commands := fields.get("commands"):
        from hub.intents.checking import check as check_commands

        problems += check_commands(commands, known_tools, document, later=later, house=house)
    rules = [_known_part(rule, later) for rule in fields.get("policies", ())]
    words = Known.of(house, known_tools, DEVICE_CLASSES, opened=False)
    return problems + check_rules(rules, document, words)


def _empty_house(document: Document) -> House:
    """Return the house with its places, before any integration is open."""
    bus, clock = Bus(), Clock()
    floors = [Floor(id=key, name=key) for key in _keys(document, "floors")]
    areas = [Area(id=key, name=key) for key in _keys(document, "areas")]
    return House(bus, States(bus, clock), floors, areas)


def _known_part(rule: Rule | None, later: frozenset[str]) -> Rule:
    """Return the rule without the tools that nobody knows yet; one that is not in order says nothing."""
    if rule is None:
        return Rule(then="allow")
    tools = (name if name.partition(".")[0] not in later else "*" for name in rule.tools)
    return replace(rule, tools=tuple(tools))


def _house(fields: Fields) -> _Found:
    locale: Locale = fields.get("hub", Locale())
    if problem := time_zone_problem(locale.time_zone):
        yield Finding(("hub", "time_zone"), problem)
    for name, most in (("latitude", 90), ("longitude", 180)):
        value = getattr(locale, name)
        if value is not None and abs(value) > most:
            message = f"expected a number from -{most} to {most}, got {shown(value)}"
            yield Finding(("hub", name), message)


def _languages(fields: Fields) -> _Found:
    spoken = languages()
    said: list[tuple[Path, str | None]] = [(("hub", "language"), fields.get("hub", Locale()).language)]
    pipelines: Mapping[str, PipelineConfig] = fields["pipelines"]
    said += [(("pipelines", name, "language"), config.language) for name, config in pipelines.items()]
    for path, language in said:
        family = (language or "").replace("_", "-").partition("-")[0].lower()
        if language is not None and family not in spoken:
            there = near(language, spoken) or f"; {known(spoken, limit=len(spoken))}"
            yield Finding(path, f"no sentences are known for the language {shown(language)}{there}")


def _places(fields: Fields, document: Document) -> _Found:
    floors: Mapping[str, FloorConfig] = fields.get("floors", {})
    areas: Mapping[str, AreaConfig] = fields.get("areas", {})
    things: Mapping[str, Given] = fields.get("things", {})
    every_floor, every_area = _keys(document, "floors"), _keys(document, "areas")
    yield from _doubled("floors", floors)
    yield from _doubled("areas", areas)
    for name, area in areas.items():
        if area.floor is not None and area.floor not in every_floor:
            yield Finding(("areas", name, "floor"), _unknown("floor", area.floor, every_floor))
    for name, thing in things.items():
        if problem := _id_problem(name):
            yield Finding(("things", name), problem, at_key=True)
        if thing.area is not None and thing.area not in every_area:
            yield Finding(("things", name, "area"), _unknown("area", thing.area, every_area))


def _id_problem(name: str) -> str | None:
    """Return what is wrong with the id of a thing."""
    domain, _, rest = name.partition(".")
    if not (domain and rest):
        return f"{shown(name)} is no id of a thing; an id is like light.kitchen_lamp"
    there = "" if domain in DOMAINS else near(domain, DOMAINS)
    return f"there is no domain {shown(domain)}{there}" if there else None


def _doubled(section: str, places: Mapping[str, FloorConfig] | Mapping[str, AreaConfig]) -> _Found:
    """Tell of names that two places share: nobody could say which is meant."""
    first: dict[str, str] = {}
    for key, place in places.items():
        for name in (place.name or key, *place.aliases):
            other = first.setdefault(name.casefold(), key)
            if other != key:
                message = f"{shown(name)} is already a name of {section}.{other}"
                yield Finding((section, key), message, at_key=True)


def _unknown(kind: str, name: str, words: Sequence[str]) -> str:
    return f"there is no {kind} {shown(name)}{near(name, words) or f'; {known(words)}'}"


def _keys(document: Document, section: str) -> tuple[str, ...]:
    """Return all names in a section, those of entries with problems too."""
    value = document.value((section,))
    return tuple(map(str, value)) if isinstance(value, dict) else ()
