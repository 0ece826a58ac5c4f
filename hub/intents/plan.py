"""From a reading to what has to be done and what has to be known in this house."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hub.clock import Clock
from hub.intents.deeds import DEEDS, UNSUPPORTED, Deed, calls
from hub.intents.pick import Picker, Trouble
from hub.intents.reading import Reading
from hub.phrases import Phrases
from hub.states import States
from hub.values.thing import Thing
from hub.values.tool import Target, ToolCall

SHOPPING_LIST = "todo.shopping_list"
"""The list that "my list" means."""

_ONLY_IF_ANY_IS = {"HassMediaPause": "playing", "HassMediaUnpause": "paused"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a reading comes to in this house."""

    calls: tuple[ToolCall, ...] = ()
    things: tuple[Thing, ...] = ()
    """What it is about; the answer speaks of the first."""
    matched: tuple[Thing, ...] = ()
    """Of a question: things that are as was asked."""
    unmatched: tuple[Thing, ...] = ()
    slots: Mapping[str, Any] = field(default_factory=dict)
    """What the answer needs beside what was said."""
    reply: str | None = None
    """Key of the hub's own sentence that answers, if the package's does not fit."""


class Planner:
    """Plans readings for one speaker, against the house as it is now."""

    def __init__(self, picker: Picker, phrases: Phrases, states: States, clock: Clock) -> None:
        self._picker = picker
        self._phrases = phrases
        self._states = states
        self._clock = clock

    def plan(self, reading: Reading) -> Plan | Trouble:
        """Return what to do, or why it cannot be done."""
        try:
            return self._plan(reading)
        except KeyError as error:  # only where a stranger left out what a sentence could not
            reason = f"{reading.intent} needs {error.args[0]}"
            return Trouble(code="failed", reply=self._phrases.say("failed", reason=reason))

    def _plan(self, reading: Reading) -> Plan | Trouble:
        if special := _SPECIAL.get(reading.intent):
            return special(self, reading)
        deed = DEEDS.get(reading.intent)
        if deed is None:
            key = UNSUPPORTED.get(reading.intent, "unsupported")
            return Trouble(code="unsupported", reply=self._phrases.say(key))
        things = self._picker.pick(reading)
        if isinstance(things, Trouble):
            return things
        state = _ONLY_IF_ANY_IS.get(reading.intent)
        things = tuple(thing for thing in things if self._is(thing, state)) or things
        return Plan(calls=calls(deed, things, deed.arguments(reading)), things=things)

    def _is(self, thing: Thing, state: str | None) -> bool:
        now = self._states.get(thing.id)
        return now is not None and now.state == state

    def state(self, reading: Reading) -> Plan | Trouble:
        """Plan an answer about states."""
        things = self._picker.pick(reading)
        if isinstance(things, Trouble):
            return things
        asked = reading.slots.get("state")
        matched = tuple(thing for thing in things if asked is None or self._was_asked(thing, str(asked)))
        return Plan(
            things=things,
            matched=matched,
            unmatched=tuple(thing for thing in things if thing not in matched),
        )

    def _was_asked(self, thing: Thing, asked: str) -> bool:
        now = self._states.get(thing.id)
        return now is not None and now.state.casefold().replace("_", " ") == asked.casefold().replace(
            "_", " "
        )

    def temperature(self, reading: Reading) -> Plan | Trouble:
        """Plan an answer about how warm it is: thermostats know, else thermometers."""
        things = self._picker.pick(reading)
        if isinstance(things, tuple):
            return Plan(things=things)
        thermometer = replace(
            reading, domains=("sensor",), slots={**reading.slots, "device_class": "temperature"}
        )
        sensors = self._picker.pick(thermometer) if reading.form is None else things
        return Plan(things=sensors) if isinstance(sensors, tuple) else things

    def shopping(self, reading: Reading) -> Plan | Trouble:
        """Plan a change of the shopping list."""
        name = self._phrases.say("shopping_list")
        thing = self._picker.todo(SHOPPING_LIST, name)
        if thing is None:
            return Trouble(code="nothing-there", reply=self._phrases.say("no_list", name=name))
        deed = DEEDS[reading.intent.replace("HassShoppingList", "HassList")]
        return Plan(calls=calls(deed, (thing,), deed.arguments(reading)), things=(thing,))

    def louder(self, reading: Reading) -> Plan | Trouble:
        """Plan a change of volume by a step; players that tell theirs are moved by the number said."""
        things = self._picker.pick(reading)
        if isinstance(things, Trouble):
            return things
        step = reading.slots["volume_step"]
        if isinstance(step, str):
            return Plan(calls=calls(Deed(f"volume_{step}"), things, {}), things=things)
        return Plan(calls=tuple(self._step(thing, step) for thing in things), things=things)

    def _step(self, thing: Thing, percent: float) -> ToolCall:
        now = self._states.get(thing.id)
        level = now.attributes.get("volume_level") if now else None
        target = Target(entities=(thing.id,))
        if not isinstance(level, (int, float)):
            return ToolCall(tool=f"{thing.domain}.volume_{'up' if percent > 0 else 'down'}", target=target)
        wanted = round(min(max(level + percent / 100, 0.0), 1.0), 2)
        return ToolCall(tool=f"{thing.domain}.volume_set", arguments={"volume_level": wanted}, target=target)

    def time(self, _: Reading) -> Plan:
        """Plan to tell the time."""
        return Plan(slots={"time": self._clock.now().time()})

    def date(self, _: Reading) -> Plan:
        """Plan to tell the date."""
        return Plan(slots={"date": self._clock.now().date()})

    def talk(self, reading: Reading) -> Plan:
        """Plan small talk: the package would answer as somebody else."""
        return Plan(reply=f"respond_{reading.response}" if reading.response != "default" else None)


_SPECIAL: Mapping[str, Callable[[Planner, Reading], Plan | Trouble]] = {
    "HassClimateGetTemperature": Planner.temperature,
    "HassGetCurrentDate": Planner.date,
    "HassGetCurrentTime": Planner.time,
    "HassGetState": Planner.state,
    "HassGetWeather": Planner.state,
    "HassNevermind": lambda _, __: Plan(),
    "HassRespond": Planner.talk,
    "HassSetVolumeRelative": Planner.louder,
    "HassShoppingListAddItem": Planner.shopping,
    "HassShoppingListCompleteItem": Planner.shopping,
}
SUPPORTED = frozenset({*DEEDS, *_SPECIAL})


def _folded(state: str) -> str:
    return state.casefold().replace("_", " ")
