"""The process that runs the models of openWakeWord. https://github.com/dscripka/openWakeWord (Apache-2.0)

80 ms of sound become 8 rows of a mel spectrogram, the last 76 rows an embedding, and the last embeddings
what each word's own small model judges. Only the models of the library are used: its own loop copies ten
seconds of sound for each of those steps, and importing it costs 100 MB.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub import SPEECH, Detection, Engine, EngineError, Model, Offer, Program, serve

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

_FRAME = 1280
"""Samples that are judged at a time."""
_OVERLAP = 480
"""Samples of the frame before that its spectrogram needs too."""
_ROWS = 76
"""Rows of the spectrogram in an embedding."""
_BANDS = 32
_FEATURES = 96
_WARM_UP = 5
"""Judgements after the start of a stream that are not to be trusted (as in the library)."""
_LONGEST = 120
"""Embeddings that a word's model may ask for: ten seconds."""


class Word:
    """One wake word: a model that judges the last embeddings."""

    def __init__(self, name: str, file: Path, threshold: float) -> None:
        """Load the model and run it once; raises `EngineError` when it is another one."""
        self.name = name
        self.threshold = threshold
        load = _tflite if file.suffix == ".tflite" else _onnx_word
        try:
            self.length, self._judge = load(file)
            score = self.judge(_silence(1, self.length, _FEATURES))
        except ImportError as error:
            raise EngineError(
                f"{file} needs the package ai-edge-litert, which is not there: install it,"
                " or put the word's .onnx into the folder instead"
            ) from error
        except Exception as error:  # the libraries have many kinds and no common root
            raise EngineError(f"{file} is no openWakeWord model: {_short(error)}") from error
        if not 0 <= score <= 1:
            raise EngineError(f"{file} is no openWakeWord model: it answers {score:g}, no probability")

    def judge(self, features: Array) -> float:
        """Return how certain it is that the word has just been said."""
        scores = self._judge(features).ravel()
        # A model of several classes has "none of them" first.
        return float(scores[0] if len(scores) == 1 else scores[1:].max())


class Ears:
    """The loaded models; they keep no state, so all streams share them."""

    def __init__(self, packaged: Path, words: Sequence[Word], patience: int, pause: float) -> None:
        import numpy as np

        self.words = tuple(word.name for word in words)
        self._words = {word.name: word for word in words}
        self.patience = patience
        self.pause = int(pause * SPEECH.rate)
        self._spectrogram = _onnx(packaged / "melspectrogram.onnx")
        self._embedding = _onnx(packaged / "embedding_model.onnx")
        # What the library does too: a stream begins as if there had been noise.
        noise = np.random.default_rng(1).integers(-1000, 1000, 4 * SPEECH.rate)
        rows = self.rows(noise.astype(np.float32)[None])
        most = max(word.length for word in words)
        starts = range(0, len(rows) - _ROWS + 1, 8)
        embeddings = [self.embedding(rows[start : start + _ROWS]) for start in starts]
        self.beginning: Array = np.concatenate([_silence(most, _FEATURES), *embeddings])[-most:]

    def rows(self, samples: Array) -> Array:
        """Return the spectrogram of 16-bit samples, scaled as the embedding wants it."""
        import numpy as np

        rows = self._spectrogram(samples).reshape(-1, _BANDS)
        return rows * np.float32(0.1) + np.float32(2)

    def embedding(self, rows: Array) -> Array:
        """Return what 76 rows of a spectrogram come to."""
        return self._embedding(rows[None, :, :, None]).reshape(1, _FEATURES)

    def open(self, words: Sequence[str]) -> Listener:
        """Return a fresh stream that listens for these words, or all."""
        if unknown := [word for word in words if word not in self.words]:
            raise EngineError(f"there is no wake word '{unknown[0]}'; there are {', '.join(self.words)}")
        return Listener(self, [self._words[word] for word in words or self.words])


class Listener:
    """One microphone: the tail of its sound, of its spectrogram and of its embeddings."""

    def __init__(self, ears: Ears, words: Sequence[Word]) -> None:

        self._ears = ears
        self._words = words
        self._sound = _silence(1, _OVERLAP + _FRAME)
        self._rows: Array = _silence(_ROWS, _BANDS) + 1
        self._features = ears.beginning.copy()
        self._certain = {word.name: deque((False,) * ears.patience, ears.patience) for word in words}
        self._frames = 0
        self._deaf_until = 0
        """Samples before which no word is reported."""

    @property
    def frame_samples(self) -> int:
        """80 ms."""
        return _FRAME

    def process(self, frame: bytes) -> Detection | None:
        """Return the wake word that has just ended, or None."""
        self._take(frame)
        self._frames += 1
        samples = self._frames * _FRAME
        found: tuple[float, str] | None = None
        for word in self._words:
            score = word.judge(self._features[None, -word.length :])
            certain = self._certain[word.name]
            certain.append(self._frames > _WARM_UP and score >= word.threshold)
            if all(certain):
                found = max(found or (score, word.name), (score, word.name))
        if found is None or samples < self._deaf_until:
            return None
        self._deaf_until = samples + self._ears.pause
        return Detection(word=found[1], samples=samples)

    def finish(self) -> Detection | None:
        """Every frame was judged at once."""
        return None

    def close(self) -> None:
        """Nothing is held that would not go with the stream."""

    def _take(self, frame: bytes) -> None:
        import numpy as np

        self._sound[0, :_OVERLAP] = self._sound[0, -_OVERLAP:]
        self._sound[0, _OVERLAP:] = np.frombuffer(frame, np.int16)
        rows = self._ears.rows(self._sound)
        self._rows = np.concatenate((self._rows, rows))[-_ROWS:]
        self._features[:-1] = self._features[1:]
        self._features[-1] = self._ears.embedding(self._rows)[0]


def _silence(*shape: int) -> Array:
    import numpy as np

    return np.zeros(shape, np.float32)


def _session(file: Path) -> Any:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _runner(session: Any) -> Callable[[Array], Array]:
    name = session.get_inputs()[0].name

    def run(values: Array) -> Array:
        answer: Array = session.run(None, {name: values})[0]
        return answer

    return run


def _onnx(file: Path) -> Callable[[Array], Array]:
    return _runner(_session(file))


def _onnx_word(file: Path) -> tuple[int, Callable[[Array], Array]]:
    """Return how many embeddings the model takes, and what runs it."""
    session = _session(file)
    return _length(session.get_inputs()[0].shape), _runner(session)


def _tflite(file: Path) -> tuple[int, Callable[[Array], Array]]:
    """Return the same of a TFLite model, which can be run by one thread at a time."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_path=str(file), num_threads=1)
    interpreter.allocate_tensors()
    (taken,), (given,) = interpreter.get_input_details(), interpreter.get_output_details()
    lock = threading.Lock()

    def run(values: Array) -> Array:
        with lock:
            interpreter.set_tensor(taken["index"], values)
            interpreter.invoke()
            answer: Array = interpreter.get_tensor(given["index"])
            return answer

    return _length(taken["shape"].tolist()), run


def _length(shape: Sequence[Any]) -> int:
    if len(shape) != 3 or shape[2] != _FEATURES:
        raise ValueError(f"it takes {list(shape)}, not embeddings of {_FEATURES} numbers")
    length = int(shape[1])
    if not 1 <= length <= _LONGEST:
        raise ValueError(f"it takes {length} embeddings")
    return length


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def open_engine(options: Mapping[str, Any]) -> Engine:
    """Load the models of all `words`."""
    from importlib.metadata import version

    threshold, special = options["threshold"], options["thresholds"]
    words = [Word(name, Path(file), special.get(name, threshold)) for name, file in options["words"].items()]
    ears = Ears(Path(options["packaged"]), words, options["patience"], options["pause"])
    program = Program(
        name="openwakeword",
        description="Wake words trained on synthetic speech",
        version=version("openwakeword"),
        models=tuple(Model(name=word.name, phrase=word.name.replace("_", " ")) for word in words),
        author="David Scripka",
        url="https://github.com/dscripka/openWakeWord",
    )
    return Engine(offer=Offer(wake=(program,)), detect=ears.open, concurrency=options["threads"])


if __name__ == "__main__":
    serve(open_engine)
