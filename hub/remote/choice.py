"""Which program and model of a server with several a request is for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from hub.config.words import known, near
from hub.errors import EngineUnavailable
from hub.remote.offer import KINDS, Model, Offer, Program, alike, fitting

_DOES = {
    "asr": "speech recognition",
    "tts": "voice",
    "wake": "wake words",
    "vad": "voice activity",
    "intent": "intents",
    "handle": "answers",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the user wrote of a server's offer; None leaves it to the server."""

    program: str | None = None
    model: str | None = None
    """A voice, for `tts`."""
    language: str | None = None
    """Asked for instead of the turn's."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a request is for."""

    program: Program
    name: str | None
    """The model or voice to ask for; None: the server's own choice."""
    language: str | None
    """By the name that the server has for it."""


def choose(offer: Offer, kind: str, wish: Wish, who: str, language: str | None = None) -> Choice:
    """Return what fits the wish, and best the turn's `language`.

    Raises `EngineUnavailable` with what there is and a near match when the server has no such thing.
    """
    programs = _called(offer.programs(kind), kind, wish, who)
    if wish.model is not None:
        return _named(programs, kind, wish.model, who, wish.language or language)
    if wish.language is not None:
        return _speaking(programs, kind, wish.language, who)
    if wish.program is not None:
        return _own(programs, language, must_name=True)
    return _own(programs, language, must_name=False)


def words_of(offer: Offer, wish: Wish, who: str) -> tuple[str, ...]:
    """Return the wake words that fit the wish; raises as `choose`."""
    programs = _called(offer.programs("wake"), "wake", wish, who)
    if wish.model is not None:
        return (_named(programs, "wake", wish.model, who, None).name or wish.model,)
    return tuple(dict.fromkeys(model.name for program in programs for model in program.models if model.name))


def _called(programs: tuple[Program, ...], kind: str, wish: Wish, who: str) -> tuple[Program, ...]:
    if not programs:
        raise EngineUnavailable(f"{who} offers no {_DOES[kind]}")
    if wish.program is None:
        return programs
    found = tuple(program for program in programs if program.name == wish.program)
    return found or _none("program", wish.program, [program.name for program in programs], who)


def _named(programs: tuple[Program, ...], kind: str, name: str, who: str, language: str | None) -> Choice:
    for program in programs:
        for model in program.models:
            if model.name == name:
                return Choice(program, name, fitting(language, model.languages))
    names = [model.name for program in programs for model in program.models]
    if not names:  # a server that lists nothing may have it all the same
        return Choice(programs[0], name, language)
    return _none(KINDS[kind][0].removesuffix("s"), name, names, who)


def _speaking(programs: tuple[Program, ...], kind: str, language: str, who: str) -> Choice:
    """Choose by a language that must be there, unless the server says nothing of languages."""
    if found := _first(programs, language):
        return Choice(found[0], found[1].name or None, alike(language, found[1].languages))
    languages = {language for program in programs for language in program.languages}
    if not languages:
        return Choice(programs[0], None, language)
    return _none("language", language, sorted(languages), who)


def _own(programs: tuple[Program, ...], language: str | None, *, must_name: bool) -> Choice:
    """Choose the program that knows the language, else the first; name a model where its own choice
    would be another program's."""
    found = _first(programs, language) if language else None
    program = found[0] if found else programs[0]
    name = found[1].name if found else next((model.name for model in program.models), None)
    is_named = must_name or program is not programs[0]
    return Choice(program, name or None if is_named else None, fitting(language, program.languages))


def _first(programs: tuple[Program, ...], language: str) -> tuple[Program, Model] | None:
    return next(
        (
            (program, model)
            for program in programs
            for model in program.models
            if alike(language, model.languages)
        ),
        None,
    )


def _none(what: str, name: str, names: list[str], who: str) -> NoReturn:
    there = near(name, names) or f"; {known(names)}"
    raise EngineUnavailable(f"{who} has no {what} '{name}'{there}")
