"""`pipelines:` in the YAML, and what a pipeline is once everything it inherits is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hub.pipeline.segment import SegmentConfig

INHERITED = ""
"""A slot of one engine that is not set here; None means that it has no engine."""

Reply = Literal["speech", "sound", "text", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineConfig:
    """One entry under `pipelines:`. What is not set comes from the pipeline it inherits."""

    inherit: str | None = None
    """Name of the pipeline that says what is not set here."""
    language: str | None = None
    """BCP 47, for instance `en`; not set anywhere: the language of the house."""
    vad: str | None = INHERITED
    """The integration that tells speech from silence; `null` takes away what is inherited. None at
    all: a recording is one utterance, and a microphone cannot be used."""
    asr: tuple[str, ...] | None = None
    """Recognisers in the order in which they are asked: the next one hears the same words when one
    fails. `[]` takes away what is inherited."""
    intents: tuple[str, ...] | None = None
    """Who tries to understand a sentence, in order; not set anywhere: `[commands, home]`."""
    agent: str | None = INHERITED
    """Who answers what nobody understood; `null` takes away what is inherited. None at all: nobody."""
    tts: tuple[str, ...] | None = None
    """Voices in the order in which they are asked; `[]` takes away what is inherited."""
    repair: bool | None = None
    """Whether a sentence that nobody understood is tried with names and words of this house where it may
    have been heard wrong, or mistyped; `limits.repair` says how sure the hub has to be. Not set anywhere:
    true."""
    reply: Reply | None = None
    """`speech` says the answer; `sound` plays two notes when something was done and says all else;
    `text` only writes it; `none` leaves it out. Not set anywhere: `speech`."""
    segment: SegmentConfig | None = None
    """When a person begins and ends to speak. A pipeline's own `segment:` replaces the inherited one
    as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """What a turn runs through."""

    name: str = "default"
    language: str | None = None
    """None: the language of the house."""
    vad: str | None = None
    asr: tuple[str, ...] = ()
    intents: tuple[str, ...] = ("commands", "home")
    agent: str | None = None
    tts: tuple[str, ...] = ()
    repair: bool = True
    reply: Reply = "speech"
    segment: SegmentConfig = field(default_factory=SegmentConfig)
