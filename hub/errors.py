"""Every failure a person can meet, each with a stable code and a sentence that says what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar


class EarnestError(Exception):
    """Root of all errors of the hub: `code` is stable, the text is for people."""

    code: ClassVar[str] = "failed"


class AudioError(EarnestError):
    """Audio that cannot be read: no WAV, truncated, empty, or a format that is not supported."""

    code = "audio-unreadable"


class WireError(EarnestError):
    """Another process broke the protocol: rubbish, a frame over its limit, or half an event."""

    code = "wire-protocol"


class EngineError(EarnestError):
    """A speech engine or recogniser failed, with the reason it gave."""

    code = "engine-failed"


class EngineUnavailable(EngineError):
    """The engine is not there: not started, crashed, or its machine cannot be reached."""

    code = "engine-unavailable"


class EngineDown(EngineUnavailable):
    """The engine failed a moment ago; others are asked first until it has recovered."""

    code = "engine-down"


class EngineTimeout(EngineError):
    """The engine did not answer before its deadline (counted from dispatch, never from queueing)."""

    code = "engine-timeout"

    def __init__(self, text: str, what: str | None = None) -> None:
        """`what` did not happen within which limit, where somebody else knows better whose fault it is."""
        self.what = what
        super().__init__(text)


class EngineBusy(EngineError):
    """The engine's queue is full; nothing is wrong with the engine itself."""

    code = "engine-busy"


class ToolError(EarnestError):
    """What a thing or tool answers when it cannot do what it was asked; the text is spoken."""

    code = "tool-failed"


class ThingsFailed(ToolError):
    """Some of the things a tool was for could not do it; the others did."""

    def __init__(self, failed: Mapping[str, str], result: Mapping[str, Any] | None = None) -> None:
        self.failed = dict(failed)
        self.result = result
        super().__init__(" ".join(self.failed.values()))


class EngineDeclined(EngineError):
    """An agent does not take the sentence; the text is its own answer, or empty."""

    code = "engine-declined"


class StoreError(EarnestError):
    """What must survive a restart cannot be kept: a folder that cannot be written, a file of a newer hub."""

    code = "store-unusable"


class IntegrationError(EarnestError):
    """An integration cannot open now; the hub runs on and tries again with growing pauses."""

    code = "integration-failed"


class ModelError(EarnestError):
    """A model is not here and cannot be had, or what is here is not whole; the text says what to do."""

    code = "model-failed"


class ModelUnknown(ModelError):
    """No catalogue has a model of this name."""

    code = "model-unknown"


class ModelInUse(ModelError):
    """The configuration needs the model that was to be removed."""

    code = "model-in-use"


class DownloadFailed(ModelError):
    """The publisher cannot be reached, does not have it, or what came is not what was promised."""

    code = "model-download"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with the configuration, and where it stands."""

    path: str
    """Dotted path of the value, for instance `pipelines.kitchen.asr`; empty for a whole file."""
    message: str
    """What is wrong and what would be right."""
    file: str | None = None
    """The file as the user would name it, relative to the configuration folder."""
    line: int | None = None
    """Counted from 1."""
    column: int | None = None
    """Counted from 1."""

    def __str__(self) -> str:
        place = [str(part) for part in (self.file, self.line, self.column) if part is not None]
        where = ":".join(place)
        return ": ".join(part for part in (where, self.path, self.message) if part)


class ConfigError(EarnestError):
    """The configuration cannot be used; `problems` lists everything that is wrong with it."""

    code = "config-invalid"

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))
