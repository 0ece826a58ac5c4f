"""microWakeWord on TensorFlow Lite. https://github.com/OHF-Voice/pymicro-wakeword (Apache-2.0)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pymicro_wakeword
from pymicro_wakeword import MicroWakeWord, MicroWakeWordFeatures

from hub import SPEECH, Detection, IntegrationError

_FRAME = 480
"""Samples: the three steps of 10 ms that a model takes at a time."""


def shipped_models() -> Mapping[str, Path]:
    """Return the models inside the library, by wake word."""
    folder = Path(pymicro_wakeword.__file__).parent / "models"
    return {file.stem: file for file in sorted(folder.glob("*.json"))}


class MicroWakeStream:
    """One microphone; the models are loaded with the first frame, off the event loop."""

    def __init__(self, files: Mapping[str, Path], cutoff: float | None, pause: float) -> None:
        self._files = files
        self._cutoff = cutoff
        self._pause = int(pause * SPEECH.rate)
        self._samples = 0
        self._deaf_until = 0
        """Samples before which no word is reported."""
        self._models: dict[str, Any] = {}

    @property
    def frame_samples(self) -> int:
        """30 ms."""
        return _FRAME

    def process(self, frame: bytes) -> Detection | None:
        """Return the wake word that has just ended, or None."""
        if not self._models:
            self._features = MicroWakeWordFeatures()
            self._models = {word: load(file, self._cutoff) for word, file in self._files.items()}
        self._samples += len(frame) // SPEECH.frame_bytes
        found = [
            word
            for features in self._features.process_streaming(frame)
            for word, model in self._models.items()
            if model.process_streaming(features)
        ]
        if not found or self._samples < self._deaf_until:
            return None
        self._deaf_until = self._samples + self._pause
        return Detection(word=found[0], samples=self._samples)

    def finish(self) -> Detection | None:
        """Every frame was judged at once."""
        return None

    def close(self) -> None:
        """Nothing is held that would not go with the stream."""


class MicroWake:
    """The wake words there are."""

    def __init__(self, files: Mapping[str, Path], cutoff: float | None, pause: float) -> None:
        self._files = files
        self._cutoff = cutoff
        self._pause = pause

    @property
    def words(self) -> tuple[str, ...]:
        """For instance `okay_nabu`."""
        return tuple(self._files)

    def check(self) -> None:
        """Load every model once; raises `IntegrationError` for one that cannot be used."""
        for file in self._files.values():
            load(file, self._cutoff)

    def open(self, words: Sequence[str]) -> MicroWakeStream:
        """Return a fresh stream that listens for these words; raises `IntegrationError` for others."""
        unknown = [word for word in words if word not in self._files]
        if unknown:
            raise IntegrationError(f"there is no wake word '{unknown[0]}'; there are {', '.join(self.words)}")
        return MicroWakeStream({word: self._files[word] for word in words}, self._cutoff, self._pause)


def load(file: Path, cutoff: float | None) -> Any:
    """Return the model that the JSON file describes."""
    try:
        model = MicroWakeWord.from_config(file)
    except Exception as error:  # the library raises whatever JSON and ctypes do
        raise IntegrationError(f"{file} is no microWakeWord model: {error}") from error
    if cutoff is not None:
        model.probability_cutoff = cutoff
    return model
