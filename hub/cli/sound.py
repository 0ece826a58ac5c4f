"""Keeping a spoken reply as a WAV file."""

from __future__ import annotations

import argparse
import io
import os
import sys
from typing import NamedTuple


class _Format(NamedTuple):
    rate: int
    width: int
    channels: int


def out_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--out`."""
    parser.add_argument(
        "--out", metavar="FILE", help="keep the spoken reply as WAV; - writes it to standard output"
    )


class Recording:
    """The audio of one reply, for the file `name`, `-` for standard output, or for nobody.

    Raises `OSError` at once if the file's folder is not there.
    """

    def __init__(self, name: str | None) -> None:
        self._name = name
        self._pieces: list[bytes] = []
        self._format: _Format | None = None
        folder = os.path.dirname(name) if name else ""
        if folder and not os.path.isdir(folder):
            raise FileNotFoundError(2, "no such folder", folder)

    def add(self, pcm: bytes, rate: int, width: int, channels: int) -> None:
        """Keep a piece; all pieces of a reply have one format."""
        self._format = self._format or _Format(rate, width, channels)
        self._pieces.append(pcm)

    @property
    def seconds(self) -> float:
        """How long it is."""
        if self._format is None:
            return 0.0
        rate, width, channels = self._format
        return sum(map(len, self._pieces)) / (rate * width * channels)

    def save(self) -> None:
        """Write the WAV, if there is a reply and somebody wants it; a file is whole or not there."""
        if not self._name or self._format is None:
            return
        if self._name == "-":
            sys.stdout.buffer.write(self._wav(self._format))
        elif os.path.exists(self._name) and not os.path.isfile(self._name):
            self._write(self._name, self._format)
        else:
            self._replace(self._name, self._format)

    def _replace(self, name: str, form: _Format) -> None:
        part = f"{name}.part"
        try:
            self._write(part, form)
            os.replace(part, name)
        finally:
            if os.path.exists(part):
                os.unlink(part)

    def _write(self, name: str, form: _Format) -> None:
        with open(name, "wb") as file:
            file.write(self._wav(form))

    def _wav(self, form: _Format) -> bytes:
        import wave

        file = io.BytesIO()
        with wave.open(file, "wb") as writer:
            writer.setframerate(form.rate)
            writer.setsampwidth(form.width)
            writer.setnchannels(form.channels)
            writer.writeframes(b"".join(self._pieces))
        return file.getvalue()
