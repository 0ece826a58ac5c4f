"""The utterance that a client is sending, in the form that recognisers take."""

from __future__ import annotations

from hub.audio import SPEECH, AudioChunk, AudioFormat
from hub.errors import AudioError, EarnestError
from hub.resample import Converter


class Recording:
    """Collects one utterance at a time; keeps no more than `seconds` of it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._most = int(seconds * SPEECH.rate) * SPEECH.frame_bytes
        self.start()

    def start(self) -> None:
        """Begin a new utterance."""
        self._pcm = bytearray()
        self._converter: Converter | None = None
        self._format: AudioFormat | None = None
        self._failure: EarnestError | None = None

    def add(self, chunk: AudioChunk) -> None:
        """Keep the chunk; chunks may differ in format."""
        if self._failure:
            return
        if self._converter is None or self._format != chunk.format:
            self._flush()
            self._converter, self._format = Converter(chunk.format), chunk.format
        self._pcm += self._converter.feed(chunk.pcm)
        if len(self._pcm) > self._most:
            self.fail(AudioError(f"the audio is longer than {self._seconds:g} s"))

    def fail(self, error: EarnestError) -> None:
        """Give up this utterance; `end` says why, once."""
        self._failure = self._failure or error
        self._pcm.clear()

    def end(self) -> bytes:
        """Return the whole utterance; raises what it failed with."""
        self._flush()
        pcm, failure = bytes(self._pcm), self._failure
        self.start()
        if failure:
            raise failure
        return pcm

    def _flush(self) -> None:
        if self._converter:
            self._pcm += self._converter.end()
            self._converter = None
