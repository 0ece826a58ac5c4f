from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
import voluptuous as vol

from hub.config.record import BESIDE
from hub.config.schema import docs_of, json_schema


@dataclass(frozen=True, kw_only=True)
class Waits:
    first: float = 1.0
    """How long,
    in seconds."""


@dataclass(frozen=True, kw_only=True)
class Light:
    brightness: Annotated[int, vol.Range(min=0, max=100)]
    """Percent."""
    color: Literal["red", "blue"] | None = None
    names: Annotated[tuple[str, ...], vol.Length(min=1, max=3)] = ("x",)
    effect: str | int = ""
    data: Mapping[str, float] = field(default_factory=dict)
    place: tuple[float, float] = (0.0, 0.0)
    code: Annotated[str, vol.Match(r"^\d+$")] = "1"
    rest: Any = None
    waits: Annotated[Waits, BESIDE] = field(default_factory=Waits)
    waiting: Waits = field(default_factory=Waits)


PROPERTIES = {
    "brightness": {"type": "integer", "minimum": 0, "maximum": 100, "description": "Percent."},
    "color": {"type": "string", "enum": ["red", "blue"]},
    "names": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
    "effect": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    "data": {"type": "object", "additionalProperties": {"type": "number"}},
    "place": {"type": "array", "items": {}, "minItems": 2, "maxItems": 2},
    "code": {"type": "string", "pattern": r"^\d+$"},
    "first": {"type": "number", "description": "How long, in seconds."},
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_an_option_is_described_for_models(name: str) -> None:
    assert json_schema(Light)["properties"][name] == PROPERTIES[name]


def test_the_whole_schema_is_an_object_that_says_what_is_required() -> None:
    schema = json_schema(Light)
    assert schema["type"] == "object"
    assert schema["required"] == ["brightness"]
    assert schema["properties"]["waiting"]["properties"] == {"first": PROPERTIES["first"]}
    assert "anyOf" in schema["properties"]["rest"]


@dataclass(frozen=True, kw_only=True)
class Brighter(Light):
    more: int = 0
    """Added."""
    undocumented: int = 0


def test_fields_are_documented_by_the_text_under_them() -> None:
    assert docs_of(Brighter) == {"brightness": "Percent.", "more": "Added."}


def test_a_class_inside_a_function_is_documented_too() -> None:
    @dataclass
    class Local:
        one: int = 0
        """First."""

    assert docs_of(Local) == {"one": "First."}


def test_a_class_without_source_has_no_documents() -> None:
    assert docs_of(int) == {}
    assert docs_of(type("Made", (), {})) == {}
