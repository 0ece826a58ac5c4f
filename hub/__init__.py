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
        EngineDeclined,
        EngineError,
        EngineTimeout,
        EngineUnavailable,
        IntegrationError,
        ThingsFailed,
        ToolError,
        WireError,
    )
    from hub.events import SpeechEnded, SpeechRequested, SpeechStarted, Transcribed, TurnEvent, TurnFailed
    from hub.integration import IntegrationContext, Paths, Provides
    from hub.models.auto import fitting
    from hub.models.catalogue import AUTO, Catalogue, Choice, Surroundings
    from hub.models.published import Downloadable, RemoteFile
    from hub.pipeline.feed import Feed
    from hub.remote.address import Address
    from hub.remote.choice import Wish, choose
    from hub.remote.command import address, command
    from hub.remote.engine import Engine, Voice
    from hub.remote.handle import RemoteAgent
    from hub.remote.intent import RemoteIntents
    from hub.remote.limits import RemoteLimits, WireLimits
    from hub.remote.offer import Model, Offer, Program
    from hub.remote.peer import Peer
    from hub.remote.serve import serve
    from hub.remote.stages import RemoteAsr, RemoteTts
    from hub.remote.steady import SteadyAgent, SteadyAsr, SteadyIntents, SteadyTts
    from hub.remote.vad import RemoteVad
    from hub.remote.wake import RemoteWake
    from hub.remote.wire import Connection, dial
    from hub.remote.worker import WorkerLimits, worker
    from hub.rooms.inbox import Inbox
    from hub.rooms.paced import Outlet, PacedSpeaker
    from hub.stages.agent import Agent
    from hub.stages.asr import Asr
    from hub.stages.intents import IntentRecognizer
    from hub.stages.microphone import Microphone
    from hub.stages.satellite import (
        Abilities,
        Indication,
        MuteSwitched,
        Pressed,
        Released,
        Satellite,
        SatelliteNews,
        StopPressed,
        Woken,
    )
    from hub.stages.speaker import PausingSpeaker, Speaker
    from hub.stages.stream import Stream
    from hub.stages.tts import Tts
    from hub.stages.vad import Vad, VadStream
    from hub.stages.wake import WakeDetector, WakeStream
    from hub.supervisor import ChildLimits, Supervisor
    from hub.values.color import COLORS
    from hub.values.intent import Match, Miss, NamedIntent
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
        "EngineDeclined",
        "EngineError",
        "EngineTimeout",
        "EngineUnavailable",
        "IntegrationError",
        "ThingsFailed",
        "ToolError",
        "WireError",
    ),
    "hub.events": (
        "SpeechEnded",
        "SpeechRequested",
        "SpeechStarted",
        "Transcribed",
        "TurnEvent",
        "TurnFailed",
    ),
    "hub.integration": ("IntegrationContext", "Paths", "Provides"),
    "hub.models.auto": ("fitting",),
    "hub.models.catalogue": ("AUTO", "Catalogue", "Choice", "Surroundings"),
    "hub.models.published": ("Downloadable", "RemoteFile"),
    "hub.remote.address": ("Address",),
    "hub.remote.choice": ("Wish", "choose"),
    "hub.remote.command": ("address", "command"),
    "hub.remote.engine": ("Engine", "Voice"),
    "hub.remote.handle": ("RemoteAgent",),
    "hub.remote.intent": ("RemoteIntents",),
    "hub.remote.limits": ("RemoteLimits", "WireLimits"),
    "hub.remote.offer": ("Model", "Offer", "Program"),
    "hub.remote.peer": ("Peer",),
    "hub.remote.serve": ("serve",),
    "hub.remote.stages": ("RemoteAsr", "RemoteTts"),
    "hub.remote.steady": ("SteadyAgent", "SteadyAsr", "SteadyIntents", "SteadyTts"),
    "hub.remote.vad": ("RemoteVad",),
    "hub.remote.wake": ("RemoteWake",),
    "hub.remote.wire": ("Connection", "dial"),
    "hub.remote.worker": ("WorkerLimits", "worker"),
    "hub.pipeline.feed": ("Feed",),
    "hub.rooms.inbox": ("Inbox",),
    "hub.rooms.paced": ("Outlet", "PacedSpeaker"),
    "hub.stages.agent": ("Agent",),
    "hub.stages.microphone": ("Microphone",),
    "hub.stages.satellite": (
        "Abilities",
        "Indication",
        "MuteSwitched",
        "Pressed",
        "Released",
        "Satellite",
        "SatelliteNews",
        "StopPressed",
        "Woken",
    ),
    "hub.stages.speaker": ("PausingSpeaker", "Speaker"),
    "hub.stages.intents": ("IntentRecognizer",),
    "hub.stages.asr": ("Asr",),
    "hub.stages.stream": ("Stream",),
    "hub.stages.tts": ("Tts",),
    "hub.stages.vad": ("Vad", "VadStream"),
    "hub.stages.wake": ("WakeDetector", "WakeStream"),
    "hub.supervisor": ("ChildLimits", "Supervisor"),
    "hub.values.color": ("COLORS",),
    "hub.values.intent": ("Match", "Miss", "NamedIntent"),
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
    "Abilities",
    "Address",
    "Agent",
    "Asr",
    "AudioChunk",
    "AudioError",
    "AudioFormat",
    "Catalogue",
    "ChildLimits",
    "Choice",
    "Clock",
    "Connection",
    "Detection",
    "Done",
    "Downloadable",
    "EarnestError",
    "Effect",
    "Engine",
    "EngineBusy",
    "EngineDeclined",
    "EngineError",
    "EngineTimeout",
    "EngineUnavailable",
    "Feed",
    "Hearing",
    "Inbox",
    "Indication",
    "IntegrationContext",
    "IntegrationError",
    "IntentRecognizer",
    "Match",
    "Microphone",
    "Miss",
    "Model",
    "MuteSwitched",
    "NamedIntent",
    "Offer",
    "Outcome",
    "Outlet",
    "PacedSpeaker",
    "Paths",
    "PausingSpeaker",
    "Peer",
    "Pending",
    "Pressed",
    "Program",
    "Provides",
    "Refused",
    "Released",
    "RemoteAgent",
    "RemoteAsr",
    "RemoteFile",
    "RemoteIntents",
    "RemoteLimits",
    "RemoteTts",
    "RemoteVad",
    "RemoteWake",
    "Satellite",
    "SatelliteNews",
    "Session",
    "Speaker",
    "SpeechEnded",
    "SpeechRequested",
    "SpeechStarted",
    "State",
    "SteadyAgent",
    "SteadyAsr",
    "SteadyIntents",
    "SteadyTts",
    "StopPressed",
    "Stream",
    "Supervisor",
    "Surroundings",
    "Target",
    "Thing",
    "ThingsFailed",
    "Tool",
    "ToolCall",
    "ToolError",
    "Transcribed",
    "Transcript",
    "Tts",
    "TurnEvent",
    "TurnFailed",
    "Vad",
    "VadStream",
    "Voice",
    "WakeDetector",
    "WakeStream",
    "WireError",
    "WireLimits",
    "Wish",
    "Woken",
    "WorkerLimits",
    "address",
    "choose",
    "command",
    "dial",
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
