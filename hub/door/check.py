"""Rules that can never hold are mistakes: each pattern must match something of this house."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hub.config.document import Document
from hub.config.schema import near
from hub.door.chain import KINDS
from hub.door.pattern import words_matching
from hub.door.policy import Exemption, Rule, Scope
from hub.errors import Problem
from hub.house import House
from hub.values.tool import Tool

Path = tuple[str | int, ...]
Report = Callable[[Path, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What rules may name."""

    tools: Collection[str]
    areas: Collection[str]
    floors: Collection[str]
    domains: Collection[str]
    device_classes: Collection[str]
    things: Collection[str] | None = None
    """Ids; None while integrations are not open and nobody can say which things there are."""

    @classmethod
    def of(
        cls, house: House, tools: Mapping[str, Tool], device_classes: Collection[str], *, opened: bool
    ) -> Known:
        """Return what there is; `opened` says that the integrations brought their things."""
        domains = {tool.targets for tool in tools.values() if tool.targets not in (None, "*")}
        return cls(
            tools=tuple(tools),
            areas=tuple(house.areas),
            floors=tuple(house.floors),
            domains=tuple(sorted({str(domain) for domain in domains})),
            device_classes={*device_classes, *(t.device_class or "" for t in house.things.values())},
            things=tuple(house.things) if opened else None,
        )


def check(rules: Sequence[Rule], document: Document, known: Known, at: Path = ("policies",)) -> list[Problem]:
    """Return a problem, with a near match, for each pattern under `at` that matches nothing."""
    problems: list[Problem] = []

    def report(path: Path, message: str) -> None:
        problems.append(document.problem(path, message))

    for number, rule in enumerate(rules):
        for path, patterns, kind, words in _patterns(rule, (*at, number), known):
            _match(path, patterns, kind, words, report)
    return problems


_Asked = tuple[Path, tuple[str, ...], str, Collection[str]]


def _patterns(rule: Rule, at: Path, known: Known) -> Iterator[_Asked]:
    yield (*at, "tools"), rule.tools, "tool", known.tools
    yield (*at, "callers"), _kinds(rule.callers), "kind of caller", KINDS
    yield from _places(rule.targets, (*at, "targets"), known)
    for number, exemption in enumerate(rule.except_):
        inner = (*at, "except", number)
        yield (*inner, "tools"), exemption.tools, "tool", known.tools
        yield (*inner, "callers"), _kinds(exemption.callers), "kind of caller", KINDS
        yield from _places(exemption, inner, known)


def _places(scope: Scope | Exemption, at: Path, known: Known) -> Iterator[_Asked]:
    if known.things is not None:
        yield (*at, "entities"), scope.entities, "thing", known.things
    yield (*at, "areas"), scope.areas, "area", known.areas
    yield (*at, "floors"), scope.floors, "floor", known.floors
    yield (*at, "domains"), scope.domains, "domain", known.domains
    yield (*at, "device_classes"), scope.device_classes, "device class", known.device_classes


def _kinds(callers: tuple[str, ...]) -> tuple[str, ...]:
    """Return the part of each pattern that says what kind of caller is meant."""
    return tuple(one.partition(":")[0].partition(".")[0] for one in callers)


def _match(path: Path, patterns: tuple[str, ...], kind: str, words: Collection[str], report: Report) -> None:
    for number, pattern in enumerate(patterns):
        expression = words_matching((pattern,))
        if expression and not any(map(expression.fullmatch, words)):
            report((*path, number), f"no {kind} matches '{pattern}'{near(pattern, words)}")
