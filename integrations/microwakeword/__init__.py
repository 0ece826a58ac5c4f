"""Wake words with microWakeWord, in the hub itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import voluptuous as vol

from hub import IntegrationContext, IntegrationError, Provides, WakeDetector

_Cutoff = Annotated[float, vol.Range(min=0.01, max=0.999)]


SLOTS = ("wake",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings under `integrations.<name>` in the YAML."""

    models: str | None = None
    """A folder with more wake words, each a `.json` beside its `.tflite`; absolute or below the
    configuration. The name of the file is the name of the word."""
    cutoff: _Cutoff | None = None
    """How certain it must be. Not set: as each model was made (0.85 to 0.97)."""
    cutoffs: Mapping[str, _Cutoff] = field(default_factory=dict)
    """How certain it must be of a single word, by the word."""
    pause: Annotated[float, vol.Range(min=0, max=60)] = 2.0
    """Seconds after a wake word in which a stream hears no other."""


@asynccontextmanager
async def setup(options: Options, context: IntegrationContext) -> AsyncIterator[Provides]:
    """Offer the wake words that the library ships and those of the folder."""
    own = own_models(options.models, context.paths.config)
    yield Provides(wake=await asyncio.to_thread(_load, own, options))


def _load(own: Mapping[str, Path], options: Options) -> WakeDetector:
    """Load library and models, off the event loop; `check` and other verbs do without them."""
    from .detector import MicroWake, prove, shipped_models

    files = {**shipped_models(), **own}
    if unknown := [word for word in options.cutoffs if word not in files]:
        raise IntegrationError(f"cutoffs: there is no wake word '{unknown[0]}'; there are {', '.join(files)}")
    for file in own.values():
        prove(file)
    general = {} if options.cutoff is None else dict.fromkeys(files, options.cutoff)
    return MicroWake(files, {**general, **options.cutoffs}, options.pause)


def own_models(models: str | None, config: Path) -> Mapping[str, Path]:
    """Return the models in the user's folder; raises `IntegrationError` when there are none."""
    if models is None:
        return {}
    folder = config / Path(models).expanduser()
    if not folder.is_dir():
        raise IntegrationError(f"models: there is no folder {folder}")
    found = {file.stem: file for file in sorted(folder.glob("*.json"))}
    if not found:
        raise IntegrationError(f"there are no wake words (.json beside .tflite) in {folder}")
    return found
