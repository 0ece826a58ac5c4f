"""WAV files to be written while their audio still comes."""

from __future__ import annotations

import io
from collections.abc import Iterable
from types import TracebackType
from typing import BinaryIO, Self

from hub.audio import SPEECH, AudioChunk, AudioFormat
from hub.errors import AudioError
from hub.wav.header import header

_UNSIGNED = bytes((value + 128) % 256 for value in range(256))
"""8-bit samples are unsigned in a WAV file and signed in a chunk."""


class WavWriter:
    """Writes chunks to a file; sizes are put in at the end where the file can go back."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._format: AudioFormat | None = None
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def write(self, chunk: AudioChunk) -> None:
        """Add the chunk; raises `AudioError` when its format is not that of the first."""
        if self._format is None:
            self._format = chunk.format
            self._file.write(header(chunk.format))
        elif chunk.format != self._format:
            raise AudioError(f"{chunk.format} does not fit into a WAV file of {self._format}")
        self._file.write(chunk.pcm.translate(_UNSIGNED) if chunk.format.width == 1 else chunk.pcm)
        self._size += len(chunk.pcm)

    def end(self) -> None:
        """Put the sizes in; a file without any chunk becomes an empty one of 16 kHz."""
        if self._format is None:
            self._file.write(header(SPEECH, 0))
        elif self._file.seekable():
            self._file.write(b"\0" * (self._size % 2))
            self._file.seek(-(self._size + self._size % 2 + 44), io.SEEK_CUR)
            self._file.write(header(self._format, self._size))
            self._file.seek(0, io.SEEK_END)
        self._file.flush()


def wav(chunks: Iterable[AudioChunk]) -> bytes:
    """Return a whole file; all chunks have one format."""
    file = io.BytesIO()
    with WavWriter(file) as writer:
        for chunk in chunks:
            writer.write(chunk)
    return file.getvalue()
