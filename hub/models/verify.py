"""Whether the files of a model are still what they were when they came."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from hub.models.manifest import Kept, Manifest
from hub.models.published import Downloadable, RemoteFile

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one file."""

    file: str
    what: str


def digests(file: Path) -> tuple[str, str]:
    """Return the SHA-256 and the MD5 of a file, in hex; raises `OSError`."""
    sha256, md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
    with file.open("rb") as opened:
        while block := opened.read(_BLOCK):
            sha256.update(block)
            md5.update(block)
    return sha256.hexdigest(), md5.hexdigest()


def found(place: Path, file: RemoteFile) -> Kept | None:
    """Return a file that an earlier attempt finished, if the catalogue's digest proves it."""
    path = place / file.path
    try:
        if not (file.sha256 or file.md5) or path.stat().st_size != file.size:
            return None
        sha256, md5 = digests(path)
    except OSError:
        return None
    if file.sha256 not in ("", sha256) or file.md5 not in ("", md5):
        return None
    return Kept(size=file.size, sha256=sha256, url=file.url, proof="catalogue")


def faults(place: Path, manifest: Manifest, model: Downloadable | None) -> list[Fault]:
    """Return what is wrong with the files of a model; `model` is its catalogue's entry, if there is one."""
    published = {file.path: file for file in model.files} if model else {}
    wrong = [Fault(name, "was never downloaded") for name in published if name not in manifest.files]
    for name, kept in manifest.files.items():
        what = _wrong(place / name, kept, published.get(name))
        if what:
            wrong.append(Fault(name, what))
    return wrong


def _wrong(file: Path, kept: Kept, published: RemoteFile | None) -> str:
    try:
        size = file.stat().st_size
        if size != kept.size:
            return f"has {size} bytes, not {kept.size}"
        sha256, md5 = digests(file)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if sha256 != kept.sha256:
        return "has changed since it was downloaded"
    if published and (published.sha256 not in ("", sha256) or published.md5 not in ("", md5)):
        return "is not what this version of Earnest knows under this name"
    return ""
