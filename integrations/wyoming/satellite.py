"""A satellite that speaks Wyoming: a microphone and a speaker that listen for a hub, one at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from wyoming.event import Event

from hub import (
    SPEECH,
    Abilities,
    AudioChunk,
    AudioFormat,
    Connection,
    Feed,
    Inbox,
    Indication,
    PacedSpeaker,
    Released,
    SatelliteNews,
    SpeechEnded,
    SpeechRequested,
    SpeechStarted,
    Transcribed,
    TurnEvent,
    TurnFailed,
    WireError,
    Woken,
)

from .device import Device, SatelliteLimits

_MOST_WAITING = 256
"""Events that wait to be sent; a satellite that takes none is gone by then."""
_PATIENCE = 20
"""Rounds of the event loop that a piece of news gets ahead of the sound after it."""
_UNNAMED = "unnamed"
"""The word of a satellite that does not say which one it heard."""
_BREATH = 0.5
"""Seconds without sound after which a satellite that sends only speech is taken for silent."""
_RATES = range(4_000, 192_001)
_CHANNELS = range(1, 9)


class WyomingSatellite:
    """The hub's side of one connection, which is this satellite's owner. The event loop's thread only."""

    def __init__(self, device: Device, connection: Connection, limits: SatelliteLimits) -> None:
        self.id = device.id
        self.name = device.name
        self.abilities = Abilities(wake_words=device.wake_words, barge_in="wake_word", has_lights=True)
        self.microphone = WyomingMicrophone(is_steady=not device.has_vad)
        self.speaker: PacedSpeaker | None = PacedSpeaker(WyomingOutlet(self, limits), lead=limits.lead)
        self.played = asyncio.Event()
        self._hears_itself = device.hears_itself
        self._connection = connection
        self._limits = limits
        self._news: Inbox[SatelliteNews] = Inbox()
        self._out: deque[tuple[Event, asyncio.Future[None] | None]] = deque()
        self._waiting = asyncio.Event()
        self._shown: Indication = "off"
        self._is_told = True
        """Whether the satellite knows that its utterance is over."""
        self._woken_at = float("-inf")
        self._ponged = asyncio.Event()
        self._gone: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def run(self) -> str:
        """Serve the connection until it is lost; returns why."""
        parts = (self._read(), self._write(), self._ping())
        tasks = [asyncio.create_task(part, name=f"satellite {self.name}") for part in parts]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            done = [task for task in tasks if task.done()]
            reason = next((str(task.exception()) for task in done if task.exception()), None)
            reason = reason or "the satellite closed the connection"
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            self._connection.close()
        if not self._gone.done():
            self._gone.set_result(reason)
        self.microphone.end()
        for _, sent in self._out:
            if sent and not sent.done():
                sent.set_exception(WireError(reason))
                sent.exception()
        return reason

    async def closed(self) -> str:
        """Return when the connection is lost, with the reason."""
        return await asyncio.shield(self._gone)

    @asynccontextmanager
    async def news(self) -> AsyncIterator[AsyncIterator[SatelliteNews]]:
        """What its people do."""
        yield self._told()

    async def _told(self) -> AsyncIterator[SatelliteNews]:
        while True:
            await self._news.filled()
            if item := self._news.take():
                yield item

    def show(self, indication: Indication, reason: str) -> None:
        """Let its lights follow; a satellite that streams is told when nobody listens any more."""
        before, self._shown = self._shown, indication
        if indication == "muted" and before != "muted":
            self.put("pause-satellite")
        elif before == "muted" and indication != "muted":
            self.put("run-satellite")
        if indication == "listening":
            if reason == "wake_word" and not self._hears_itself:
                self.put("detection", {"name": None, "timestamp": None})
            self.put("transcribe", {})
            self._is_told = False
        elif indication in ("standby", "unavailable", "off") and not self._is_told:
            self.put("transcript", {"text": ""})
            self._is_told = True

    def tell(self, event: TurnEvent) -> None:
        """Let its lights and its streaming follow the turn."""
        if isinstance(event, SpeechStarted):
            self.put("voice-started", {"timestamp": None})
        elif isinstance(event, SpeechEnded):
            self.put("voice-stopped", {"timestamp": None})
        elif isinstance(event, Transcribed):
            self.put("transcript", {"text": event.text})
            self._is_told = True
        elif isinstance(event, SpeechRequested):
            self.put("synthesize", {"text": event.text})
        elif isinstance(event, TurnFailed):
            self.put("error", {"text": event.message, "code": event.code})
            self._is_told = True

    def put(
        self,
        kind: str,
        data: dict[str, Any] | None = None,
        sent: asyncio.Future[None] | None = None,
        payload: bytes | None = None,
    ) -> None:
        """Send an event after those that wait already; never waits."""
        if self._gone.done() or len(self._out) >= _MOST_WAITING:
            if sent:
                sent.set_exception(WireError("the satellite takes nothing"))
            return
        self._out.append((Event(kind, data or {}, payload), sent))
        self._waiting.set()

    async def send(self, kind: str, data: dict[str, Any], payload: bytes | None = None) -> None:
        """Send an event; returns when it is on its way, raises `WireError` when the satellite is gone."""
        sent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.put(kind, data, sent, payload)
        await sent

    async def _write(self) -> None:
        while True:
            while self._out:
                event, sent = self._out.popleft()
                try:
                    await self._connection.write(event)
                except BaseException:
                    self._out.appendleft((event, sent))
                    raise
                if sent and not sent.done():
                    sent.set_result(None)
            self._waiting.clear()
            await self._waiting.wait()

    async def _ping(self) -> None:
        """Look whether it is there; it looks after us from our first ping on."""
        while True:
            self._ponged.clear()
            self.put("ping", {"text": None})
            try:
                async with asyncio.timeout(self._limits.pong):
                    await self._ponged.wait()
            except TimeoutError:
                raise WireError(f"it did not answer a ping for {self._limits.pong:g} s") from None
            await asyncio.sleep(self._limits.ping)

    async def _read(self) -> None:
        while event := await self._connection.read():
            self._take(event)
            for _ in range(_PATIENCE):
                if not len(self._news):
                    break
                await asyncio.sleep(0)  # the room takes it before the sound that follows it

    def _take(self, event: Event) -> None:
        """Take an event; what is not known is skipped."""
        match event.type:
            case "audio-chunk":
                self.microphone.put(_chunk(event, self.name))
            case "audio-stop":
                self._news.put(Released())
            case "ping":
                self.put("pong", {"text": event.data.get("text")})
            case "pong":
                self._ponged.set()
            case "played":
                self.played.set()
            case "detection":
                self._woken(event.data.get("name"))
            case "run-pipeline":
                self._run_pipeline(event.data)
            case _:
                pass

    def _run_pipeline(self, data: dict[str, Any]) -> None:
        """Take that it begins: by its own wake word, or from where the hub listens for one."""
        if data.get("start_stage") != "asr":
            return
        if asyncio.get_running_loop().time() - self._woken_at > self._limits.pipeline:
            self._woken(data.get("wake_word_name"))

    def _woken(self, word: object) -> None:
        self._woken_at = asyncio.get_running_loop().time()
        self._news.put(Woken(word=word if isinstance(word, str) and word else _UNNAMED))


class WyomingMicrophone:
    """The sound that the satellite sends while somebody listens; the rest is dropped."""

    def __init__(self, *, is_steady: bool) -> None:
        self._is_steady = is_steady
        """Whether it sends all the time; else its pauses are filled with silence."""
        self._feed: Feed | None = None
        self._form: AudioFormat | None = None

    @property
    def is_open(self) -> bool:
        """Whether somebody reads it."""
        return self._feed is not None

    def put(self, chunk: AudioChunk) -> None:
        """Take what came; raises `WireError` when the format changes in mid-stream."""
        if self._form not in (None, chunk.format):
            raise WireError("it changed the format of its sound")
        self._form = chunk.format
        if self._feed:
            self._feed.put(chunk)

    def end(self) -> None:
        """Say that no more comes."""
        if self._feed:
            self._feed.end()

    @asynccontextmanager
    async def listen(self) -> AsyncIterator[AsyncIterator[AudioChunk]]:
        """Read the sound from now on."""
        feed = self._feed = Feed(5.0)
        try:
            yield feed if self._is_steady else _filled(feed, lambda: self._form or SPEECH)
        finally:
            if self._feed is feed:
                self._feed = None


class WyomingOutlet:
    """The way to the satellite's speaker; what was sent cannot be taken back."""

    format = AudioFormat(rate=22_050)

    def __init__(self, satellite: WyomingSatellite, limits: SatelliteLimits) -> None:
        self._satellite = satellite
        self._limits = limits
        self._about = {"rate": self.format.rate, "width": self.format.width, "channels": 1}

    async def begin(self) -> None:
        """Say that sound comes."""
        self._satellite.played.clear()
        await self._satellite.send("audio-start", {**self._about, "timestamp": 0})

    async def send(self, chunk: AudioChunk) -> None:
        """Send a piece."""
        await self._satellite.send("audio-chunk", {**self._about, "timestamp": 0}, chunk.pcm)

    async def end(self) -> None:
        """Say that it was all, and wait a moment until the satellite says that it was heard."""
        await self._satellite.send("audio-stop", {"timestamp": 0})
        try:
            async with asyncio.timeout(self._limits.played):
                await self._satellite.played.wait()
        except TimeoutError:
            return  # many never say so; the clock has told the same

    def flush(self) -> bool:
        """It has no way to take sound back."""
        return False


def _chunk(event: Event, name: str) -> AudioChunk:
    """Return the sound of an event; raises `WireError` for what is none."""
    rate, width, channels = (event.data.get(key) for key in ("rate", "width", "channels"))
    if type(rate) is not int or type(width) is not int or type(channels) is not int:
        raise WireError(f"'{name}' sent sound without a format")
    if rate not in _RATES or width not in (1, 2, 3, 4) or channels not in _CHANNELS:
        raise WireError(f"'{name}' sent sound of {rate} Hz, {8 * width} bit, {channels} channels")
    form = AudioFormat(rate=rate, width=width, channels=channels)
    pcm = event.payload or b""
    return AudioChunk(pcm[: len(pcm) // form.frame_bytes * form.frame_bytes], form)


async def _filled(feed: Feed, form: Callable[[], AudioFormat]) -> AsyncIterator[AudioChunk]:
    """Give the sound of a satellite that sends only speech, and silence for the time in between."""
    clock = asyncio.get_running_loop().time
    upcoming = asyncio.ensure_future(anext(feed, None))
    try:
        heard_to = clock()
        while True:
            await asyncio.wait((upcoming,), timeout=_BREATH)
            if not upcoming.done():
                pieces = int((clock() - heard_to) * 100)
                size = pieces * (form().rate // 100) * form().frame_bytes
                heard_to = clock()
                yield AudioChunk(bytes(size), form())
                continue
            chunk = upcoming.result()
            if chunk is None:
                return
            heard_to = clock()
            upcoming = asyncio.ensure_future(anext(feed, None))
            yield chunk
    finally:
        upcoming.cancel()
