"""What a Wyoming server offers: written by ours, read from anybody's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hub.remote.wire import Event

KINDS: Mapping[str, tuple[str, str | None]] = {
    "asr": ("models", "supports_transcript_streaming"),
    "tts": ("voices", "supports_synthesize_streaming"),
    "wake": ("models", None),
    "vad": ("models", None),
    "intent": ("models", None),
    "handle": ("models", "supports_handled_streaming"),
}
"""What `info` calls the models of each kind of program, and its word for piece by piece."""
_MOST_PROGRAMS = 100
_MOST_MODELS = 5_000
"""More than any server has; what comes after them is skipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model of a recogniser, a voice, or a wake word."""

    name: str
    description: str = ""
    version: str | None = None
    languages: tuple[str, ...] = ()
    """As the model knows them; empty: it does not say."""
    speakers: tuple[str, ...] = ()
    """Of a voice with several."""
    phrase: str | None = None
    """What is said to wake it, where its name is something else."""
    author: str = ""
    url: str = ""

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Model:
        """Take what can be understood of a stranger's description."""
        speakers = raw.get("speakers")
        listed = speakers if isinstance(speakers, list) else ()
        named = [speaker.get("name") for speaker in listed if isinstance(speaker, Mapping)]
        phrase = raw.get("phrase")
        return cls(
            name=str(raw.get("name", "")),
            languages=_texts(raw.get("languages")),
            speakers=_texts(named),
            phrase=phrase if isinstance(phrase, str) else None,
        )

    def describe(self, kind: str) -> dict[str, Any]:
        """Return it as Wyoming's `info` has it; every model we list is installed."""
        about = _about(self.name, self.description, self.version, self.author, self.url)
        about["languages"] = list(self.languages)
        if self.speakers:
            about["speakers"] = [{"name": name} for name in self.speakers]
        return about | {"phrase": self.phrase} if kind == "wake" else about


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """An engine of one kind with its models."""

    name: str
    description: str = ""
    version: str | None = None
    models: tuple[Model, ...] = ()
    streams: bool = False
    """Whether transcripts or answers come, or text is taken, piece by piece."""
    author: str = ""
    url: str = ""

    @property
    def languages(self) -> tuple[str, ...]:
        """Of all models; empty: it does not say."""
        return tuple(dict.fromkeys(language for model in self.models for language in model.languages))


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Everything that one server does for the hub, each kind with its programs."""

    asr: tuple[Program, ...] = ()
    tts: tuple[Program, ...] = ()
    wake: tuple[Program, ...] = ()
    vad: tuple[Program, ...] = ()
    """Wyoming's own `info` has no word for these; ours and some others say it all the same."""
    intent: tuple[Program, ...] = ()
    handle: tuple[Program, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """All that a stranger said, for what is no program: a satellite."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What it does at all, for instance `("asr", "tts")`."""
        return tuple(kind for kind in KINDS if self.programs(kind))

    def programs(self, kind: str) -> tuple[Program, ...]:
        """Return the programs of a kind."""
        found: tuple[Program, ...] = getattr(self, kind)
        return found

    @classmethod
    def read(cls, event: Event) -> Offer:
        """Take what can be understood of an `info` event; the rest is skipped."""
        programs = {kind: _programs(event.data.get(kind), *words) for kind, words in KINDS.items()}
        return cls(raw=event.data, **programs)

    def event(self) -> Event:
        """Return the `info` event that says this."""
        data: dict[str, Any] = {"mic": [], "snd": []}
        for kind in KINDS:
            data[kind] = [_describe(kind, program) for program in self.programs(kind)]
        for program in data["asr"]:
            program["requires_external_vad"] = True
        return Event("info", data)


def fitting(language: str | None, known: Iterable[str]) -> str | None:
    """Return the name that `known` has for the language (`de-AT` is met by `de_AT`, `de`, `de-DE`).

    A server that says nothing of languages, or does not know this one, gets it as it is.
    """
    return language and (alike(language, known) or language)


def alike(language: str, known: Iterable[str]) -> str | None:
    """Return the name that `known` has for the language, or None if it has none like it."""
    names = {_tag(name): name for name in known}
    wanted = _tag(language)
    short = wanted.partition("-")[0]
    near = (name for key, name in names.items() if key.partition("-")[0] == short)
    return names.get(wanted) or names.get(short) or next(near, None)


def _tag(language: str) -> str:
    return language.replace("_", "-").lower()


def _programs(raw: Any, models: str, streams: str | None) -> tuple[Program, ...]:
    listed = raw[:_MOST_PROGRAMS] if isinstance(raw, list) else ()
    return tuple(_read_program(one, models, streams) for one in listed if isinstance(one, Mapping))


def _read_program(raw: Mapping[str, Any], models: str, streams: str | None) -> Program:
    listed = raw.get(models) or raw.get("models")  # the protocol's README calls voices models too
    found = listed[:_MOST_MODELS] if isinstance(listed, list) else ()
    return Program(
        name=str(raw.get("name", "")),
        models=tuple(Model.read(model) for model in found if isinstance(model, Mapping)),
        streams=streams is not None and raw.get(streams) is True,
    )


def _describe(kind: str, program: Program) -> dict[str, Any]:
    models, streams = KINDS[kind]
    about = _about(program.name, program.description, program.version, program.author, program.url)
    about[models] = [model.describe(kind) for model in program.models]
    return about | {streams: program.streams} if streams else about


def _about(name: str, description: str, version: str | None, author: str, url: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": description or None,
        "version": version,
        "installed": True,
        "attribution": {"name": author, "url": url},
    }


def _texts(raw: Any) -> tuple[str, ...]:
    return tuple(text for text in raw if isinstance(text, str)) if isinstance(raw, (list, tuple)) else ()
