"""One download from a publisher of this machine, with waits that a test can afford."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hub.models.config import DownloadLimits
from hub.models.install import Errand, Progress, install
from hub.models.manifest import read
from hub.models.published import Downloadable
from hub.models.shelf import Shelf
from tests.models.publisher import Publisher

QUICK = DownloadLimits(stall=0.2, retries=3, retry_first=0.0, retry_longest=0.0, keep_free=0)


def errand(
    folder: Path,
    model: Downloadable,
    server: Publisher,
    watch: Callable[[Progress], None] = lambda progress: None,
    **limits: Any,
) -> Errand:
    """Return the errand that brings a model from the publisher into `folder`."""
    return Errand(
        shelf=Shelf(folder),
        integration="ears",
        model=model,
        mirrors={"models.test": server.url},
        limits=replace(QUICK, **limits),
        watch=watch,
    )


async def bring(
    folder: Path,
    model: Downloadable,
    server: Publisher,
    watch: Callable[[Progress], None] = lambda progress: None,
    **limits: Any,
) -> Path:
    """Bring it and return where it lies."""
    return await install(errand(folder, model, server, watch, **limits))


def looks_whole(folder: Path, model: Downloadable) -> bool:
    """Whether anybody would take the model for whole."""
    whole = Shelf(folder).whole("ears", model) is not None
    assert whole or read(folder / "ears" / model.name) is None
    return whole
