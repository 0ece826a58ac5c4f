"""Speech recognition with Whisper, in a process of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import voluptuous as vol

from hub import AUTO, Address, IntegrationContext, IntegrationError, Provides, WorkerLimits
from hub import worker as running_worker  # importing worker.py would take the name

from .catalogue import AUTO_TABLE, CATALOGUE, PACKAGED

_FILES = ("model.bin", "config.json", "tokenizer.json")


SLOTS = ("asr",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings under `integrations.<name>` in the YAML."""

    model: str = PACKAGED
    """`tiny.en` comes with the extra; another name that `earnest models list` shows is downloaded when it
    is first used; `auto` chooses by the installed memory; anything else is the path of a folder with a
    CTranslate2 Whisper, absolute or below the configuration."""
    auto: Mapping[int, str] = field(default_factory=lambda: dict(AUTO_TABLE))
    """What `model: auto` chooses: the model by gigabytes of installed memory."""
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
    listen: Address | None = None
    """A further address at which the worker serves other programs, for instance
    `tcp://127.0.0.1:10300`. Wyoming knows no passwords: whoever reaches it may use it."""
    worker: WorkerLimits = field(default_factory=WorkerLimits)
    """What the process may take, and how often it may fail."""

    def __post_init__(self) -> None:
        """Refuse a table that nothing could be chosen from."""
        if not self.auto:
            raise ValueError("auto: needs at least one line like '8: small'")
        for model in self.auto.values():
            if "/" not in model:
                CATALOGUE.check(model)


@asynccontextmanager
async def setup(options: Options, context: IntegrationContext) -> AsyncIterator[Provides]:
    """Start the worker and offer its recogniser."""
    if find_spec("faster_whisper") is None:
        raise ModuleNotFoundError(name="faster_whisper")
    model, folder = await model_folder(options, context)
    told = {**dataclasses.asdict(options), "model": model, "folder": str(folder)}
    listen = (options.listen,) if options.listen else ()
    offline = {"HF_HUB_OFFLINE": "1"}
    file = Path(__file__).with_name("worker.py")
    async with running_worker(
        context, file, told, listen=listen, environment=offline, limits=options.worker
    ) as service:
        yield Provides(asr=service.asr())


async def model_folder(options: Options, context: IntegrationContext) -> tuple[str, Path]:
    """Return the model's name and where it lies, downloaded if need be; raises `IntegrationError`."""
    asked = options.model
    if asked == AUTO:
        around = context.models.surroundings
        choice = CATALOGUE.choose({"auto": options.auto, "language": options.language}, around)
        return await context.models.best(CATALOGUE, choice, context.health)
    if local := _local(asked, context.paths.config):
        return asked, local
    return asked, await context.models.ensure(CATALOGUE, asked, context.health)


def _local(asked: str, config: Path) -> Path | None:
    """Return a folder of the user's own; None where a name is meant."""
    folder = config / Path(asked).expanduser()
    if not ("/" in asked or folder.is_dir()):
        return None
    if missing := [name for name in _FILES if not (folder / name).is_file()]:
        raise IntegrationError(
            f"model '{asked}' is no folder with a CTranslate2 Whisper model ({folder} has no"
            f" {', '.join(missing)})"
        )
    return folder
