"""An intent that a recogniser outside the hub found, in the terms of this house."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from hub.config.words import known, near
from hub.intents.answers import speakable
from hub.intents.names import Names, forms
from hub.intents.pick import Trouble
from hub.intents.plan import Plan
from hub.intents.reading import Reading
from hub.phrases import Phrases
from hub.values.house import Area
from hub.values.intent import NamedIntent

NUMBERS = frozenset(
    {"brightness", "humidity", "percentage", "position", "temperature", "volume_level", "volume_step"}
)
"""Slots of Home Assistant's intents that hold numbers; light's `temperature` is one too."""
LONGEST = 500
"""Characters of a slot's text that are taken."""
MOST = 50
"""Slots that are taken."""


def scalars(slots: Mapping[str, Any]) -> dict[str, Any]:
    """Return the slots that hold a text, a finite number or a truth value."""
    found: dict[str, Any] = {}
    for name, value in slots.items():
        if isinstance(value, str) and value.strip():
            found[name] = value.strip()[:LONGEST]
        elif isinstance(value, (bool, int)) or (isinstance(value, float) and math.isfinite(value)):
            found[name] = value
        if len(found) == MOST:
            break
    return found


def reading(intent: NamedIntent, names: Names, here: Area | None, phrases: Phrases) -> Reading | Trouble:
    """Return the intent as if a sentence had said it, or which of its slots this house cannot fill."""
    slots = scalars(intent.slots)
    for slot in NUMBERS & slots.keys():
        slots[slot] = _number(slots[slot])
        if slots[slot] is None:
            return Trouble(code="out-of-range", reply=phrases.say("out_of_range", value=intent.slots[slot]))
    area, floor, form = (_place(names, "area", slots), _place(names, "floor", slots), _form(names, slots))
    for kind, found in (("name", form), ("area", area), ("floor", floor)):
        if kind in slots and found is None:
            return _unknown(kind, str(slots[kind]), names, phrases)
    is_here = not {"name", "area", "floor"} & slots.keys()
    return Reading(
        intent=intent.name,
        response="default",
        slots=slots,
        form=form,
        domains=_several(intent.slots.get("domain")),
        area=here.id if is_here and here else area,
        is_here=is_here,
        floor=floor,
        template=intent.name,
    )


def answering(told: Reading, plan: Plan, responses: Iterable[str]) -> Reading:
    """Return the reading with that of the package's answers which fits what will be done."""
    there = tuple(responses)
    wanted = [*_wanted(told, plan), "default", *(there if len(there) == 1 else ())]
    return replace(told, response=next((name for name in wanted if name in there), "default"))


def _wanted(told: Reading, plan: Plan) -> list[str]:
    if told.intent == "HassGetState":
        one = told.form is not None
        return ["one_yesno" if one else "any"] if "state" in told.slots else ["one" if one else "which"]
    domains = {thing.domain for thing in plan.things}
    several = len(plan.things) > 1 and len(domains) == 1
    place = "area" if told.area else "floor" if told.floor else None
    of_all = [f"{domain}s_{place}" if place else f"{domain}_all" for domain in domains if several]
    return [*told.slots, *of_all, *domains]


def _number(value: Any) -> Any:
    """Return the number, a volume's `up` or `down`, or None for what is neither."""
    number = speakable(value)
    if isinstance(number, (int, float)) and not isinstance(number, bool):
        return number
    return value if value in ("up", "down") else None


def _form(names: Names, slots: Mapping[str, Any]) -> str | None:
    said = str(slots.get("name", ""))
    by_id = next((thing.name for thing in names.exposed if thing.id == said), said)
    return next((form for form in forms(by_id) if names.things(form)), None)


def _place(names: Names, kind: str, slots: Mapping[str, Any]) -> str | None:
    said = str(slots.get(kind, ""))
    places = names.picture.areas if kind == "area" else names.picture.floors
    if said in places:
        return said
    wanted = set(forms(said))
    for place in places.values():
        if wanted & {form for name in (place.name, *place.aliases) for form in forms(name)}:
            return place.id
    return None


def _unknown(kind: str, said: str, names: Names, phrases: Phrases) -> Trouble:
    called = names.called(kind)
    return Trouble(
        code="unknown-name" if kind == "name" else "unknown-area",
        reply=phrases.say(f"unknown_{kind}", **{kind: said}),
        hint=near(said, called) or f" ({known(called)})",
    )


def _several(value: Any) -> tuple[str, ...]:
    several = value if isinstance(value, list) else [value]
    return tuple(one for one in several if isinstance(one, str))
