"""Examining a hub: its disk, its integrations, each of its engines, and one real turn."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hub.api.hub import Hub
from hub.audio import AudioChunk
from hub.errors import EarnestError
from hub.pipeline.config import Pipeline
from hub.pipeline.context import TurnRequest
from hub.pipeline.feed import finished, judged, listened
from hub.resample import converted
from hub.values.ids import new_id
from hub.values.session import Session
from hub.values.speech import Hearing
from hub.values.tool import Caller

ENGINE_SECONDS = 120.0
"""How long one engine may take for one short sentence."""
LEAST_FREE = 200 * 2**20
"""Bytes that should be free for states, audit and models."""
_QUESTION: Mapping[str, str] = MappingProxyType(
    {
        "en": "What time is it?",
        "de": "Wie spät ist es?",
        "fr": "Quelle heure est-il ?",
        "nl": "Hoe laat is het?",
        "es": "¿Qué hora es?",
    }
)
"""What the real turn asks: it changes nothing, and every house can answer it."""
_WELL = frozenset(("acted", "answered"))
_ROOM = "make room on this disk"
_DISK = MappingProxyType(
    {
        errno.ENOSPC: _ROOM,
        errno.EDQUOT: "make room, or allow the user that runs the hub more of this disk",
        errno.EROFS: "mount it so that it can be written; after an error of the disk the system no longer does",
        errno.EIO: "save what you can: this disk is failing",
        errno.ENOENT: "start the hub again, which makes the folder",
    }
)
"""What to do, by the system's reason why a folder cannot be written."""
_LOOK = "look at `integrations.{name}` in the YAML; the hub goes on trying by itself"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was tested."""

    check: str
    """What was tested."""
    ok: bool
    message: str
    """What was seen."""
    advice: str | None = None
    """What to do when it is not ok."""
    engine: bool = False
    """Whether speech or understanding hangs on it."""


async def examined(hub: Hub) -> AsyncGenerator[Check]:
    """Give the checks as they are made."""
    yield await asyncio.to_thread(_disk, hub.paths.data)
    for check in _integrations(hub):
        yield check
    spoken: list[AudioChunk] = []
    for slot, name in (*_engines(hub.pipelines), *_wake_engines(hub)):
        yield await _engine(hub, slot, name, spoken)
    yield await _turn(hub, spoken)


def _disk(data: Path) -> Check:
    """See that the data folder can be written and has room."""
    try:
        with tempfile.TemporaryFile(dir=data) as file:
            file.write(b"earnest")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        message = f"{data} cannot be written: {error.strerror}"
        return Check(check="disk", ok=False, message=message, advice=disk_advice(error))
    free = shutil.disk_usage(data).free
    message = f"{free / 2**30:.1f} GB free in {data}"
    return Check(check="disk", ok=free >= LEAST_FREE, message=message, advice=_ROOM)


def disk_advice(error: OSError) -> str:
    """Return what to do about a folder that cannot be written."""
    return _DISK.get(error.errno or 0, "give it to the user that runs the hub")


def _integrations(hub: Hub) -> list[Check]:
    needed = {name for _, name in _engines(hub.pipelines)}
    checks = []
    for state in sorted(hub.states, key=lambda state: state.entity_id):
        domain, _, name = state.entity_id.partition(".")
        if domain != "integration":
            continue
        reason = state.attributes.get("reason") or state.state
        checks.append(
            Check(
                check=f"integration {name}",
                ok=state.state == "open",
                message=_counted(state.attributes) if state.state == "open" else str(reason),
                advice=_LOOK.format(name=name),
                engine=name in needed,
            )
        )
    return checks


def _counted(attributes: Mapping[str, Any]) -> str:
    """Return an open instance's type and what its engines have done so far."""
    told = [str(attributes.get("type", ""))]
    for slot in ("asr", "tts"):
        counts = attributes.get(slot) or {}
        words = {"requests": "asked", "failures": "failed", "busy": "found it busy"}
        done = [f"{counts[name]} {word}" for name, word in words.items() if counts.get(name)]
        if done:
            told.append(f"{slot}: {', '.join(done)}")
    if crashes := attributes.get("crashes"):
        word = "crash" if crashes == 1 else "crashes"
        told.append(f"{crashes} {word}, last: {attributes.get('last_reason')}")
    return "; ".join(told)


def _engines(pipelines: Mapping[str, Pipeline]) -> list[tuple[str, str]]:
    """Return slot and name of each engine of all pipelines, voices first: recognisers hear them."""
    found: dict[tuple[str, str], None] = {}
    for pipeline in pipelines.values():
        found.update(dict.fromkeys(("tts", name) for name in pipeline.tts))
    for pipeline in pipelines.values():
        found.update(dict.fromkeys(("vad", name) for name in filter(None, (pipeline.vad,))))
        found.update(dict.fromkeys(("asr", name) for name in pipeline.asr))
        found.update(dict.fromkeys(("intents", name) for name in pipeline.intents))
        found.update(dict.fromkeys(("agent", name) for name in filter(None, (pipeline.agent,))))
    return list(found)


def _wake_engines(hub: Hub) -> list[tuple[str, str]]:
    """Return the open instances that know wake words; no pipeline names them."""
    held = {state.entity_id: state for state in hub.states}
    found = sorted(name for name, state in held.items() if "wake" in state.attributes.get("provides", ()))
    return [("wake", name.partition(".")[2]) for name in found if name.startswith("integration.")]


async def _engine(hub: Hub, slot: str, name: str, spoken: list[AudioChunk]) -> Check:
    """Let one engine do a short piece of its work; the first voice's sound is kept in `spoken`."""
    began = time.monotonic()
    try:
        async with asyncio.timeout(ENGINE_SECONDS):
            seen = await _worked(hub, slot, name, spoken)
    except TimeoutError:
        seen, ok = f"nothing came within {ENGINE_SECONDS:g} s", False
    except EarnestError as error:
        seen, ok = str(error), False
    except Exception as error:  # noqa: BLE001  an engine's bug is what the doctor is there to show
        seen, ok = f"{type(error).__name__}: {error}", False
    else:
        seen, ok = f"{seen} in {(time.monotonic() - began) * 1000:.0f} ms", True
    return Check(check=f"{slot} {name}", ok=ok, message=seen, advice=_LOOK.format(name=name), engine=True)


async def _worked(hub: Hub, slot: str, name: str, spoken: list[AudioChunk]) -> str:
    language = hub.config.hub.language
    if slot == "tts":
        return await _said(hub, name, language, spoken)
    if slot == "asr":
        return await _heard(hub, name, language, spoken)
    if slot == "vad":
        with closing(hub.registry.vad(name).open()) as stream:
            await judged(stream, [bytes(2 * stream.frame_samples)])
        return "judged a frame"
    if slot == "wake":
        detector = hub.registry.wake(name)
        with closing(detector.open(detector.words)) as listener:
            await listened(listener, [bytes(2 * listener.frame_samples)])
            await finished(listener)
        return f"listened for {', '.join(detector.words)}"
    if slot == "agent":
        hub.registry.agent(name)
        return "is there"
    session = Session(id=new_id(), language=language)
    await hub.registry.intents(name).recognize(question(language), session)
    return "read a sentence"


async def _said(hub: Hub, name: str, language: str, spoken: list[AudioChunk]) -> str:
    async with hub.registry.tts(name).synthesize(_once(question(language)), language) as chunks:
        mine = [chunk async for chunk in chunks]
    if not spoken:
        spoken += mine
    return f"spoke {sum(chunk.seconds for chunk in mine):.1f} s"


async def _heard(hub: Hub, name: str, language: str, spoken: list[AudioChunk]) -> str:
    sound = spoken or [AudioChunk(bytes(32_000))]
    audio = converted(_each(sound))
    async with hub.registry.asr(name).transcribe(audio, Hearing(language=language)) as transcripts:
        words = [transcript.text async for transcript in transcripts]
    return f"heard “{words[-1] if words else ''}”"


async def _turn(hub: Hub, spoken: list[AudioChunk]) -> Check:
    """Run one whole turn: by voice where the house has one, else by text."""
    pipeline = hub.pipelines.get("default")
    if pipeline is None:
        message, advice = "there is no pipeline 'default'", "write one under `pipelines:`"
        return Check(check="turn", ok=False, message=message, advice=advice)
    language = pipeline.language or hub.config.hub.language
    is_spoken = bool(spoken and pipeline.asr)
    turn = await hub.turn(
        TurnRequest(
            session=Session(id=new_id(), language=language),
            caller=Caller(("cli:doctor",)),
            audio=_each(spoken) if is_spoken else None,
            text=None if is_spoken else question(language),
        )
    )
    record = turn.record()
    said = record["reply"] or "nothing"
    return Check(
        check="turn by voice" if is_spoken else "turn by text",
        ok=record["reason"] in _WELL,
        message=f"“{record['transcript']}” → “{said}” in {record['timeline']['total']:.0f} ms",
        advice="the checks above say which part fails; `earnest ask` and `earnest hear` show more",
        engine=record["reason"] == "failed",
    )


def question(language: str) -> str:
    """Return the question in this language, or in English."""
    return _QUESTION.get(language.partition("-")[0].lower(), _QUESTION["en"])


async def _once(text: str) -> AsyncIterator[str]:
    yield text


async def _each(chunks: list[AudioChunk]) -> AsyncIterator[AudioChunk]:
    for chunk in chunks:
        yield chunk
