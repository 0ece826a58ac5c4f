"""Which things a call is for: ids, names, areas, floors and `all` become a list of things."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from hub.config.schema import near
from hub.errors import EarnestError
from hub.house import House
from hub.values.house import Area, Floor
from hub.values.thing import Thing
from hub.values.tool import Target, Tool

_LONGEST_WORD = 60


class Called(Protocol):
    """What has an id and names: a thing, an area, a floor."""

    @property
    def id(self) -> str:
        """Unique among its kind."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """What people also call it."""


_Called = TypeVar("_Called", bound=Called)


class NoTarget(EarnestError):
    """Nothing in the house is what the call is for; the text says why, with a near match."""

    code = "no-target"


def folded(word: str) -> str:
    """Return a name as names are compared: without case, outer space and doubled space."""
    return " ".join(word.casefold().split())


def fits(tool: Tool, thing: Thing) -> bool:
    """Whether the tool is for the thing's domain and the thing can do it."""
    return tool.targets in ("*", thing.domain) and (tool.can is None or tool.can(thing))


class Targets:
    """Resolves targets against the house as it is; names are indexed anew when one changed."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._names = Names.of(house)
        self._generation = house.generation

    @property
    def names(self) -> Names:
        """The house's names as they are now."""
        if self._generation != self._house.generation:
            self._names = Names.of(self._house)
            self._generation = self._house.generation
        return self._names

    def resolve(self, tool: Tool, target: Target) -> tuple[Thing, ...]:
        """Return the things that are meant, each once; raises `NoTarget`."""
        meant: dict[str, Thing] = {}
        for word in target.entities:
            thing = self._named(word, tool)
            meant[thing.id] = thing
        meant |= {thing.id: thing for thing in self._crowd(target) if fits(tool, thing)}
        things = tuple(meant.values())
        if target.device_classes:
            things = tuple(thing for thing in things if thing.device_class in target.device_classes)
        if not things:
            raise NoTarget(_nothing(tool, target))
        return things

    def _crowd(self, target: Target) -> Iterable[Thing]:
        """Return what areas, floors and `all` name, whether the tool is for it or not."""
        areas = [_one(word, self.names.areas, "area").id for word in target.areas]
        floors = {_one(word, self.names.floors, "floor").id for word in target.floors}
        if target.everything:
            return self._house.things.values()
        areas += [area.id for area in self._house.areas.values() if area.floor in floors]
        return [thing for area in dict.fromkeys(areas) for thing in self.names.inside.get(area, ())]

    def _named(self, word: str, tool: Tool) -> Thing:
        """Return the one thing that the tool is for and that is called `word`."""
        called = self.names.things.get(folded(word), ())
        able = tuple(thing for thing in called if fits(tool, thing))
        if len(able) == 1:
            return able[0]
        if able:
            raise NoTarget(_ambiguous(word, able))
        if called:
            raise NoTarget(_unable(tool, called[0]))
        shown = (thing for thing in self._house.things.values() if thing.exposed and fits(tool, thing))
        words = [word for thing in shown for word in (thing.name, thing.id, *thing.aliases)]
        raise NoTarget(f"There is no thing called {quoted(word)}{near(word, words) or '.'}")


@dataclass(frozen=True, slots=True)
class Names:
    """The house's names at one moment, each as `folded`."""

    things: Mapping[str, tuple[Thing, ...]]
    """By id, name and alias; several things may share a name."""
    areas: Mapping[str, tuple[Area, ...]]
    floors: Mapping[str, tuple[Floor, ...]]
    inside: Mapping[str, tuple[Thing, ...]]
    """The things of an area, by the area's id."""

    @classmethod
    def of(cls, house: House) -> Names:
        """Return the names of the house as it is now."""
        inside: dict[str, list[Thing]] = {}
        for thing in house.things.values():
            if thing.area:
                inside.setdefault(thing.area, []).append(thing)
        return cls(
            things=_by_word(house.things.values()),
            areas=_by_word(house.areas.values()),
            floors=_by_word(house.floors.values()),
            inside={area: tuple(things) for area, things in inside.items()},
        )


def _by_word(those: Iterable[_Called]) -> dict[str, tuple[_Called, ...]]:
    """Return things, areas or floors by id, name and alias; an id comes before an equal name."""
    called: dict[str, dict[str, _Called]] = {}
    ids: dict[str, tuple[_Called, ...]] = {}
    for each in those:
        ids[folded(each.id)] = (each,)
        for word in (each.name, *each.aliases):
            called.setdefault(folded(word), {})[each.id] = each
    return {word: tuple(found.values()) for word, found in called.items()} | ids


def _one(word: str, known: Mapping[str, tuple[_Called, ...]], kind: str) -> _Called:
    found = known.get(folded(word), ())
    if len(found) == 1:
        return found[0]
    if found:
        raise NoTarget(_ambiguous(word, found))
    words = [named.name for those in known.values() for named in those]
    raise NoTarget(f"There is no {kind} called {quoted(word)}{near(word, words) or '.'}")


def _ambiguous(word: str, found: Iterable[Called]) -> str:
    return f"{quoted(word)} may be {' or '.join(sorted(one.id for one in found))}: say which."


def _unable(tool: Tool, thing: Thing) -> str:
    if tool.targets in ("*", thing.domain):
        return f"'{thing.name}' cannot do {tool.name}."
    return (
        f"'{thing.name}' is a {_words(thing.domain)}, and {tool.name} is for a {_words(str(tool.targets))}."
    )


def _nothing(tool: Tool, target: Target) -> str:
    if not target:
        return f"{tool.name} needs a target: things, areas, floors or all."
    kind = "thing" if tool.targets == "*" else _words(str(tool.targets))
    of_class = f" of class {', '.join(target.device_classes)}" if target.device_classes else ""
    where = ", ".join(map(quoted, (*target.areas, *target.floors)))
    return f"There is no {kind}{of_class} for {tool.name}{f' in {where}' if where else ''}."


def _words(domain: str) -> str:
    return domain.replace("_", " ")


def _a(domain: str) -> str:
    return f"{'an' if domain[:1] in 'aeiou' else 'a'} {_words(domain)}"


def quoted(word: str) -> str:
    """Return a word as it stands in an answer, cut to a readable length."""
    return repr(word if len(word) <= _LONGEST_WORD else word[:_LONGEST_WORD] + "…")
