"""What the house allows: rules over tools, things, callers and effects; the strictest that matches wins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hub.door.pattern import callers_matching, words_matching
from hub.house import House
from hub.values.thing import Thing
from hub.values.tool import Caller, Effect, Tool

Then = Literal["allow", "deny"]
EffectWord = Literal["read", "write", "danger"]
STRICTNESS: tuple[Then, ...] = ("allow", "deny")
"""From the mildest to the strictest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Things, by where and what they are: a thing is in it when it fits every field that is given."""

    entities: tuple[str, ...] = ()
    """Ids of things; `*` stands for any characters."""
    areas: tuple[str, ...] = ()
    """Ids of areas; `*` stands for any characters."""
    floors: tuple[str, ...] = ()
    """Ids of floors; `*` stands for any characters."""
    domains: tuple[str, ...] = ()
    """For instance `lock`."""
    device_classes: tuple[str, ...] = ()
    """For instance `garage`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exemption:
    """Where a rule does not hold: everything that fits every field that is given."""

    tools: tuple[str, ...] = ()
    """Names of tools; `*` stands for any characters."""
    callers: tuple[str, ...] = ()
    """Links of the caller's chain. The rule holds all the same if another link is not exempt."""
    effects: tuple[EffectWord, ...] = ()
    entities: tuple[str, ...] = ()
    """Ids of things; `*` stands for any characters."""
    areas: tuple[str, ...] = ()
    """Ids of areas."""
    floors: tuple[str, ...] = ()
    """Ids of floors."""
    domains: tuple[str, ...] = ()
    device_classes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule under `policies:`; it holds for calls that fit every field that is given."""

    then: Then
    """`deny` refuses the call; `allow` is what holds where no rule says otherwise."""
    tools: tuple[str, ...] = ("*",)
    """Names of tools, for instance `lock.unlock` or `cover.*`; `*` stands for any characters."""
    targets: Scope = Scope()
    """The things it is for; a call for several things is judged by the strictest of them."""
    callers: tuple[str, ...] = ()
    """Any link of the caller's chain: `voice` (all satellites), `voice:kitchen`, `automation.*`."""
    effects: tuple[EffectWord, ...] = ()
    """What the call does to the thing."""
    except_: tuple[Exemption, ...] = ()
    """`except:` where the rule does not hold."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say to one call."""

    then: Then
    things: tuple[Thing, ...] = ()
    """The things because of which it is so."""


class Policy:
    """The rules of the house, ready to judge calls."""

    def __init__(self, rules: Sequence[Rule], house: House) -> None:
        self.rules = tuple(rules)
        self._house = house
        self._ready = tuple(_Ready.of(rule) for rule in self.rules)
        self._named: dict[tuple[str, ...], tuple[_Ready, ...]] = {}

    def judge(self, tool: Tool, things: Sequence[Thing], caller: Caller) -> Verdict:
        """Return the strictest of what all rules say to every thing; `allow` where none says anything."""
        verdicts: dict[Then, list[Thing]] = {}
        for thing in things or (None,):
            then = self._strictest(tool, thing, caller)
            verdicts.setdefault(then, []).extend([thing] if thing else [])
        strictest = max(verdicts, key=STRICTNESS.index)
        return Verdict(strictest, tuple(verdicts[strictest]))

    def _strictest(self, tool: Tool, thing: Thing | None, caller: Caller) -> Then:
        act = Act(_names(tool, thing), effect_on(tool, thing), thing, self._floor(thing))
        ready = self._named.get(act.tools)
        if ready is None:
            ready = tuple(one for one in self._ready if one.test.names(act))
            self._named[act.tools] = ready
        said = [one.then for one in ready if one.test.fits(act) and one.binds(act, caller)]
        return max(said, key=STRICTNESS.index, default=STRICTNESS[0])

    def _floor(self, thing: Thing | None) -> str | None:
        area = self._house.areas.get(thing.area) if thing and thing.area else None
        return area.floor if area else None


def effect_on(tool: Tool, thing: Thing | None) -> Effect:
    """Return what the tool does to the thing, or at worst if there is none to ask about."""
    if isinstance(tool.effect, Effect):
        return tool.effect
    return tool.effect(thing) if thing else Effect.DANGER


def _names(tool: Tool, thing: Thing | None) -> tuple[str, ...]:
    """Return the names by which rules know the tool: one for any domain is also each domain's own."""
    if thing and tool.targets == "*":
        return tool.name, f"{thing.domain}.{tool.name.partition('.')[2]}"
    return (tool.name,)


@dataclass(frozen=True, slots=True)
class Act:
    """One tool on one thing, as the rules see it."""

    tools: tuple[str, ...]
    effect: Effect
    thing: Thing | None
    floor: str | None


@dataclass(frozen=True, slots=True)
class _Test:
    """What a rule or an exemption asks for; None asks for nothing."""

    tools: re.Pattern[str] | None
    callers: re.Pattern[str] | None
    effects: frozenset[str]
    scope: _ScopeTest | None

    @classmethod
    def of(cls, asked: Rule | Exemption) -> _Test:
        return cls(
            words_matching(asked.tools),
            callers_matching(asked.callers),
            frozenset(asked.effects),
            _ScopeTest.of(asked.targets if isinstance(asked, Rule) else asked),
        )

    def calls(self, link: str) -> bool:
        return self.callers is None or bool(self.callers.fullmatch(link))

    def names(self, act: Act) -> bool:
        return self.tools is None or any(map(self.tools.fullmatch, act.tools))

    def fits(self, act: Act) -> bool:
        if self.effects and act.effect.label not in self.effects:
            return False
        return self.scope is None or self.scope.holds(act)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A rule, ready to be asked."""

    then: Then
    test: _Test
    exemptions: tuple[_Test, ...]

    @classmethod
    def of(cls, rule: Rule) -> _Ready:
        return cls(rule.then, _Test.of(rule), tuple(map(_Test.of, rule.except_)))

    def binds(self, act: Act, caller: Caller) -> bool:
        """Whether it holds because of any link; a further link can only make more rules hold."""
        exempt = [one for one in self.exemptions if one.names(act) and one.fits(act)]
        return any(
            self.test.calls(link) and not any(one.calls(link) for one in exempt) for link in caller.links
        )


@dataclass(frozen=True, slots=True)
class _ScopeTest:
    """What a scope asks of a thing."""

    entities: re.Pattern[str] | None
    areas: re.Pattern[str] | None
    floors: re.Pattern[str] | None
    domains: tuple[str, ...]
    device_classes: tuple[str, ...]

    @classmethod
    def of(cls, scope: Scope | Exemption) -> _ScopeTest | None:
        if not any((scope.entities, scope.areas, scope.floors, scope.domains, scope.device_classes)):
            return None
        return cls(
            words_matching(scope.entities),
            words_matching(scope.areas),
            words_matching(scope.floors),
            scope.domains,
            scope.device_classes,
        )

    def holds(self, act: Act) -> bool:
        thing = act.thing
        if thing is None:
            return False
        return (
            (self.entities is None or bool(self.entities.fullmatch(thing.id)))
            and _lies(self.areas, thing.area)
            and _lies(self.floors, act.floor)
            and (not self.domains or thing.domain in self.domains)
            and (not self.device_classes or thing.device_class in self.device_classes)
        )


def _lies(places: re.Pattern[str] | None, place: str | None) -> bool:
    return places is None or (place is not None and bool(places.fullmatch(place)))
