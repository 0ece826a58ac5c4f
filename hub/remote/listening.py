"""A client of a worker that listens for wake words: its audio on the way to the detector."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hub.audio import SPEECH, AudioFormat, FrameCutter
from hub.remote.engine import Bench, Detect
from hub.remote.sound import chunk_of
from hub.remote.wire import Event
from hub.resample import Converter
from hub.stages.wake import WakeStream
from hub.values.speech import Detection


class Listening:
    """One connection; a stream of the engine for each stretch of audio."""

    def __init__(self, detect: Detect, bench: Bench, client: str) -> None:
        self._detect = detect
        self._bench = bench
        self._client = client
        self._words: tuple[str, ...] = ()
        self._stream: WakeStream | None = None
        self._has_found = False
        self._has_failed = False
        """The client was told why; nothing more is said until it starts anew."""

    def ask(self, event: Event) -> None:
        """Take the words of a `detect`; none are all."""
        names = event.data.get("names")
        self._words = tuple(map(str, names)) if isinstance(names, list) else ()

    async def start(self) -> WakeStream:
        """Begin a new stretch of audio; raises what the engine does."""
        self.close()
        self._has_found, self._has_failed = False, True
        self._samples = 0
        self._format: AudioFormat | None = None
        self._stream = stream = await self._bench.run(partial(self._detect, self._words))
        self._has_failed = False
        self._cutter = FrameCutter(stream.frame_samples)
        return stream

    async def hear(self, event: Event) -> list[Event]:
        """Return what was found in the audio of the event; raises what the engine does, once."""
        if self._has_failed:
            return []
        try:
            return await self._hear(event)
        except Exception:
            self._has_failed = True
            self.close()
            raise

    async def _hear(self, event: Event) -> list[Event]:
        chunk = chunk_of(event, self._client)
        stream = self._stream or await self.start()
        if chunk.format != self._format:
            self._converter, self._format = Converter(chunk.format), chunk.format
        pcm = self._converter.feed(chunk.pcm)
        self._samples += len(pcm) // SPEECH.frame_bytes
        return await self._judged(stream, self._cutter.cut(pcm), event.data.get("timestamp"))

    async def end(self) -> list[Event]:
        """Return what was found in the rest, or that nothing was at all."""
        if self._has_failed:
            self._has_failed = False
            return []
        stream = self._stream or await self.start()
        found = []
        while detection := await self._bench.run(stream.finish):
            found.append(self._told(detection, None))
        self.close()
        return found or ([] if self._has_found else [Event("not-detected")])

    def close(self) -> None:
        """Let go of the stream."""
        if self._stream:
            self._stream.close()
            self._stream = None

    async def _judged(self, stream: WakeStream, frames: Sequence[bytes], stamp: object) -> list[Event]:
        if not frames:
            return []
        found = await self._bench.run(lambda: [stream.process(frame) for frame in frames])
        return [self._told(detection, stamp) for detection in found if detection]

    def _told(self, detection: Detection, stamp: object) -> Event:
        """Return the event, with the stamp of the chunk that told; a client without gets milliseconds."""
        self._has_found = True
        moment = stamp if isinstance(stamp, int) else self._samples * 1000 // SPEECH.rate
        return Event("detection", {"name": detection.word, "timestamp": moment})
