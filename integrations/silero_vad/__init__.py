"""Speech told from everything else by Silero VAD, in the hub itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from hub import IntegrationContext, IntegrationError, Provides, Vad

_MODEL = Path("assets", "silero_vad_v6.onnx")


SLOTS = ("vad",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings under `integrations.<name>` in the YAML."""

    model: str | None = None
    """Another `.onnx` of Silero VAD, version 6, absolute or below the configuration; not set: the one
    that faster-whisper carries."""


@asynccontextmanager
async def setup(options: Options, context: IntegrationContext) -> AsyncIterator[Provides]:
    """Load the model once for all streams."""
    file = model_file(options.model, context.paths.config)
    yield Provides(vad=await asyncio.to_thread(_load, file))


def _load(file: Path) -> Vad:
    """Load library and model, off the event loop; `check` and other verbs do without them."""
    from .detector import SileroVad

    return SileroVad.load(file)


def model_file(model: str | None, config: Path) -> Path:
    """Return where the model lies; raises `IntegrationError` when nothing is there."""
    file = config / Path(model).expanduser() if model else packaged_model()
    if not file.is_file():
        raise IntegrationError(f"there is no model at {file}")
    return file


def packaged_model() -> Path:
    """Return where faster-whisper keeps the model, without importing it."""
    found = find_spec("faster_whisper")
    if found is None or found.origin is None:
        raise ModuleNotFoundError(name="faster_whisper")
    return Path(found.origin).parent / _MODEL
