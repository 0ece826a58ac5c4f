"""What a client may ask of a turn, and the turn it becomes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hub.api.answers import Rejected
from hub.api.hub import Hub
from hub.config.words import known, near
from hub.errors import EngineError
from hub.house import House
from hub.pipeline.context import Stage, TurnRequest
from hub.values.ids import new_id
from hub.values.session import Session
from hub.values.tool import Caller

_ID = re.compile(r"[\x21-\x7e]{1,100}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Body of `POST /api/turns`; beside a recording the same words stand in the query."""

    text: str | None = None
    """The sentence; none beside a recording."""
    pipeline: str | None = None
    """Name of the pipeline; `default` if it is not given."""
    area: str | None = None
    """The room the speaker is in: its id, name or an alias."""
    language: str | None = None
    """BCP 47; the house's own if it is not given."""
    session: str | None = None
    """The conversation it belongs to; a new one if it is not given."""
    wake: str | None = None
    """The engine whose wake word the recording has to begin with, and after a colon the words it listens
    for: `words:okay_nabu,hey_jarvis`; none are all that it knows."""
    start: Stage | None = None
    """First stage; `wake` with an engine for it, `vad` for a recording, `intents` for a text."""
    end: Stage | None = None
    """Last stage; `tts` for a recording and where audio is wanted, else `agent`."""
    audio: bool = False
    """Whether the spoken answer comes as `tts-audio` events."""


def request_of(hub: Hub, wanted: Wanted, caller: Caller) -> TurnRequest:
    """Return the turn that is asked for; raises `Rejected` for what this house does not have."""
    pipeline = wanted.pipeline or "default"
    if pipeline not in hub.pipelines:
        hint = near(pipeline, hub.pipelines) or f"; {known(hub.pipelines)}"
        raise Rejected(404, "unknown-pipeline", f"there is no pipeline '{pipeline[:100]}'{hint}")
    engine, words = _wake(hub, wanted.wake or "")
    return TurnRequest(
        session=Session(
            id=_fitting(wanted.session, _ID, "a session's name is up to 100 letters, without spaces")
            or new_id(),
            language=_fitting(wanted.language, _LANGUAGE, "a language is written like en or pt-BR")
            or hub.config.hub.language,
            area=_area(hub.house, wanted.area) if wanted.area else None,
        ),
        caller=caller,
        text=wanted.text,
        wake=engine,
        wake_words=words,
        start=wanted.start,
        end=wanted.end or ("agent" if wanted.text is not None and not wanted.audio else "tts"),
        pipeline=pipeline,
    )


def _wake(hub: Hub, wanted: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the engine and its words; whether one that is there works is the turn's own business."""
    engine, _, listed = wanted.partition(":")
    engine = engine.strip()
    words = tuple(filter(None, map(str.strip, listed.split(","))))
    if not engine:
        return None, ()
    try:
        offered = hub.registry.wake(engine).words
    except EngineError:
        _known_engine(hub, engine)
        return engine, words
    if unknown := [word for word in words if offered and word not in offered]:
        hint = near(unknown[0], offered) or f"; {known(offered)}"
        raise Rejected(404, "unknown-wake-word", f"there is no wake word '{unknown[0][:100]}'{hint}")
    return engine, words


def _known_engine(hub: Hub, engine: str) -> None:
    """Raise `Rejected` unless an instance of that name hears wake words, or may once it is open."""
    instances = {state.entity_id: state for state in hub.states}
    state = instances.get(f"integration.{engine}")
    if state and (state.state != "open" or "wake" in state.attributes.get("provides", ())):
        return
    wakers = sorted(
        name.removeprefix("integration.")
        for name, state in instances.items()
        if name.startswith("integration.") and "wake" in state.attributes.get("provides", ())
    )
    hint = near(engine, wakers) or f"; {known(wakers)}"
    raise Rejected(404, "unknown-engine", f"nothing for wake words is named '{engine[:100]}'{hint}")


def _fitting(value: str | None, pattern: re.Pattern[str], message: str) -> str | None:
    if value and not pattern.fullmatch(value):
        raise Rejected(400, "bad-body", message)
    return value


def _area(house: House, name: str) -> str:
    """Return the id of the area that has this id, name or alias."""
    if name in house.areas:
        return name
    folded = name.casefold()
    for area in house.areas.values():
        if folded in (word.casefold() for word in (area.id, area.name, *area.aliases)):
            return area.id
    hint = near(name, house.areas) or f"; {known(house.areas)}"
    raise Rejected(404, "unknown-area", f"there is no area '{name[:100]}'{hint}")
