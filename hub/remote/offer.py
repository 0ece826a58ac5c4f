"""What a Wyoming server offers: written by ours, read from anybody's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hub.remote.wire import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model of a recogniser, or a voice."""

    name: str
    description: str = ""
    version: str | None = None
    languages: tuple[str, ...] = ()
    """As the model knows them; empty: it does not say."""
    speakers: tuple[str, ...] = ()
    """Of a voice with several."""
    author: str = ""
    url: str = ""

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Model:
        """Take what can be understood of a stranger's description."""
        speakers = raw.get("speakers")
        named = [s.get("name") for s in speakers or () if isinstance(s, Mapping)]
        return cls(
            name=str(raw.get("name", "")), languages=_texts(raw.get("languages")), speakers=_texts(named)
        )

    def describe(self) -> dict[str, Any]:
        """Return it as Wyoming's `info` has it; every model we list is installed."""
        about = _about(self.name, self.description, self.version, self.author, self.url)
        about["languages"] = list(self.languages)
        if self.speakers:
            about["speakers"] = [{"name": name} for name in self.speakers]
        return about


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A recogniser or a voice engine with its models."""

    name: str
    description: str = ""
    version: str | None = None
    models: tuple[Model, ...] = ()
    streams: bool = False
    """Whether transcripts come, or text is taken, piece by piece."""
    author: str = ""
    url: str = ""

    @property
    def languages(self) -> tuple[str, ...]:
        """Of all models; empty: it does not say."""
        return tuple(dict.fromkeys(language for model in self.models for language in model.languages))


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Everything that one server does for the hub; of several programs of a kind the first."""

    asr: Program | None = None
    tts: Program | None = None

    @classmethod
    def read(cls, event: Event) -> Offer:
        """Take what can be understood of an `info` event; the rest is skipped."""
        return cls(
            asr=_read_program(event.data.get("asr"), "models", "supports_transcript_streaming"),
            tts=_read_program(event.data.get("tts"), "voices", "supports_synthesize_streaming"),
        )

    def event(self) -> Event:
        """Return the `info` event that says this."""
        asr, tts = self.asr, self.tts
        data: dict[str, Any] = {kind: [] for kind in ("handle", "intent", "wake", "mic", "snd")}
        data["asr"] = [_describe(asr, "models", "supports_transcript_streaming")] if asr else []
        data["tts"] = [_describe(tts, "voices", "supports_synthesize_streaming")] if tts else []
        for program in data["asr"]:
            program["requires_external_vad"] = True
        return Event("info", data)


def fitting(language: str | None, known: Iterable[str]) -> str | None:
    """Return the name that `known` has for the language (`de-AT` is met by `de_AT`, `de`, `de-DE`).

    A server that says nothing of languages, or does not know this one, gets it as it is.
    """
    if language is None:
        return None
    names = {name.replace("_", "-").lower(): name for name in known}
    wanted = language.replace("_", "-").lower()
    short = wanted.partition("-")[0]
    near = (name for key, name in names.items() if key.partition("-")[0] == short)
    return names.get(wanted) or names.get(short) or next(near, language)


def _read_program(raw: Any, models: str, streams: str) -> Program | None:
    first = raw[0] if isinstance(raw, list) and raw else None
    if not isinstance(first, Mapping):
        return None
    listed = first.get(models)
    return Program(
        name=str(first.get("name", "")),
        models=tuple(Model.read(m) for m in listed if isinstance(m, Mapping))
        if isinstance(listed, list)
        else (),
        streams=first.get(streams) is True,
    )


def _describe(program: Program, models: str, streams: str) -> dict[str, Any]:
    about = _about(program.name, program.description, program.version, program.author, program.url)
    return about | {models: [m.describe() for m in program.models], streams: program.streams}


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
