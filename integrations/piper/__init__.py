"""Speech with Piper, in a process of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import voluptuous as vol

from hub import AUTO, Address, IntegrationContext, IntegrationError, Provides, WorkerLimits
from hub import worker as running_worker  # importing worker.py would take the name

from .catalogue import AUTO_TABLE, CATALOGUE, PACKAGED, QUALITIES

SLOTS = ("tts",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings under `integrations.<name>` in the YAML."""

    voice: str = PACKAGED
    """`en_US-joe-medium` comes with the extra; another name that `earnest models list` shows is downloaded
    when it is first used; `auto` chooses by the house's language and the installed memory; anything else is
    the path of a voice's `.onnx`, absolute or below the configuration, with its `.onnx.json` beside it."""
    auto: Mapping[int, str] = field(default_factory=lambda: dict(AUTO_TABLE))
    """What `voice: auto` chooses: `x_low`, `low`, `medium`, `high` or a voice, by gigabytes of installed
    memory."""
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
    listen: Address | None = None
    """A further address at which the worker serves other programs, for instance
    `tcp://127.0.0.1:10200`. Wyoming knows no passwords: whoever reaches it may use it."""
    worker: WorkerLimits = field(default_factory=WorkerLimits)
    """What the process may take, and how often it may fail."""

    def __post_init__(self) -> None:
        """Refuse a table that nothing could be chosen from."""
        if not self.auto:
            raise ValueError("auto: needs at least one line like '2: medium'")
        for voice in self.auto.values():
            if voice not in QUALITIES:
                CATALOGUE.check(voice)


@asynccontextmanager
async def setup(options: Options, context: IntegrationContext) -> AsyncIterator[Provides]:
    """Start the worker and offer its voice."""
    if find_spec("piper") is None:
        raise ModuleNotFoundError(name="piper")
    file = await voice_file(options, context)
    told = {**dataclasses.asdict(options), "file": str(file)}
    listen = (options.listen,) if options.listen else ()
    program = Path(__file__).with_name("worker.py")
    async with running_worker(context, program, told, listen=listen, limits=options.worker) as service:
        yield Provides(tts=service.tts())


async def voice_file(options: Options, context: IntegrationContext) -> Path:
    """Return the voice's `.onnx`, downloaded if need be; raises `IntegrationError`."""
    asked = options.voice
    if asked == AUTO:
        choice = CATALOGUE.choose({"auto": options.auto}, context.models.surroundings)
        name, folder = await context.models.best(CATALOGUE, choice, context.health)
        return folder / f"{name}.onnx"
    if local := _local(asked, context.paths.config):
        return local
    folder = await context.models.ensure(CATALOGUE, asked, context.health)
    return folder / f"{asked}.onnx"


def _local(asked: str, config: Path) -> Path | None:
    """Return a voice of the user's own; None where a name is meant."""
    if not ("/" in asked or asked.endswith(".onnx")):
        return None
    file = config / Path(asked).expanduser()
    missing = [path for path in (file, Path(f"{file}.json")) if not path.is_file()]
    if file.suffix != ".onnx" or missing:
        gone = f" ({missing[0]} is not there)" if missing else ""
        raise IntegrationError(f"voice '{asked}' is no Piper voice's .onnx with its .onnx.json{gone}")
    return file
