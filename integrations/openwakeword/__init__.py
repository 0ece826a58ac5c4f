"""Wake words with openWakeWord, in a process of its own."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import voluptuous as vol

from hub import Address, IntegrationContext, IntegrationError, Provides, WorkerLimits
from hub import worker as running_worker  # importing worker.py would take the name

_PACKAGED = Path("resources", "models")
_VERSION = "_v0.1"
"""What the names of the packaged words end with."""
_PARTS = frozenset(("melspectrogram", "embedding_model", "silero_vad"))
"""Packaged models that are no words."""
_SUFFIXES = (".onnx", ".tflite")
_Certainty = vol.Range(min=0.01, max=0.999)


SLOTS = ("wake",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings under `integrations.<name>` in the YAML."""

    models: str | None = None
    """A folder with more wake words, each a `.onnx` or a `.tflite`; absolute or below the configuration.
    The name of the file is the name of the word."""
    threshold: Annotated[float, _Certainty] = 0.5
    """How certain it must be."""
    thresholds: Mapping[str, Annotated[float, _Certainty]] = field(default_factory=dict)
    """How certain it must be of a single word, by the word."""
    patience: Annotated[int, vol.Range(min=1, max=25)] = 1
    """How many times in a row, 80 ms apart, it must be that certain: more are fewer false alarms and more
    words that are missed."""
    pause: Annotated[float, vol.Range(min=0, max=60)] = 2.0
    """Seconds after a wake word in which a stream hears no other."""
    threads: Annotated[int, vol.Range(min=1, max=64)] = 2
    """Microphones that are listened to at the same moment; the others wait a few milliseconds."""
    listen: Address | None = None
    """A further address at which the worker serves other programs, for instance
    `tcp://127.0.0.1:10400`. Wyoming knows no passwords: whoever reaches it may use it."""
    worker: WorkerLimits = field(default_factory=WorkerLimits)
    """What the process may take, and how often it may fail."""


@asynccontextmanager
async def setup(options: Options, context: IntegrationContext) -> AsyncIterator[Provides]:
    """Start the worker and offer its wake words."""
    packaged = packaged_models()
    words = packaged_words(packaged) | own_words(options.models, context.paths.config)
    if unknown := [word for word in options.thresholds if word not in words]:
        raise IntegrationError(
            f"thresholds: there is no wake word '{unknown[0]}'; there are {', '.join(words)}"
        )
    told = {
        **dataclasses.asdict(options),
        "packaged": str(packaged),
        "words": {word: str(file) for word, file in words.items()},
    }
    listen = (options.listen,) if options.listen else ()
    program = Path(__file__).with_name("worker.py")
    async with running_worker(context, program, told, listen=listen, limits=options.worker) as service:
        yield Provides(wake=service.wake())


def packaged_models() -> Path:
    """Return where the library keeps its models, without importing it."""
    found = find_spec("openwakeword")
    if found is None or found.origin is None:
        if sys.version_info < (3, 12):
            raise ModuleNotFoundError(name="openwakeword")
        raise IntegrationError(
            "openwakeword cannot be installed as usual on Python 3.12 and later, because it asks for"
            " tflite-runtime, which it does not need here:"
            " run pip install --no-deps openwakeword==0.5.1, or use Python 3.11, or type: microwakeword"
        )
    return Path(found.origin).parent / _PACKAGED


def packaged_words(folder: Path) -> dict[str, Path]:
    """Return the words inside the library."""
    files = sorted(file for file in folder.glob("*.onnx") if file.stem not in _PARTS)
    if not files:
        raise IntegrationError(f"there are no models in {folder}: earnest needs openwakeword==0.5.1")
    return {file.stem.removesuffix(_VERSION): file for file in files}


def own_words(models: str | None, config: Path) -> dict[str, Path]:
    """Return the words in the user's folder, `.onnx` before `.tflite`; raises `IntegrationError`."""
    if models is None:
        return {}
    folder = config / Path(models).expanduser()
    if not folder.is_dir():
        raise IntegrationError(f"models: there is no folder {folder}")
    found = {file.stem: file for suffix in _SUFFIXES[::-1] for file in sorted(folder.glob(f"*{suffix}"))}
    if not found:
        raise IntegrationError(f"there are no wake words (.onnx or .tflite) in {folder}")
    return dict(sorted(found.items()))
