"""Reads sentences with hassil."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hassil.intents import SlotList
from hassil.recognize import RecognizeResult, recognize_ranked

from hub.intents.names import Names
from hub.intents.said import Said
from hub.intents.sentences import Sentences
from hub.intents.wordlist import Template, several
from hub.values.house import Area


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One way to read a sentence. `area`, `floor` and `form` say which ones were named, or assumed."""

    intent: str
    response: str
    """Key of the answer in the package's responses."""
    slots: Mapping[str, Any] = field(default_factory=dict)
    form: str | None = None
    """The name of a thing, as `Names.things` knows it."""
    domains: tuple[str, ...] = ()
    """Which the named thing may be of, or which the template speaks of; empty: any."""
    area: str | None = None
    """Id of the area that was named, or of the speaker's if the template asks for that."""
    is_here: bool = False
    """Whether the speaker's area is meant; it was not named, and `area` is None if it is not known."""
    floor: str | None = None
    """Id of the floor that was named."""
    template: str


class Reader:
    """Reads sentences of one language. Keeps nothing: any thread may read at any time."""

    def __init__(self, sentences: Sentences) -> None:
        self.sentences = sentences

    def candidates(self, text: str, names: Names) -> list[Template]:
        """Return the templates that may take the text; a tenth of a millisecond."""
        return self.sentences.fitting(Said.of(text, names.index))

    def read(
        self, text: str, here: Area | None, names: Names, templates: Sequence[Template]
    ) -> tuple[Reading, ...]:
        """Return all ways to read the text with these templates, best first; 0.1 ms each."""
        return self._read(text, here, names.lists, templates)

    def hidden(self, text: str, here: Area | None, names: Names) -> tuple[Reading, ...]:
        """Read a sentence as if every thing might be named."""
        said = Said.of(text, names.index_with_hidden)
        if not names.has_hidden(said):
            return ()
        return self._read(text, here, names.with_hidden, self.sentences.fitting(said))

    def _read(
        self,
        text: str,
        here: Area | None,
        lists: dict[str, SlotList],
        templates: Sequence[Template],
    ) -> tuple[Reading, ...]:
        if not templates:
            return ()
        results = recognize_ranked(
            text,
            self.sentences.among(templates, text),
            slot_lists=lists,
            intent_context=room(here),
            language=self.sentences.language,
            best_slot_name="name",
        )
        return tuple(_distinct(map(reading, results)))


def room(area: Area | None) -> dict[str, Any]:
    """Return the context that hassil takes the speaker's room from, known or not."""
    name, area_id = (area.name, area.id) if area else ("", None)
    return {"area": {"value": name, "text": name, "metadata": {"id": area_id}}}


def reading(result: RecognizeResult) -> Reading:
    """Put what hassil found into our own words."""
    entities = {name: entity for name, entity in result.entities.items() if entity.value not in (None, "")}
    place = {
        name: (entities[name].metadata or {}).get("id") for name in ("area", "floor") if name in entities
    }
    name = entities.get("name")
    return Reading(
        intent=result.intent.name,
        response=result.response or "default",
        slots={slot: _whole(entity.value) for slot, entity in entities.items()},
        form=(name.metadata or {}).get("form") if name else None,
        domains=several(
            (result.intent_data.requires_context if name else result.intent_data.slots).get("domain")
        ),
        area=place.get("area"),
        is_here="area" in result.entities and result.entities["area"].text_span is None,
        floor=place.get("floor"),
        template=str(result.intent_sentence.text) if result.intent_sentence else "",
    )


def _whole(value: Any) -> Any:
    """Return 5 for 5.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _distinct(readings: Iterable[Reading]) -> Iterator[Reading]:
    """Leave out readings that say the same; optional parts let one template match in many ways."""
    seen = set()
    for one in readings:
        key = (one.intent, one.response, one.form, one.area, one.floor, tuple(map(str, one.slots.items())))
        if key not in seen:
            seen.add(key)
            yield one
