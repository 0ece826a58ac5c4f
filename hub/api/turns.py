"""`/api/turns`: a sentence or a recording in, events as they happen out, the turn's record last."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Self

from aiohttp import StreamReader, web

from hub.api.answers import Rejected, failure, line
from hub.api.body import checked, mapping, sentence
from hub.api.hub import HUB, Hub
from hub.api.peer import caller
from hub.api.wanted import Wanted, request_of
from hub.api.writing import write
from hub.audio import AudioChunk
from hub.clock import Clock
from hub.errors import AudioError, EarnestError
from hub.events import ReplyAudio, TurnEvent, plain
from hub.pipeline.context import TurnRequest
from hub.wav import speech

_AUDIO = frozenset(("audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave", "application/octet-stream"))
_AHEAD = 32
"""Lines that may wait for the reader before the voice waits for it too."""


async def run(request: web.Request) -> web.StreamResponse:
    """Run one turn; a client that leaves cancels it, but never what it has begun to do."""
    hub = request.app[HUB]
    wanted, audio = await _wanted(request)
    asked = dataclasses.replace(request_of(hub, wanted, caller(request)), audio=audio)
    lines = _Lines(hub.clock, has_audio=wanted.audio)
    asked = dataclasses.replace(asked, listener=lines.tell, speaker=lines if wanted.audio else None)
    response = web.StreamResponse(
        headers={"Content-Type": "application/x-ndjson", "Cache-Control": "no-store"}
    )
    await response.prepare(request)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_write_all(request, response, lines), name="answer to a turn's client")
            lines.end(await _record(hub, asked))
    except* ConnectionError as errors:
        raise ConnectionResetError("the turn's client has gone") from errors
    return response


async def _wanted(request: web.Request) -> tuple[Wanted, AsyncIterator[AudioChunk] | None]:
    """Return what is asked for: words in the query beside a recording, or a JSON body."""
    if request.content_type in _AUDIO:
        query: dict[str, Any] = dict(request.query)
        if "audio" in query:
            query["audio"] = query["audio"].lower() in ("1", "true", "yes")
        wanted = checked(Wanted, query)
        if wanted.text is not None:
            raise Rejected(400, "bad-body", "a turn starts with a recording or with a text, not with both")
        return wanted, speech(_Recording(request.content))
    wanted = checked(Wanted, await mapping(request))
    if wanted.text is None:
        raise Rejected(400, "no-text", 'a turn needs {"text": …}, or a body of type audio/wav')
    sentence(request, wanted.text)
    start = wanted.start or ("wake" if wanted.wake else "intents")
    if start in ("wake", "vad", "asr"):
        raise Rejected(400, "bad-body", f"a turn that starts at {start} needs a body of type audio/wav")
    return wanted, None


async def _record(hub: Hub, asked: TurnRequest) -> dict[str, Any]:
    """Return the turn's record, or why there is none."""
    try:
        return (await hub.turn(asked)).record()
    except EarnestError as error:
        return failure(error)


class _Recording:
    """The body as it comes; how long it may pause is the turn's own limit."""

    def __init__(self, body: StreamReader) -> None:
        self._body = body

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        try:
            piece = await self._body.readany()
        except (web.RequestPayloadError, ValueError, ConnectionError) as error:
            raise AudioError(f"the recording broke off: {error}") from error
        if not piece:
            raise StopAsyncIteration
        return piece


async def _write_all(request: web.Request, response: web.StreamResponse, lines: _Lines) -> None:
    async with aclosing(lines.read()) as pieces:
        async for piece in pieces:
            await write(request, response, piece)
    await response.write_eof()


class _Lines:
    """The lines of an answer on their way to its reader; also the speaker that the reader is."""

    def __init__(self, clock: Clock, *, has_audio: bool) -> None:
        self._clock = clock
        self._has_audio = has_audio
        self._waiting: deque[bytes] = deque()
        self._changed = asyncio.Event()
        self._is_over = False
        self.played = 0.0
        """Seconds of sound that the reader took."""

    def tell(self, event: TurnEvent) -> None:
        """Take an event of the turn."""
        if isinstance(event, ReplyAudio) and not self._has_audio:
            return
        data = _sound(event.chunk) if isinstance(event, ReplyAudio) else event.data()
        shape = {"type": event.wire_name, "data": data, "timestamp": self._clock.now().isoformat()}
        self._put(line(shape))

    def end(self, record: dict[str, Any]) -> None:
        """Take the record; it is the last line."""
        self._is_over = True
        self._put(line(record))

    async def play(self, audio: AsyncIterator[AudioChunk]) -> None:
        """Let the chunks through as fast as the reader takes them."""
        self.played = 0.0
        async for chunk in audio:
            self.played += chunk.seconds
            while len(self._waiting) > _AHEAD:
                self._changed.clear()
                await self._changed.wait()

    async def read(self) -> AsyncGenerator[bytes]:
        """Give the lines until the last one."""
        while True:
            while self._waiting:
                yield self._waiting.popleft()
                self._changed.set()
            if self._is_over:
                return
            self._changed.clear()
            await self._changed.wait()

    def _put(self, piece: bytes) -> None:
        self._waiting.append(piece)
        self._changed.set()


def _sound(chunk: AudioChunk) -> dict[str, Any]:
    """Return a chunk of the spoken answer for JSON."""
    return {"pcm": base64.b64encode(chunk.pcm).decode("ascii"), **plain(chunk.format)}


ROUTES = (web.post("/api/turns", run),)
