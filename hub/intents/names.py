"""The names of this house as hassil needs them: a picture of one moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hassil.expression import TextChunk
from hassil.intents import SlotList, TextSlotList, TextSlotValue
from hassil.util import fold_case, match_start, normalize_text, remove_punctuation

from hub.house import House
from hub.intents.said import NameIndex, Said, split
from hub.values.house import Area, Floor
from hub.values.thing import Thing

HIDDEN = "hidden"
MAX_NAME = 100
"""Characters of the longest name that can be said."""
_SHORTEST_PLURAL = 4
"""Letters above which a name that ends with an s is also known without it."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What the house was at one generation; may go to another thread."""

    generation: int
    things: tuple[Thing, ...]
    areas: Mapping[str, Area]
    floors: Mapping[str, Floor]

    @classmethod
    def of(cls, house: House) -> Picture:
        """Take it; on the event loop's thread."""
        return cls(house.generation, tuple(house.things.values()), dict(house.areas), dict(house.floors))


class Names:
    """Slot lists and an index of names. Read-only after it is made, so all requests share it.

    Only `read` and `places` grow: what was found out about sentences and words while these names held.
    """

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.read: dict[tuple[str, str, Area | None], tuple[Any, ...]] = {}
        self.places: dict[tuple[str, str], Any] = {}
        self.exposed = tuple(thing for thing in picture.things if thing.exposed)
        self._things = _by_form(self.exposed)
        self._hidden = _by_form(thing for thing in picture.things if not thing.exposed)
        self.lists: dict[str, SlotList] = {
            "area": _list("area", _place_values(picture.areas.values())),
            "floor": _list("floor", _place_values(picture.floors.values())),
            "name": _list("name", _thing_values(self._things)),
        }
        self.index = NameIndex(self._texts())
        hidden = ((form, HIDDEN) for form in self._hidden)
        self.index_with_hidden = NameIndex(
            (*self._texts(), *hidden, *((form, "name") for form in self._hidden))
        )

    def called(self, kind: str) -> list[str]:
        """Return the names of all exposed things, areas or floors."""
        if kind == "area":
            return [area.name for area in self.picture.areas.values()]
        if kind == "floor":
            return [floor.name for floor in self.picture.floors.values()]
        return [thing.name for thing in self.exposed]

    def has_hidden(self, said: Said) -> bool:
        """Whether a name stands in the sentence that voice may not use."""
        return any(HIDDEN in lists for lists in said.named)

    @cached_property
    def with_hidden(self) -> dict[str, SlotList]:
        """The lists as if voice might name every thing."""
        everything = (*_thing_values(self._things), *_thing_values(self._hidden))
        return {**self.lists, "name": _list("name", everything)}

    @cached_property
    def kinds(self) -> Mapping[str, frozenset[str]]:
        """Of each word the kinds of the names that it is part of."""
        found: dict[str, set[str]] = {}
        for text, kind in self._texts():
            for word in split(text):
                found.setdefault(word, set()).add(kind)
        return {word: frozenset(kinds) for word, kinds in found.items()}

    def things(self, form: str) -> tuple[Thing, ...]:
        """Return the exposed things that may be called this (a value's `form`)."""
        return self._things.get(form, ())

    def hidden(self, form: str) -> tuple[Thing, ...]:
        """Return the things called this that voice may not name."""
        return self._hidden.get(form, ())

    def warm(self) -> None:
        """Make ready what hassil would make when a name is first said: its pattern."""
        for text, _ in self._texts():
            match_start("", text)

    def _texts(self) -> Iterator[tuple[str, str]]:
        for kind, values in self.lists.items():
            assert isinstance(values, TextSlotList)
            for value in values.values:
                assert isinstance(value.text_in, TextChunk)
                domain = (value.context or {}).get("domain")
                yield value.text_in.text, f"{kind} {domain}" if domain else kind


def forms(name: str) -> Iterator[str]:
    """Yield how a name may come from a recogniser, folded: without punctuation, with and without hyphens."""
    spoken = fold_case(normalize_text(remove_punctuation(" ".join(name.split()))).strip())
    if spoken and len(spoken) <= MAX_NAME:
        yield spoken
        open_up = " ".join(spoken.replace("-", " ").replace("_", " ").split())
        if open_up and open_up != spoken:
            yield open_up


def _by_form(things: Iterable[Thing]) -> dict[str, tuple[Thing, ...]]:
    """Return the things by how they may be called; "Kitchen lights" also without the s that is soon lost."""
    found: dict[str, dict[str, Thing]] = {}
    for thing in things:
        for name in (thing.name, *thing.aliases):
            for form in forms(name):
                found.setdefault(form, {})[thing.id] = thing
    for form in [form for form in found if form.endswith("s") and not form.endswith("ss")]:
        if len(form) > _SHORTEST_PLURAL:
            found.setdefault(form[:-1], found[form])
    return {form: tuple(some.values()) for form, some in found.items()}


def _thing_values(things: Mapping[str, tuple[Thing, ...]]) -> Iterator[TextSlotValue]:
    """Yield a value for each name and kind of thing; who is meant is found out later."""
    for form, some in things.items():
        kinds = {(thing.domain, thing.device_class): thing for thing in reversed(some)}
        for (domain, device_class), thing in kinds.items():
            yield TextSlotValue(
                text_in=TextChunk(form),
                value_out=thing.name,
                context={"domain": domain} | ({"device_class": device_class} if device_class else {}),
                metadata={"form": form},
            )


def _place_values(places: Iterable[Area | Floor]) -> Iterator[TextSlotValue]:
    for place in places:
        for form in dict.fromkeys(form for name in (place.name, *place.aliases) for form in forms(name)):
            yield TextSlotValue(
                text_in=TextChunk(form),
                value_out=place.name,
                context={},
                metadata={"id": place.id},
            )


def _list(name: str, values: Iterable[TextSlotValue]) -> TextSlotList:
    slot_list = TextSlotList(name=name, values=list(values))
    # hassil builds its index at first use, in two steps that another thread could see half done
    slot_list.get_candidates("")
    return slot_list
