from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import voluptuous as vol

from hub.config.record import BESIDE, keys_of
from hub.config.schema import arguments, near, parse, parse_as
from hub.config.source import load, unmarked
from tests.config.reading import Write


class Mood(enum.Enum):
    CALM = "calm"
    LOUD = "loud"


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    asr: tuple[str, ...] = ()
    share: Annotated[float, vol.Range(min=0, max=1)] = 0.5
    inner: Engine | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    first: float = 1.0
    last: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    name: str
    number: int = 1
    ratio: float = 0.5
    on: bool = True
    units: Literal["metric", "imperial"] = "metric"
    mood: Mood = Mood.CALM
    level: Level = Level.LOW
    engine: Engine = field(default_factory=Engine)
    engines: Mapping[str, Engine] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    place: tuple[float, float] | None = None
    wait: timedelta = timedelta(0)
    path: Path | None = None
    either: int | str = 0
    auto: float | Literal["auto"] = "auto"
    rest: Any = None
    except_: tuple[Engine, ...] = ()
    waits: Annotated[Waits, BESIDE] = field(default_factory=Waits)

    def __post_init__(self) -> None:
        if self.name == "no":
            raise ValueError("'no' is no name")


def value(**given: Any) -> Options:
    """Return options that are in order."""
    found, problems = parse(Options, unmarked({"name": "x", **given}))
    assert not problems
    assert found is not None
    return found


def messages(**given: Any) -> list[str]:
    """Return what is wrong with options."""
    found, problems = parse(Options, unmarked({"name": "x", **given}))
    assert found is None
    return [str(problem) for problem in problems]


def test_what_is_not_given_has_its_default() -> None:
    assert value() == Options(name="x")


@pytest.mark.parametrize(
    ("key", "given", "expected"),
    [
        ("number", 5, 5),
        ("number", 5.0, 5),
        ("number", "5", 5),
        ("number", "0300", 300),
        ("ratio", 2, 2.0),
        ("ratio", "2.5", 2.5),
        ("on", "off", False),
        ("on", "Yes", True),
        ("on", False, False),
        ("mood", "loud", Mood.LOUD),
        ("level", "high", Level.HIGH),
        ("engine", None, Engine()),
        ("engine", {"asr": "a"}, Engine(asr=("a",))),
        ("engine", {"inner": {"inner": {"asr": ["b"]}}}, Engine(inner=Engine(inner=Engine(asr=("b",))))),
        ("engines", None, {}),
        ("engines", {"a": {}, "b": None}, {"a": Engine(), "b": Engine()}),
        ("words", ["a", "b", "a"], frozenset({"a", "b"})),
        ("place", [1, 2.5], (1.0, 2.5)),
        ("wait", 90, timedelta(seconds=90)),
        ("wait", "01:30", timedelta(hours=1, minutes=30)),
        ("wait", "-00:00:01.5", timedelta(seconds=-1.5)),
        ("wait", {"minutes": 2, "seconds": "3"}, timedelta(minutes=2, seconds=3)),
        ("path", "/tmp", Path("/tmp")),
        ("path", None, None),
        ("either", "5", "5"),
        ("either", 5, 5),
        ("auto", "auto", "auto"),
        ("auto", "3", 3.0),
        ("rest", {"a": [1]}, {"a": [1]}),
        ("except", {"asr": "a"}, (Engine(asr=("a",)),)),
    ],
)
def test_values_become_what_the_program_wants(key: str, given: Any, expected: Any) -> None:
    found = getattr(value(**{key: given}), key if key != "except" else "except_")
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("key", "given", "said"),
    [
        ("name", 5, "name: expected text, got 5; put it in quotes"),
        ("name", None, "name: expected text, got nothing"),
        ("name", "no", "'no' is no name"),
        ("number", "abc", "number: expected a whole number, got 'abc'"),
        ("number", 5.5, "number: expected a whole number, got 5.5"),
        ("number", True, "number: expected a whole number, got true"),
        ("number", [1], "number: expected a whole number, got a list"),
        ("ratio", "nan", "ratio: expected a number, got 'nan'"),
        ("ratio", float("inf"), "ratio: expected a number, got inf"),
        ("on", "maybe", "on: expected true or false, got 'maybe'"),
        ("on", 1, "on: expected true or false, got 1"),
        ("units", "metrik", "units: expected 'metric' or 'imperial', got 'metrik'; did you mean 'metric'?"),
        ("mood", "laud", "mood: expected 'calm' or 'loud', got 'laud'; did you mean 'loud'?"),
        ("engine", "x", "engine: expected a mapping of options, got 'x'"),
        ("engine", {"asrr": 1}, "engine.asrr: unknown option; did you mean 'asr'?"),
        ("engine", {"zzz": 1}, "engine.zzz: unknown option; there are asr, share, inner"),
        ("engine", {"share": 2}, "engine.share: expected a number from 0 to 1, got 2"),
        ("engines", ["a"], "engines: expected a mapping of 'name: value', got a list"),
        ("engines", {5: {}}, "engines[5]: a name must be text; put 5 in quotes"),
        ("engines", {"a": {"share": "x"}}, "engines.a.share: expected a number, got 'x'"),
        ("words", ["a", 1], "words[1]: expected text, got 1; put it in quotes"),
        ("place", [1], "place: expected a list of 2 items, got a list"),
        ("place", [1, "x"], "place[1]: expected a number, got 'x'"),
        ("wait", "soon", "wait: expected a length of time"),
        ("wait", {"weeks": 1}, "wait: expected a length of time"),
        ("wait", 1e300, "wait: expected a length of time"),
        ("either", [1], "either: expected a whole number or text, got a list"),
        ("auto", "auot", "auto: expected a number or 'auto', got 'auot'; did you mean 'auto'?"),
        ("except", [{"asr": "a"}, {"arr": 1}], "except[1].arr: unknown option; did you mean 'asr'?"),
        ("first", "x", "first: expected a number, got 'x'"),
        ("firts", 1, "firts: unknown option; did you mean 'first'?"),
    ],
)
def test_what_is_wrong_is_said_in_words_people_understand(key: str, given: Any, said: str) -> None:
    found = messages(**{key: given})
    assert len(found) == 1
    assert found[0].startswith(said)


def test_a_required_option_is_missed() -> None:
    _, problems = parse(Options, unmarked({"nmae": "x"}))
    assert [str(problem) for problem in problems] == [
        "nmae: unknown option; did you mean 'name'?",
        "name: this option is required",
    ]


def test_everything_wrong_is_told_at_once_with_its_place(write: Write) -> None:
    text = "number: x\nengine:\n  asrr: [a]\n  share: 7\nengines: {a: {inner: {share: x}}}\n"
    _, problems = parse(Options, load(write({"earnest.yaml": text}), {}))
    assert [str(problem).partition(": ")[0] for problem in problems] == [
        "earnest.yaml:1:1",
        "earnest.yaml:1:9",
        "earnest.yaml:3:3",
        "earnest.yaml:4:10",
        "earnest.yaml:5:30",
    ]
    assert problems[0].message == "this option is required"


def test_options_may_stand_at_a_path_and_beside_others() -> None:
    document = unmarked({"x": {"y": {"asr": "a", "type": "t"}}})
    assert parse(Engine, document, ("x", "y"), others=("type",)) == (Engine(asr=("a",)), [])
    assert parse(Engine, document, ("x", "z")) == (Engine(), [])


def test_any_type_can_be_parsed() -> None:
    assert parse_as(list[int] | None, unmarked({"a": ["1", 2]}), ("a",)) == ([1, 2], [])


def test_a_part_stands_beside_the_other_options() -> None:
    assert value(first=5).waits == Waits(first=5.0, last=2.0)


@dataclass(frozen=True, kw_only=True)
class Doubled:
    first: str = ""
    waits: Annotated[Waits, BESIDE] = field(default_factory=Waits)


def test_two_options_cannot_share_a_key() -> None:
    with pytest.raises(TypeError, match="two options are called first"):
        keys_of(Doubled)


@dataclass(frozen=True, kw_only=True)
class Impossible:
    lamp: memoryview


def test_a_type_that_yaml_cannot_give_is_named() -> None:
    with pytest.raises(TypeError, match=r"Impossible\.lamp: <class 'memoryview'> cannot be written in YAML"):
        keys_of(Impossible)


def test_a_thousand_mistakes_are_not_all_told() -> None:
    found = messages(words=[5] * 1000)
    assert len(found) == 201
    assert found[-1] == "and 800 more problems"


def test_arguments_are_checked_and_only_those_given_come_back() -> None:
    assert arguments(Options, {"name": "a", "number": "5", "except": {"asr": "b"}, "first": 3}) == {
        "name": "a",
        "number": 5,
        "except_": (Engine(asr=("b",)),),
        "waits": Waits(first=3.0),
    }
    assert arguments(Engine, {}) == {}


def test_bad_arguments_are_one_sentence() -> None:
    with pytest.raises(ValueError, match=r"^nme: unknown option; did you mean 'name'\?; on: expected true"):
        arguments(Options, {"nme": "a", "on": 5, "name": "b"})


def test_arguments_that_come_later_are_not_missed() -> None:
    assert arguments(Options, {"number": 1}, later=("name",)) == {"number": 1}
    with pytest.raises(ValueError, match="unknown option; did you mean 'name'"):
        arguments(Options, {"name": "x"}, later=("nam",))


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("kichen", "; did you mean 'kitchen'?"),
        ("KITCHEN", "; did you mean 'kitchen'?"),
        ("living room", "; did you mean 'living_room'?"),
        ("zzz", ""),
        ("", ""),
        (5, ""),
        ("x" * 10_000, ""),
    ],
)
def test_near_words_are_found(word: Any, said: str) -> None:
    assert near(word, ("kitchen", "living_room")) == said
