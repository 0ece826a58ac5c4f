from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hub.domains import DOMAINS, tools
from hub.door.policy import Exemption, Policy, Rule, Scope, Then
from hub.values.house import Area
from hub.values.thing import Thing
from hub.values.tool import Caller
from tests.door.dwelling import Standing

LINKS = ("voice:kitchen", "voice:garage", "cli:anna", "automation.morning", "script.open_up", "llm:local")
CALLERS = ("voice", "voice:kitchen", "cli", "automation.*", "script", "llm:*", "*")
PATTERNS = ("*", "light.*", "lock.unlock", "cover.open_cover", "*.turn_off", "homeassistant.*")
EFFECTS = ("read", "write", "danger")


async def perform(action: str, arguments: Any) -> None:
    """Do nothing."""


THINGS = (
    Thing(id="light.lamp", name="Lamp", area="kitchen", perform=perform),
    Thing(id="light.far", name="Far lamp", perform=perform),
    Thing(id="lock.front", name="Front door", area="hall", perform=perform),
    Thing(id="cover.garage", name="Garage", area="garage", device_class="garage", perform=perform),
    Thing(id="cover.blind", name="Blind", area="kitchen", device_class="blind", perform=perform),
)


HOUSE = Standing(
    THINGS,
    [Area(id="kitchen", name="K", floor="ground"), Area(id="hall", name="H"), Area(id="garage", name="G")],
)
TOOLS = {tool.name: tool for tool in tools(HOUSE)}


def some(words: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    """Return none, one or two of the words."""
    return st.lists(st.sampled_from(words), max_size=2, unique=True).map(tuple)


scopes = st.builds(
    Scope,
    entities=some(("light.*", "lock.front", "*")),
    areas=some(("kitchen", "garage")),
    floors=some(("ground",)),
    domains=some(("light", "lock", "cover")),
    device_classes=some(("garage", "blind")),
)
exemptions = st.builds(
    Exemption,
    tools=some(PATTERNS),
    callers=some(CALLERS),
    effects=some(EFFECTS),
    areas=some(("kitchen", "garage")),
    domains=some(("light", "lock")),
)
rules = st.builds(
    Rule,
    then=st.sampled_from(("allow", "deny")),
    tools=some(PATTERNS).map(lambda words: words or ("*",)),
    targets=scopes,
    callers=some(CALLERS),
    effects=some(EFFECTS),
    except_=st.lists(exemptions, max_size=2).map(tuple),
)
many_rules = st.lists(rules, max_size=5)
chains = st.lists(st.sampled_from(LINKS), min_size=1, max_size=4).map(tuple)


@st.composite
def acts(draw: st.DrawFn) -> tuple[str, tuple[Thing, ...]]:
    """Return a tool and things it is for."""
    thing = draw(st.sampled_from(THINGS))
    names = [action.name for action in DOMAINS[thing.domain].actions]
    name = f"{thing.domain}.{draw(st.sampled_from(names))}"
    others = draw(st.lists(st.sampled_from([one for one in THINGS if one.domain == thing.domain])))
    return name, tuple({one.id: one for one in (thing, *others)}.values())


def says(rules: list[Rule], act: tuple[str, tuple[Thing, ...]], chain: tuple[str, ...]) -> Then:
    """Return what the rules say to a call."""
    return Policy(rules, HOUSE).judge(TOOLS[act[0]], act[1], Caller(chain)).then


@settings(max_examples=100, deadline=None)
@given(many_rules, acts(), chains, st.lists(st.sampled_from(LINKS), max_size=3), st.data())
def test_a_further_link_never_makes_a_denied_call_allowed(
    rules: list[Rule], act: Any, chain: tuple[str, ...], more: list[str], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(chain)))
    if says(rules, act, chain) == "deny":
        assert says(rules, act, (*chain[:place], *more, *chain[place:])) == "deny"


@settings(max_examples=100, deadline=None)
@given(many_rules, acts(), chains)
def test_a_chain_is_judged_as_strictly_as_its_strictest_link(rules: list[Rule], act: Any, chain: Any) -> None:
    alone = {says(rules, act, (link,)) for link in chain}
    assert says(rules, act, chain) == ("deny" if "deny" in alone else "allow")


@settings(max_examples=100, deadline=None)
@given(many_rules, many_rules, acts(), chains)
def test_more_rules_never_make_a_denied_call_allowed(
    rules: list[Rule], more: list[Rule], act: Any, chain: Any
) -> None:
    if says(rules, act, chain) == "deny":
        assert says([*more, *rules], act, chain) == "deny"


@settings(max_examples=100, deadline=None)
@given(many_rules, acts(), chains)
def test_a_call_for_several_things_is_judged_by_the_strictest(
    rules: list[Rule], act: Any, chain: Any
) -> None:
    name, things = act
    alone = {thing.id: says(rules, (name, (thing,)), chain) for thing in things}
    verdict = Policy(rules, HOUSE).judge(TOOLS[name], things, Caller(chain))
    assert (verdict.then == "deny") == ("deny" in alone.values())
    if verdict.then == "deny":
        denied = [thing for thing, then in alone.items() if then == "deny"]
        assert [thing.id for thing in verdict.things] == denied


@settings(max_examples=100, deadline=None)
@given(rules, acts(), chains)
def test_a_rule_that_matches_any_link_holds(rule: Rule, act: Any, chain: tuple[str, ...]) -> None:
    plain = replace(rule, then="deny", except_=(), callers=("voice",))
    anyone = replace(plain, callers=())
    is_voice = any(link.startswith("voice:") for link in chain)
    assert says([plain], act, chain) == (says([anyone], act, chain) if is_voice else "allow")


def test_without_rules_all_is_allowed() -> None:
    assert says([], ("lock.unlock", (THINGS[2],)), ("voice:kitchen",)) == "allow"


def test_an_exemption_holds_where_all_of_it_fits_and_nowhere_else() -> None:
    rule = Rule(then="deny", effects=("danger",), except_=(Exemption(areas=("garage",), callers=("cli",)),))
    open_garage = ("cover.open_cover", (THINGS[3],))
    assert says([rule], open_garage, ("cli:anna",)) == "allow"
    assert says([rule], open_garage, ("voice:kitchen",)) == "deny"
    assert says([rule], open_garage, ("voice:kitchen", "cli:anna")) == "deny"
    assert says([rule], ("lock.unlock", (THINGS[2],)), ("cli:anna",)) == "deny"


def test_a_thing_that_is_nowhere_is_in_no_area() -> None:
    rule = Rule(then="deny", except_=(Exemption(areas=("*",)),))
    assert says([rule], ("light.turn_on", (THINGS[1],)), ("cli:anna",)) == "deny"
    assert says([rule], ("light.turn_on", (THINGS[0],)), ("cli:anna",)) == "allow"


def test_a_caller_pattern_means_whole_words() -> None:
    rule = Rule(then="deny", callers=("voice:kit", "auto", "cli.anna"))
    for link in ("voice:kitchen", "automation.morning", "cli:anna"):
        assert says([rule], ("light.turn_on", (THINGS[0],)), (link,)) == "allow"


def test_a_rule_about_things_does_not_hold_for_tools_without_any() -> None:
    tool = replace(
        TOOLS["light.turn_on"], name="shell.run", targets=None, effect=TOOLS["cover.open_cover"].effect
    )
    scoped = Rule(then="deny", targets=Scope(domains=("light",)))
    danger = Rule(then="deny", effects=("danger",))
    assert Policy([scoped], HOUSE).judge(tool, (), Caller(("cli:anna",))).then == "allow"
    assert Policy([danger], HOUSE).judge(tool, (), Caller(("cli:anna",))).then == "deny"
