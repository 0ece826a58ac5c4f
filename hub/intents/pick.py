"""Which things of the house a reading speaks of, or why there are none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hub.intents.names import Names
from hub.intents.reading import Reading
from hub.phrases import Phrases
from hub.values.house import Area
from hub.values.thing import Thing

DOMAIN_OF: Mapping[str, str] = {
    "HassClimateGetTemperature": "climate",
    "HassClimateSetTemperature": "climate",
    "HassFanSetSpeed": "fan",
    "HassGetWeather": "weather",
    "HassLawnMowerDock": "lawn_mower",
    "HassLawnMowerStartMowing": "lawn_mower",
    "HassListAddItem": "todo",
    "HassListCompleteItem": "todo",
    "HassListRemoveItem": "todo",
    "HassMediaNext": "media_player",
    "HassMediaPause": "media_player",
    "HassMediaPlayerMute": "media_player",
    "HassMediaPlayerUnmute": "media_player",
    "HassMediaPrevious": "media_player",
    "HassMediaUnpause": "media_player",
    "HassSetVolume": "media_player",
    "HassSetVolumeRelative": "media_player",
    "HassVacuumReturnToBase": "vacuum",
    "HassVacuumStart": "vacuum",
}
"""What an intent is about where its template does not say."""

SHARED = frozenset({("climate", None), ("cover", "garage"), ("cover", "gate"), ("media_player", None)})
"""What people speak of without its room from anywhere, if the house has just one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why a reading cannot be done in this house."""

    code: str
    """As in `Miss.code`."""
    reply: str
    """What to tell the person."""
    hint: str = ""
    """What may have been meant, for the record."""


class Picker:
    """Finds the things of one house, as a picture of it shows them, for a speaker in one room."""

    def __init__(self, names: Names, phrases: Phrases, here: Area | None) -> None:
        self._names = names
        self._phrases = phrases
        self._here = here

    def pick(self, reading: Reading) -> tuple[Thing, ...] | Trouble:
        """Return the things that are meant, at least one; by name exactly one."""
        if reading.form is not None:
            return self._called(reading)
        if reading.is_here and reading.area is None:
            return self._only(reading) or self._trouble("unknown-area", "which_area")
        found = [thing for thing in self._kind(reading) if self._is_in(thing, reading)]
        return tuple(found) or (self._only(reading) if reading.is_here else ()) or self._none(reading)

    def todo(self, thing_id: str, name: str) -> Thing | None:
        """Return the exposed list of this id, or else of this name."""
        lists = [thing for thing in self._names.exposed if thing.domain == "todo"]
        called = self._names.things(name.casefold())
        found = (thing for thing in lists if thing.id == thing_id)
        return next(found, next((thing for thing in lists if thing in called), None))

    def place(self, reading: Reading) -> str:
        """Return where the reading speaks of, in words: `in the kitchen`."""
        picture = self._names.picture
        if reading.area in picture.areas and reading.area is not None:
            return self._phrases.say("in_area", area=picture.areas[reading.area].name)
        if reading.floor in picture.floors and reading.floor is not None:
            return self._phrases.say("on_floor", floor=picture.floors[reading.floor].name)
        return self._phrases.say("here")

    def _called(self, reading: Reading) -> tuple[Thing, ...] | Trouble:
        called = [
            thing
            for thing in self._names.things(reading.form or "")
            if not reading.domains or thing.domain in reading.domains
        ]
        placed = [thing for thing in called if self._is_in(thing, reading)]
        if not placed:
            name = called[0].name if called else str(reading.slots.get("name"))
            return self._trouble("nothing-there", "name_not_there", name=name, place=self.place(reading))
        if len(placed) > 1:
            near = [thing for thing in placed if self._here and thing.area == self._here.id]
            placed = near if len(near) == 1 else placed
        return tuple(placed) if len(placed) == 1 else self._which(placed)

    def _which(self, things: Iterable[Thing]) -> Trouble:
        areas = self._names.picture.areas
        things = tuple(things)
        choices = [
            f"{thing.name} {self._phrases.say('in_area', area=areas[thing.area].name)}"
            if thing.area in areas and thing.area is not None
            else f"{thing.name} ({self._phrases.kind(thing.domain, thing.device_class)})"
            for thing in things
        ]
        return self._trouble("ambiguous", "which_one", name=things[0].name, choices=", ".join(choices))

    def _kind(self, reading: Reading) -> list[Thing]:
        """Return the exposed things of the kind that is meant."""
        domain, device_class = kind(reading)
        return [
            thing
            for thing in self._names.exposed
            if thing.domain == domain and device_class in (None, thing.device_class)
        ]

    def _is_in(self, thing: Thing, reading: Reading) -> bool:
        if reading.area is not None and thing.area != reading.area:
            return False
        if reading.floor is None:
            return True
        area = self._names.picture.areas.get(thing.area or "")
        return area is not None and area.floor == reading.floor

    def _only(self, reading: Reading) -> tuple[Thing, ...]:
        """Return the one thing of its kind that needs no room to be named."""
        found = self._kind(reading) if kind(reading) in SHARED else []
        return tuple(found) if len(found) == 1 else ()

    def _none(self, reading: Reading) -> Trouble:
        word = self._phrases.kind(*kind(reading))
        if reading.area is None and reading.floor is None:
            return self._trouble("nothing-there", "nothing_at_all", kind=word)
        return self._trouble("nothing-there", "nothing_there", kind=word, place=self.place(reading))

    def _trouble(self, code: str, key: str, **words: str) -> Trouble:
        return Trouble(code=code, reply=self._phrases.say(key, **words))


def kind(reading: Reading) -> tuple[str, str | None]:
    """Return the domain and device class that a reading without a name is about."""
    domain = reading.domains[0] if reading.domains else DOMAIN_OF.get(reading.intent, "")
    device_class = reading.slots.get("device_class")
    return domain, str(device_class) if device_class else None
