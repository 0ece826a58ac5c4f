"""WAV files of every kind, read as a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable
from contextlib import aclosing
from pathlib import Path

from hub.audio import SPEECH, AudioChunk, AudioFormat
from hub.errors import AudioError
from hub.resample import PIECE, Converter
from hub.wav.header import UNKNOWN_SIZE, Layout, layout, no_wav

MOST_BEFORE_AUDIO = 16 * 2**20
"""Bytes of other chunks (pictures, cue lists) that may stand before the audio."""
_MOST_FORMAT = 40
"""Bytes of a `fmt ` chunk that say something; what a longer one holds is passed over."""

Source = bytes | Path | AsyncIterable[bytes]


async def speech(source: Source) -> AsyncGenerator[AudioChunk]:
    """Give the file's audio as 16 kHz, 16 bit, mono; a truncated file gives what is there."""
    reader = WavReader()
    converter: Converter | None = None
    async with aclosing(_pieces(source)) as pieces:
        async for piece in pieces:
            audio = reader.feed(piece)
            if converter is None and reader.layout:
                converter = _converter(reader.layout)
            if audio and converter and (pcm := converter.feed(audio)):
                yield AudioChunk(pcm)
                await asyncio.sleep(0)  # nothing else in here waits when the source is in memory
            if reader.is_over:
                break
    reader.end()
    if converter and (rest := converter.end()):
        yield AudioChunk(rest)


def _converter(found: Layout) -> Converter:
    return Converter(AudioFormat(rate=found.rate, channels=found.channels), SPEECH, found.sample)


async def _pieces(source: Source) -> AsyncGenerator[bytes]:
    """Give the source's bytes in pieces of at most `PIECE`."""
    if isinstance(source, Path):
        async with aclosing(_read(source)) as blocks:
            async for block in blocks:
                yield block
        return
    if isinstance(source, bytes):
        for start in range(0, len(source), PIECE):
            yield source[start : start + PIECE]
        return
    async for block in source:
        for start in range(0, len(block), PIECE):
            yield bytes(block[start : start + PIECE])


async def _read(path: Path) -> AsyncGenerator[bytes]:
    try:
        file = await asyncio.to_thread(open, path, "rb")
        try:
            while block := await asyncio.to_thread(file.read, PIECE):
                yield block
        finally:
            file.close()
    except OSError as error:
        raise AudioError(f"{path} cannot be read: {error.strerror or error}") from error


class WavReader:
    """Takes a WAV file piece by piece and gives the bytes of its samples."""

    def __init__(self) -> None:
        self.layout: Layout | None = None
        """How the samples are written; None until the header was read."""
        self.is_over = False
        """Whether the audio is complete; what is fed after it is ignored."""
        self._buffer = bytearray()
        self._fed = 0
        self._before = 0
        self._skip = 0
        self._is_odd = False
        self._step = self._read_start
        self._large_size: int | None = None
        self._left: int | None = None
        self._given = 0

    def feed(self, piece: bytes) -> bytes:
        """Return the sample bytes in `piece`; raises `AudioError` when it is no WAV that can be read."""
        if self.is_over:
            return b""
        self._fed += len(piece)
        self._buffer += piece
        while self.layout is None or self._left is None:
            if not self._step():
                return b""
        return self._take_audio()

    def end(self) -> None:
        """Say that nothing more comes; raises `AudioError` unless there was some audio."""
        if not self._fed:
            raise AudioError("the file is empty: record it again")
        if self._step == self._read_start:
            raise no_wav(bytes(self._buffer))
        if self._left is None or self.layout is None:
            raise AudioError("the WAV file ends before its audio begins: record or copy it again")
        if self._given < self.layout.frame_bytes:
            raise AudioError("the WAV file holds no audio: record it again")

    def _take_audio(self) -> bytes:
        left = self._left or 0
        audio = bytes(self._buffer[:left])
        self._buffer.clear()
        self._left = left - len(audio)
        self._given += len(audio)
        self.is_over = self._left == 0
        return audio

    def _take(self, size: int) -> bytes | None:
        """Return that many bytes of the header, or None while they are not all there."""
        if len(self._buffer) < size:
            return None
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        self._before += size
        if self._before > MOST_BEFORE_AUDIO:
            raise AudioError(f"no audio in the first {MOST_BEFORE_AUDIO >> 20} MB of the WAV file")
        return taken

    def _read_start(self) -> bool:
        start = bytes(self._buffer[:12])
        if len(start) < 12:
            return False
        if start[:4] not in (b"RIFF", b"RF64", b"BW64") or start[8:] != b"WAVE":
            raise no_wav(start)
        self._take(12)
        self._step = self._read_chunk
        return True

    def _read_chunk(self) -> bool:
        """Read the name and size of a chunk and choose what comes next."""
        head = self._take(8)
        if head is None:
            return False
        name, size = head[:4], int.from_bytes(head[4:], "little")
        if name == b"data":
            return self._open_audio(size)
        self._skip, self._is_odd = size, bool(size % 2)
        readers = {b"fmt ": self._read_format, b"ds64": self._read_large_size}
        self._step = readers.get(name, self._pass_over)
        return True

    def _open_audio(self, size: int) -> bool:
        if self.layout is None:
            raise AudioError("the WAV file does not say how its audio is written: record or convert it again")
        if size == UNKNOWN_SIZE and self._large_size:
            size = self._large_size
        self._left = 2**63 if size in (0, UNKNOWN_SIZE) else size
        return True

    def _read_format(self) -> bool:
        size = min(self._skip, _MOST_FORMAT)
        body = self._take(size)
        if body is None:
            return False
        self._skip -= size
        self.layout = layout(body)
        self._step = self._pass_over
        return True

    def _read_large_size(self) -> bool:
        size = min(self._skip, 16)
        body = self._take(size)
        if body is None:
            return False
        self._skip -= size
        self._large_size = int.from_bytes(body[8:16], "little")
        self._step = self._pass_over
        return True

    def _pass_over(self) -> bool:
        """Drop the rest of a chunk; some writers forget the zero after one of odd size."""
        if self._skip:
            dropped = self._take(min(self._skip, len(self._buffer))) or b""
            self._skip -= len(dropped)
            if self._skip:
                return False
        if self._is_odd:
            if not self._buffer:
                return False
            if self._buffer[0] == 0:
                self._take(1)
            self._is_odd = False
        self._step = self._read_chunk
        return True
