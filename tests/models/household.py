"""A house whose integration `ears` has a catalogue of its own, and the command line for it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hub.models.published import Downloadable

CATALOGUE = '''\
"""Ears that need a model."""

from hub import Catalogue, Downloadable, RemoteFile

MODELS = tuple(
    Downloadable(
        name=name,
        files=tuple(RemoteFile(path=p, url=u, size=s, sha256=d) for p, u, s, d in files),
        languages=("de_DE",),
    )
    for name, files in {models!r}
)
CATALOGUE = Catalogue(integration="ears", option="model", default="big", models=MODELS)
'''
SETUP = '''\
"""Ears that need a model."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from hub import IntegrationContext, Provides

from .catalogue import CATALOGUE


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Which."""

    model: str = "big"


@asynccontextmanager
async def setup(options: Options, context: IntegrationContext) -> AsyncIterator[Provides]:
    """Have the model."""
    await context.models.ensure(CATALOGUE, options.model, context.health)
    yield Provides()
'''
LISTENER = "integrations: {listener: {type: ears}}\n"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a verb ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What it printed as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(slots=True)
class Household:
    """A configuration with its data folder."""

    folder: Path
    models: tuple[Downloadable, ...]
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> Path:
        """Where the models lie."""
        return self.folder / "data" / "cache" / "models" / "ears"

    @property
    def config(self) -> Path:
        """The folder of the YAML."""
        return self.folder / "config"

    def write(
        self, mirror: str, text: str = "integrations: {listener: {type: ears}}\n", **models: Any
    ) -> None:
        """Write the configuration; the publisher's files are asked for at `mirror`."""
        own = self.config / "integrations" / "ears"
        own.mkdir(parents=True, exist_ok=True)
        told = tuple(
            (model.name, tuple((file.path, file.url, file.size, file.sha256) for file in model.files))
            for model in self.models
        )
        (own / "catalogue.py").write_text(CATALOGUE.replace("{models!r}", repr(told)))
        (own / "__init__.py").write_text(SETUP)
        section = {"mirrors": {"models.test": mirror}, "stall": 5, "retry_first": 0, "keep_free": 0, **models}
        (self.config / "earnest.yaml").write_text(f"models: {json.dumps(section)}\n{text}")

    async def begun(
        self, *words: str, stderr: int = asyncio.subprocess.PIPE, before: Callable[[], None] | None = None
    ) -> asyncio.subprocess.Process:
        """Begin a verb."""
        gone = ("EARNEST_CONFIG", "EARNEST_DATA", "XDG_RUNTIME_DIR", "HF_ENDPOINT")
        environ = {name: value for name, value in os.environ.items() if name not in gone}
        where = ("--config", str(self.config), "--data", str(self.folder / "data"))
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "hub",
            *where,
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            preexec_fn=before,
            env={**environ, **self.environ},
        )

    async def run(self, *words: str) -> Ended:
        """Run a verb to its end."""
        return await ended(await self.begun(*words))


async def ended(process: asyncio.subprocess.Process) -> Ended:
    """Return how a verb that was begun ends."""
    async with asyncio.timeout(60):
        out, err = await process.communicate()
    return Ended(process.returncode or 0, out.decode(), (err or b"").decode())
