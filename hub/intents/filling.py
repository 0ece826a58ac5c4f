"""Fills a command's slots with what a recogniser outside the hub found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hub.config.words import known, near
from hub.house import House
from hub.intents.actions import Actions
from hub.intents.answers import speakable
from hub.intents.commands import HOUSE_SLOTS, STAGE, SlotConfig
from hub.intents.phrase_index import Values
from hub.intents.spoken import words
from hub.intents.told import scalars
from hub.values.intent import Miss, NamedIntent
from hub.values.session import Session


@dataclass(frozen=True, slots=True)
class Filled:
    """What a command's templates get."""

    slots: dict[str, Any] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    """Each slot as the recogniser had it."""


@dataclass(frozen=True, slots=True)
class Filler:
    """Fills the slots of one command; `values` are those its slots may hold, by name."""

    config: Mapping[str, SlotConfig]
    values: Mapping[str, Values]
    actions: Actions
    house: House

    def fill(self, intent: NamedIntent, session: Session) -> Filled | Miss:
        """Return the slots, or which value of the intent the command does not take.

        Entities that the command has no slot for are left out.
        """
        filled = Filled()
        for slot, value in scalars(intent.slots).items():
            if slot not in self.values:
                continue
            one = self._value(slot, value, session)
            if isinstance(one, Miss):
                return one
            filled.slots[slot] = one
            filled.said[slot] = str(value)
        return filled

    def _value(self, slot: str, value: Any, session: Session) -> Any:
        config = self.config.get(slot)
        if config is not None and config.wildcard:
            return value
        if slot in HOUSE_SLOTS and config is None:
            return self._named(slot, str(value), session)
        if config is not None and any(value == _out(one) for one in config.values):
            return value
        found = self._whole(slot, str(speakable(value)))
        if found is not None:
            return found
        there = [one if isinstance(one, str) else one.in_ for one in config.values] if config else []
        hint = near(str(value), there) or (f"; {known(there)}" if there else "")
        code = "no-match" if there else "out-of-range"
        return Miss(stage=STAGE, code=code, reason=f"the slot '{slot}' does not take {str(value)!r}{hint}")

    def _named(self, kind: str, said: str, session: Session) -> str | Miss:
        those = self._whole(kind, said)
        if those is not None:
            return self.actions.one_of(those, said, session)
        places: Mapping[str, Any] = {
            "name": {thing.id: thing for thing in self.house.things.values() if thing.exposed},
            "area": self.house.areas,
            "floor": self.house.floors,
        }[kind]
        if said in places:
            return said
        code = "unknown-name" if kind == "name" else "unknown-area"
        hint = near(said, [place.name for place in places.values()])
        return Miss(stage=STAGE, code=code, reason=f"there is no {kind} called {said!r}{hint}")

    def _whole(self, slot: str, said: str) -> Any:
        """Return the value that all of the words stand for, or None."""
        text = [word.text for word in words(said)]
        return next((value for value, end in self.values[slot].at(text, 0) if end == len(text)), None)


def _out(value: Any) -> Any:
    return value if isinstance(value, str) else value.out
