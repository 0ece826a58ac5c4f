"""microWakeWord on TensorFlow Lite. https://github.com/OHF-Voice/pymicro-wakeword (Apache-2.0)"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pymicro_wakeword
from pymicro_wakeword import MicroWakeWord, MicroWakeWordFeatures

from hub import SPEECH, Detection, IntegrationError

_PROOF_SECONDS = 30.0
"""How long the models of a user's own may take to be tried."""
_FRAME = 480
"""Samples: the three steps of 10 ms that a model takes at a time."""


def shipped_models() -> Mapping[str, Path]:
    """Return the models inside the library, by wake word."""
    folder = Path(pymicro_wakeword.__file__).parent / "models"
    return {file.stem: file for file in sorted(folder.glob("*.json"))}


class MicroWakeStream:
    """One microphone; the models are loaded with the first frame, off the event loop."""

    def __init__(self, files: Mapping[str, Path], cutoffs: Mapping[str, float], pause: float) -> None:
        self._files = files
        self._cutoffs = cutoffs
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
        found = self._judged(frame)
        self._samples += len(frame) // SPEECH.frame_bytes
        if not found or self._samples < self._deaf_until:
            return None
        self._deaf_until = self._samples + self._pause
        return Detection(word=found[0], samples=self._samples)

    def finish(self) -> Detection | None:
        """Every frame was judged at once."""
        return None

    def close(self) -> None:
        """Nothing is held that would not go with the stream."""

    def _judged(self, frame: bytes) -> list[str]:
        if not self._models:
            self._features = MicroWakeWordFeatures()
            self._models = {word: load(file, self._cutoffs.get(word)) for word, file in self._files.items()}
        return [
            word
            for features in self._features.process_streaming(frame)
            for word, model in self._models.items()
            if model.process_streaming(features)
        ]


class MicroWake:
    """The wake words there are."""

    def __init__(self, files: Mapping[str, Path], cutoffs: Mapping[str, float], pause: float) -> None:
        """`cutoffs` by the word; a word that is not in there is as certain as its model was made."""
        self._files = files
        self._cutoffs = cutoffs
        self._pause = pause

    @property
    def words(self) -> tuple[str, ...]:
        """For instance `okay_nabu`."""
        return tuple(self._files)

    def open(self, words: Sequence[str]) -> MicroWakeStream:
        """Return a fresh stream that listens for these words; raises `IntegrationError` for others."""
        unknown = [word for word in words if word not in self._files]
        if unknown:
            raise IntegrationError(f"there is no wake word '{unknown[0]}'; there are {', '.join(self.words)}")
        return MicroWakeStream({word: self._files[word] for word in words}, self._cutoffs, self._pause)


def load(file: Path, cutoff: float | None) -> Any:
    """Return the model that the JSON file describes."""
    try:
        model = MicroWakeWord.from_config(file)
    except Exception as error:  # the library raises whatever JSON and ctypes do
        raise IntegrationError(f"{file} is no microWakeWord model: {error!r}") from error
    if cutoff is not None:
        model.probability_cutoff = cutoff
    return model


def prove(file: Path) -> None:
    """Try a user's model in a process of its own: the library ends the process of one that is broken.

    Raises `IntegrationError`.
    """
    command = [sys.executable, "-P", __file__, str(file)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_PROOF_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise IntegrationError(f"{file} could not be tried within {_PROOF_SECONDS:g} s") from error
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] if done.returncode > 0 else []
        why = last[0].partition(": ")[2] if last else "its .tflite is broken, or no wake word"
        raise IntegrationError(why if str(file) in why else f"{file} is no microWakeWord model: {why}")


def _try(file: Path) -> None:
    """Load the model and let it hear a second of silence."""
    told = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(told, dict) or not isinstance(told.get("model"), str):
        raise ValueError("it does not say which .tflite is its `model`")
    if not (file.parent / told["model"]).is_file():
        raise FileNotFoundError("its .tflite is not beside it")
    stream = MicroWakeStream({"word": file}, {}, 0.0)
    for _ in range(34):
        stream.process(bytes(2 * _FRAME))


if __name__ == "__main__":
    _try(Path(sys.argv[1]))
