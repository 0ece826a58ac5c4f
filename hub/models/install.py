"""A whole model onto the shelf: held against others, with room on the disk, its manifest last."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hub.errors import ModelError
from hub.models import hold
from hub.models.manifest import FILE, Kept, Manifest
from hub.models.published import Downloadable, RemoteFile
from hub.models.shelf import LOCK, PART, Shelf

if TYPE_CHECKING:
    from hub.models.config import DownloadLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the download of a model is."""

    model: str
    file: str = ""
    """The one on its way; empty while nothing is."""
    done: int = 0
    """Bytes of the whole model that are here."""
    size: int
    """Bytes of the whole model."""
    waits_for: str = ""
    """The process that downloads the same model."""

    @property
    def percent(self) -> int:
        """Of the bytes, rounded down."""
        return 100 if not self.size else min(100 * self.done // self.size, 100)


Watch = Callable[[Progress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """What to bring, and from where to where."""

    shelf: Shelf
    integration: str
    model: Downloadable
    mirrors: Mapping[str, str]
    limits: DownloadLimits
    watch: Watch
    anew: bool = False
    """Whether what is here already is thrown away."""


async def install(errand: Errand) -> Path:
    """Return the folder of the model once it is all there; raises `ModelError` with what to do.

    Whatever ends it, the next call goes on where it stopped, and nothing that is not whole looks whole.
    """
    model, shelf = errand.model, errand.shelf
    place = shelf.place(errand.integration, model.name)

    def waiting(who: str) -> None:
        errand.watch(Progress(model=model.name, size=model.size, waits_for=who))

    async with hold.held(place.with_name(model.name + LOCK), errand.limits.wait_for_other, waiting):
        if not errand.anew and (whole := shelf.whole(errand.integration, model)):
            return whole
        try:
            await _bring(errand, place)
        except OSError as error:
            raise ModelError(f"the model's folder {place} cannot be written: {error.strerror}") from error
        return place


async def _bring(errand: Errand, place: Path) -> None:
    from hub.models.aside import in_thread

    await in_thread(_prepare, errand, place)
    files = await _files(errand, place)
    manifest = Manifest(integration=errand.integration, model=errand.model.name, files=files)
    await in_thread(manifest.write, place)


def _prepare(errand: Errand, place: Path) -> None:
    """Make the folder, with nothing in it that looks whole, on a disk with room."""
    if errand.anew:
        errand.shelf.remove(errand.integration, errand.model.name)
    place.mkdir(parents=True, exist_ok=True)
    (place / FILE).unlink(missing_ok=True)
    _room(place, errand.model, errand.limits)


def _room(place: Path, model: Downloadable, limits: DownloadLimits) -> None:
    """Raise `ModelError` unless the disk has room for what is missing."""
    there = sum(_size(place / (file.path + PART)) or _size(place / file.path) for file in model.files)
    needed = max(model.size - there, 0) + limits.keep_free * 1_000_000
    free = shutil.disk_usage(place).free
    if free < needed:
        raise ModelError(
            f"{model.name} needs {megabytes(max(model.size - there, 0))} and {limits.keep_free} MB to spare"
            f" (models.keep_free), but the disk of {place} has {megabytes(free)}; make room, or choose"
            " another folder with models.folder"
        )


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


def megabytes(size: int) -> str:
    """Return bytes as people read them."""
    if size < 1e6:
        return f"{size} bytes"
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


async def _files(errand: Errand, place: Path) -> dict[str, Kept]:
    import aiohttp

    limits = errand.limits
    waits = aiohttp.ClientTimeout(total=None, connect=limits.connect, sock_read=limits.stall)
    # a model's publisher may lie behind the proxy that the environment names
    session = aiohttp.ClientSession(trust_env=True, timeout=waits, auto_decompress=False)
    kept: dict[str, Kept] = {}
    async with session:
        for file in errand.model.files:
            before = sum(one.size for one in kept.values())
            kept[file.path] = await _file(errand, place, file, before, session)
    return kept


async def _file(errand: Errand, place: Path, file: RemoteFile, before: int, session: object) -> Kept:
    """Return one file that is here now: found whole from an earlier attempt, or brought."""
    from aiohttp import ClientSession

    from hub.models.aside import in_thread
    from hub.models.fetch import Fetch
    from hub.models.verify import found

    assert isinstance(session, ClientSession)

    def report(done: int) -> None:
        model = errand.model
        errand.watch(Progress(model=model.name, file=file.path, done=before + done, size=model.size))

    report(0)
    if earlier := await in_thread(found, place, file):
        report(file.size)
        return earlier
    fetch = Fetch(session, errand.limits, errand.mirrors, file, place, report)
    return await fetch.run()
