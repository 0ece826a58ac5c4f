"""Why a sentence means nothing here: a name nobody has, a room that is not there, a number too large."""

from __future__ import annotations

from collections.abc import Iterable

from hassil.models import UnmatchedEntity, UnmatchedRangeEntity, UnmatchedTextEntity
from hassil.recognize import MISSING_ENTITY, RecognizeResult, recognize_all

from hub.config.words import near
from hub.intents.answers import speakable
from hub.intents.names import Names, forms
from hub.intents.pick import Trouble
from hub.intents.reading import Reader, room
from hub.intents.said import Said
from hub.intents.sentences import Sentences
from hub.intents.wordlist import Template
from hub.phrases import Phrases
from hub.values.house import Area

TELLING = frozenset(
    {
        "HassClimateSetTemperature",
        "HassFanSetSpeed",
        "HassGetState",
        "HassLightSet",
        "HassSetPosition",
        "HassTurnOff",
        "HassTurnOn",
        "HassVacuumReturnToBase",
        "HassVacuumStart",
    }
)
"""Intents whose wording is so plain that a word they do not know is a name that the house does not have."""

VAGUE = frozenset(
    {
        ("HassGetState", "name_only"),
        ("HassGetState", "name_where"),
        ("HassGetState", "name_zone"),
        ("HassTurnOn", "name_scene"),
        ("HassTurnOn", "name_script"),
    }
)
"""Forms of them that fit almost any sentence."""

LONGEST_NAME = 4
"""Words; more than that in the place of a name is another kind of sentence."""
LONGEST_FIRST = 2
"""Words of an unknown name at the very start of a sentence, where a verb is what one expects."""
LEAST_SAID = 4
"""Letters that must be those of a template, so that not every sentence is about an unknown device."""


def explain(text: str, here: Area | None, names: Names, reader: Reader, phrases: Phrases) -> Trouble | None:
    """Return why no template takes the text, if that can be told. Takes milliseconds."""
    for reading in reader.hidden(text, here, names):
        for thing in names.hidden(reading.form or ""):
            return Trouble(code="not-exposed", reply=phrases.say("not_exposed", name=thing.name))
    best = max(_almost(text, here, names, reader.sentences), key=_fit, default=None)
    return _unknown(best, names, phrases) if best else None


def _almost(text: str, here: Area | None, names: Names, sentences: Sentences) -> Iterable[RecognizeResult]:
    """Yield what hassil makes of the text if one name may be unknown, or one number out of range."""
    said = Said.of(text, names.index)
    for result in recognize_all(
        said.text,
        sentences.among(filter(_is_plain, sentences.guessing(said)), said.text),
        slot_lists=names.lists,
        intent_context=room(here),
        language=sentences.language,
        allow_unmatched_entities=True,
    ):
        if _is_telling(result, said.text):
            yield result


def _is_plain(template: Template) -> bool:
    combination = (template.data.metadata or {}).get("slot_combination", "")
    return template.intent in TELLING and (template.intent, combination) not in VAGUE


def _is_telling(result: RecognizeResult, text: str) -> bool:
    unknown = _unmatched(result)
    if len(unknown) != 1 or result.text_chunks_matched < LEAST_SAID:
        return False
    if isinstance(unknown[0], UnmatchedTextEntity):
        said = unknown[0].text.strip().casefold()
        longest = LONGEST_FIRST if text.casefold().startswith(said) else LONGEST_NAME
        return 0 < len(said.split()) <= longest
    return not any(entity.is_wildcard for entity in result.entities_list)


def _unmatched(result: RecognizeResult) -> list[UnmatchedEntity]:
    return [one for one in result.unmatched_entities_list if getattr(one, "text", "") != MISSING_ENTITY]


def _fit(result: RecognizeResult) -> tuple[int, int]:
    """Return how well a result fits: the more of the template was said, and the less is unknown."""
    return result.text_chunks_matched, -len(getattr(_unmatched(result)[0], "text", ""))


def _unknown(result: RecognizeResult, names: Names, phrases: Phrases) -> Trouble:
    one = _unmatched(result)[0]
    if isinstance(one, UnmatchedRangeEntity):
        value = speakable(float(one.value))
        return Trouble(code="out-of-range", reply=phrases.say("out_of_range", value=value))
    said = str(getattr(one, "text", "")).strip()
    kind = one.name if one.name in ("area", "floor") else "name"
    hint = near(said, {form for name in names.called(kind) for form in forms(name)})
    code = "unknown-name" if kind == "name" else "unknown-area"
    return Trouble(code=code, reply=phrases.say(f"unknown_{kind}", **{kind: said}), hint=hint)
