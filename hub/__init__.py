"""Earnest: the voice hub that asks before it acts and always shows when it listens.

The public face: what an integration needs, found here by name and imported only when used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hub.audio import SPEECH, AudioChunk, AudioFormat
    from hub.clock import Clock
    from hub.errors import (
        AudioError,
        EarnestError,
        EngineBusy,
        EngineError,
        EngineTimeout,
        EngineUnavailable,
        IntegrationError,
        ThingsFailed,
        ToolError,
        WireError,
    )
    from hub.integration import IntegrationContext, Paths, Provides
    from hub.models.auto import fitting
    from hub.models.catalogue import AUTO, Catalogue, Choice, Surroundings
    from hub.models.published import Downloadable, RemoteFile
    from hub.remote.engine import Engine, Voice
    from hub.remote.limits import RemoteLimits
    from hub.remote.offer import Model, Offer, Program
    from hub.remote.peer import Peer
    from hub.remote.serve import serve
    from hub.remote.stages import RemoteAsr, RemoteTts
    from hub.remote.worker import WorkerLimits, worker
    from hub.stages.asr import Asr
    from hub.stages.stream import Stream
    from hub.stages.tts import Tts
    from hub.stages.vad import Vad, VadStream
    from hub.stages.wake import WakeDetector, WakeStream
    from hub.values.color import COLORS
    from hub.values.intent import Match, Miss
    from hub.values.session import Session
    from hub.values.speech import Detection, Hearing, Transcript
    from hub.values.thing import State, Thing
    from hub.values.tool import Done, Effect, Outcome, Pending, Refused, Target, Tool, ToolCall

_HOME = {
    "hub.audio": ("AudioChunk", "AudioFormat", "SPEECH"),
    "hub.clock": ("Clock",),
    "hub.errors": (
        "AudioError",
        "EarnestError",
        "EngineBusy",
        "EngineError",
        "EngineTimeout",
        "EngineUnavailable",
        "IntegrationError",
        "ThingsFailed",
        "ToolError",
        "WireError",
    ),
    "hub.integration": ("IntegrationContext", "Paths", "Provides"),
    "hub.models.auto": ("fitting",),
    "hub.models.catalogue": ("AUTO", "Catalogue", "Choice", "Surroundings"),
    "hub.models.published": ("Downloadable", "RemoteFile"),
    "hub.remote.engine": ("Engine", "Voice"),
    "hub.remote.limits": ("RemoteLimits",),
    "hub.remote.offer": ("Model", "Offer", "Program"),
    "hub.remote.peer": ("Peer",),
    "hub.remote.serve": ("serve",),
    "hub.remote.stages": ("RemoteAsr", "RemoteTts"),
    "hub.remote.worker": ("WorkerLimits", "worker"),
    "hub.stages.asr": ("Asr",),
    "hub.stages.stream": ("Stream",),
    "hub.stages.tts": ("Tts",),
    "hub.stages.vad": ("Vad", "VadStream"),
    "hub.stages.wake": ("WakeDetector", "WakeStream"),
    "hub.values.color": ("COLORS",),
    "hub.values.intent": ("Match", "Miss"),
    "hub.values.session": ("Session",),
    "hub.values.speech": ("Detection", "Hearing", "Transcript"),
    "hub.values.thing": ("State", "Thing"),
    "hub.values.tool": (
        "Done",
        "Effect",
        "Outcome",
        "Pending",
        "Refused",
        "Target",
        "Tool",
        "ToolCall",
    ),
}
_WHERE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "AUTO",
    "COLORS",
    "SPEECH",
    "Asr",
    "AudioChunk",
    "AudioError",
    "AudioFormat",
    "Catalogue",
    "Choice",
    "Clock",
    "Detection",
    "Done",
    "Downloadable",
    "EarnestError",
    "Effect",
    "Engine",
    "EngineBusy",
    "EngineError",
    "EngineTimeout",
    "EngineUnavailable",
    "Hearing",
    "IntegrationContext",
    "IntegrationError",
    "Match",
    "Miss",
    "Model",
    "Offer",
    "Outcome",
    "Paths",
    "Peer",
    "Pending",
    "Program",
    "Provides",
    "Refused",
    "RemoteAsr",
    "RemoteFile",
    "RemoteLimits",
    "RemoteTts",
    "Session",
    "State",
    "Stream",
    "Surroundings",
    "Target",
    "Thing",
    "ThingsFailed",
    "Tool",
    "ToolCall",
    "ToolError",
    "Transcript",
    "Tts",
    "Vad",
    "VadStream",
    "Voice",
    "WakeDetector",
    "WakeStream",
    "WireError",
    "WorkerLimits",
    "fitting",
    "serve",
    "worker",
]


def __getattr__(name: str) -> Any:
    """Import a name of the face when it is first used."""
    module = _WHERE.get(name)
    if module is None:
        raise AttributeError(f"module 'hub' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value
