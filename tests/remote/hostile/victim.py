"""Our client stages before a hostile server: `victim.py SOCKET SEED CASES` prints a report as JSON."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psutil

from hub.audio import AudioChunk
from hub.errors import EarnestError
from hub.remote.handle import RemoteAgent
from hub.remote.intent import RemoteIntents
from hub.remote.limits import RemoteLimits, WireLimits
from hub.remote.peer import Peer
from hub.remote.stages import RemoteAsr, RemoteTts
from hub.remote.vad import RemoteVad
from hub.remote.wake import RemoteWake
from hub.values.intent import Match
from hub.values.session import Session
from hub.values.speech import Hearing
from tests.remote.hostile.mutations import FORM, Case, Event, case, frame

LIMITS = RemoteLimits(
    connect=5, describe=0.05, first=0.03, gap=0.03, total=0.1, ahead=2, stall=0.05, verdict=0.03,
    wire=WireLimits(half_event=0.03, send=0.1),
)  # fmt: skip
PATIENCE = 10.0
"""Seconds after which a request counts as stuck."""
AT_ONCE = 48
PCM = b"\1\0" * 320
MODELS = [{"name": "one", "languages": ["en"], "installed": True}]
PROGRAM: dict[str, Any] = {"name": "p", "models": MODELS, "voices": MODELS, "attribution": {"name": "a"}}
STREAMING = {f"supports_{what}_streaming": True for what in ("transcript", "synthesize", "handled")}
KINDS = ("asr", "tts", "wake", "intent", "handle")


def event(kind: str, payload: bytes = b"", /, **data: Any) -> Event:
    """Return an event."""
    return kind, data, payload


INFO = event("info", **{kind: [PROGRAM] for kind in KINDS})
LIVE = event("info", **{kind: [PROGRAM | STREAMING] for kind in KINDS})
SOUND = [
    event("audio-start", **FORM),
    event("audio-chunk", PCM, **FORM),
    event("audio-chunk", PCM, **FORM),
    event("audio-stop"),
]
ANSWERS: dict[str, list[list[Event]]] = {
    "asr": [
        [event("transcript", text="hello", language="en", confidence=0.5)],
        [
            event("transcript-start"),
            event("transcript-chunk", text="hel"),
            event("transcript", text="hello"),
            event("transcript-stop"),
        ],
    ],
    "tts": [[*SOUND], [*SOUND, *SOUND, event("synthesize-stopped")]],
    "intent": [
        [event("intent", name="A", entities=[{"name": "a", "value": 1}], text="ok", context={"a": 1})],
        [event("intents-start"), event("intent", name="A"), event("intent", name="B"), event("intents-stop")],
        [event("not-recognized", text="no")],
    ],
    "handle": [
        [event("handled", text="hello", context={"a": 1})],
        [
            event("handled-start"),
            event("handled-chunk", text="hel"),
            event("handled-chunk", text="lo"),
            event("handled", text="hello"),
            event("handled-stop"),
        ],
        [event("not-handled", text="no")],
    ],
    "wake": [[event("detection", name="one", timestamp=5), event("not-detected")]],
    "vad": [[event("voice-started", timestamp=1), event("voice-stopped", timestamp=2)]],
}
ME = Session(id="me", language="en")


class Hostile:
    """The server: gives each connection one case, or an honest answer when it is told to."""

    def __init__(self, seed: int) -> None:
        self.kind = "asr"
        self.is_honest = False
        self._seed = seed
        self._number = 0
        self._open: dict[asyncio.Task[Any], asyncio.StreamWriter] = {}

    async def welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._open[task] = writer
        try:
            with suppress(OSError):
                await self._serve(reader, writer)
        finally:
            del self._open[task]
            writer.close()

    async def close(self) -> None:
        for writer in self._open.values():
            writer.transport.abort()
        if self._open:
            await asyncio.wait(list(self._open))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kind, self._number = self.kind, self._number + 1
        number, answers = self._number, ANSWERS[kind]
        if self.is_honest:
            await self._answer(reader, writer, kind)
            return
        # Half of the time the description is as it should be, so that the request is reached.
        if number % 2 and await reader.read(4096):
            writer.write(frame(LIVE if number % 4 == 1 else INFO))
        if number % 5:
            await reader.read(4096)
        hostile = case(self._seed, number, [*answers, [INFO], [LIVE]])
        await self._send(hostile, writer)
        if hostile.end == "wait":
            while await reader.read(65536):
                pass
        elif hostile.end == "abort":
            writer.transport.abort()

    async def _send(self, hostile: Case, writer: asyncio.StreamWriter) -> None:
        for piece in hostile.pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kind: str) -> None:
        """Describe, then answer the first event that ends a request."""
        last = {"asr": b"audio-stop", "tts": b'"synthesize"', "intent": b"recognize", "handle": b"transcript"}
        seen = b""
        while block := await reader.read(65536):
            seen += block
            if b'"describe"' in seen:
                writer.write(frame(INFO))
                seen = b""
            elif last.get(kind, b"audio-chunk") in seen:
                writer.write(b"".join(map(frame, ANSWERS[kind][0])))
                seen = b""
            await writer.drain()


async def resolve(intents: Any, session: Session) -> Match:
    return Match(stage="s", intent=",".join(one.name for one in intents), respond=lambda _: "")


async def audio() -> Any:
    for _ in range(3):
        yield AudioChunk(PCM)


async def sentences() -> Any:
    yield "One."
    yield "Two."


class Stages:
    """Every stage, each with the peer it keeps through all cases."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._asr, self._tts = RemoteAsr(peer), RemoteTts(peer)
        self._intents, self._agent = RemoteIntents(peer, resolve), RemoteAgent(peer)
        self._wake, self._vad = RemoteWake(peer), RemoteVad(peer)

    async def ask(self, kind: str) -> Any:
        """Make one request and return what came."""
        match kind:
            case "asr":
                async with self._asr.transcribe(audio(), Hearing(language="en")) as transcripts:
                    return [item.text async for item in transcripts]
            case "tts":
                async with self._tts.synthesize(sentences(), "en") as sound:
                    return [len(chunk.pcm) async for chunk in sound]
            case "intent":
                meant = await self._intents.recognize("hello", ME)
                return meant.intent if isinstance(meant, Match) else meant.code
            case "handle":
                async with self._agent.answer("hello", ME) as pieces:
                    return [piece async for piece in pieces]
            case "vad":
                with closing(self._vad.open()) as stream:
                    return [await asyncio.to_thread(stream.process, PCM) for _ in range(3)]
        with closing(self._wake.open(["one"])) as stream:
            await asyncio.to_thread(stream.process, PCM * 4)
            found = await asyncio.to_thread(stream.finish)
            return found and found.word


HONEST = {"asr": ["hello"], "tts": [640, 640, 640, 640], "intent": "A", "handle": ["hello"], "wake": "one"}


async def main(path: str, seed: int, cases: int) -> dict[str, Any]:
    """Run all cases and return what became of them."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(AT_ONCE))
    server = Hostile(seed)
    listening = await asyncio.start_unix_server(server.welcome, path)
    ends: Counter[str] = Counter()
    faults: list[str] = []
    before = 0
    async with Peer(f"unix://{path}", LIMITS) as peer:
        stages = Stages(peer)
        for number, start in enumerate(range(0, cases, AT_ONCE)):
            server.kind = kind = list(ANSWERS)[number % len(ANSWERS)]
            await asyncio.gather(*(_one(stages, peer, kind, ends, faults) for _ in range(AT_ONCE)))
            if number % 50 < len(ANSWERS):
                server.is_honest = True
                await _honest(stages, peer, kind, faults)
                server.is_honest = False
            if not before and start >= cases // 4:
                before = _memory()
        grown = _memory() - before
    listening.close()
    await server.close()
    return {"ends": dict(ends), "faults": faults[:20], "grown": grown, "tasks": len(asyncio.all_tasks()) - 1}


def _memory() -> int:
    gc.collect()
    return int(psutil.Process().memory_info().rss)


async def _one(stages: Stages, peer: Peer, kind: str, ends: Counter[str], faults: list[str]) -> None:
    peer.forget()
    try:
        async with asyncio.timeout(PATIENCE):
            await stages.ask(kind)
        ends["answered"] += 1
    except EarnestError as error:
        ends[error.code] += 1
    except Exception as error:  # noqa: BLE001  it is what is looked for
        faults.append(f"{kind}: {error!r}")


async def _honest(stages: Stages, peer: Peer, kind: str, faults: list[str]) -> None:
    """Make sure that the next request of a server that has come to reason works."""
    peer.forget()
    for spare in range(2):  # a spare connection may still be one of the hostile server's
        try:
            found = await stages.ask(kind)
            if kind in HONEST and found != HONEST[kind]:
                faults.append(f"honest {kind}: {found!r}")
            return
        except EarnestError as error:
            if spare:
                faults.append(f"honest {kind}: {error!r}")


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    socket, seed, cases = sys.argv[1:]
    Path(socket).unlink(missing_ok=True)
    sys.stdout.write(json.dumps(asyncio.run(main(socket, int(seed), int(cases)))))
