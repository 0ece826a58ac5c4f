"""Silero VAD, version 6, on onnxruntime. https://github.com/snakers4/silero-vad (MIT)"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from onnxruntime import InferenceSession, SessionOptions

from hub import IntegrationError

_FRAME = 512
_CONTEXT = 64
"""Samples of the frame before that the model sees again."""
_STATE = (1, 1, 128)

Array = np.ndarray[Any, np.dtype[np.float32]]


def _silence(*shape: int) -> Array:
    return np.zeros(shape, np.float32)


@dataclass(slots=True)
class SileroStream:
    """One listener: the model's memory and the tail of the last frame."""

    session: Any
    frame_samples: int = _FRAME
    _input: Array = field(default_factory=lambda: _silence(1, _CONTEXT + _FRAME))
    _hidden: Array = field(default_factory=lambda: _silence(*_STATE))
    _cell: Array = field(default_factory=lambda: _silence(*_STATE))

    def process(self, frame: bytes) -> float:
        """Return the probability of speech in 512 samples of 16 kHz, 16 bit, mono."""
        samples = np.frombuffer(frame, np.int16)
        if len(samples) != _FRAME:
            raise ValueError(f"a frame has {_FRAME} samples, not {len(samples)}")
        self._input[0, :_CONTEXT] = self._input[0, -_CONTEXT:]
        np.divide(samples, 32_768, out=self._input[0, _CONTEXT:], dtype=np.float32)
        speech, self._hidden, self._cell = self.session.run(
            None, {"input": self._input, "h": self._hidden, "c": self._cell}
        )
        return float(speech[0])

    def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class SileroVad:
    """The loaded model; it keeps no state, so all streams share it."""

    session: Any

    @classmethod
    def load(cls, file: Path) -> Self:
        """Load the model and run it once; raises `IntegrationError` when it is another one."""
        options = SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 4
        try:
            vad = cls(InferenceSession(str(file), options, providers=["CPUExecutionProvider"]))
            vad.open().process(bytes(2 * _FRAME))
        except Exception as error:  # onnxruntime has many kinds and no common root
            raise IntegrationError(f"{file} is no Silero VAD model of version 6: {error}") from error
        return vad

    def open(self) -> SileroStream:
        """Return a fresh stream."""
        return SileroStream(self.session)
