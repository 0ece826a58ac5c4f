"""What can be downloaded: a model's files at their publisher, each with its size and digest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_NAME = re.compile(r"\w[\w.+-]{0,99}")
_HEX = re.compile(r"[0-9a-f]*")
_LARGEST = 32 * 1024**3
"""Bytes; no file is larger, whatever a catalogue says."""


def is_safe(name: str) -> bool:
    """Return whether a name can be a file's or a folder's without leading anywhere else."""
    return bool(_NAME.fullmatch(name)) and ".." not in name


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFile:
    """One file of a model; raises `ValueError` for what cannot be one."""

    path: str
    """Its name in the model's folder."""
    url: str
    """Where its publisher has it; https."""
    size: int
    """Bytes."""
    sha256: str = ""
    """In hex; empty: not known in advance, the publisher's own answer counts."""
    md5: str = ""
    """In hex; empty: not known."""

    def __post_init__(self) -> None:
        if not is_safe(self.path):
            raise ValueError(f"'{self.path}' cannot be the name of a model's file")
        address = urlsplit(self.url)
        if address.scheme != "https" or not address.hostname or address.username:
            raise ValueError(f"'{self.url}' is no https address")
        if not 0 <= self.size <= _LARGEST:
            raise ValueError(f"{self.path} cannot have {self.size} bytes")
        for digest, length in ((self.sha256, 64), (self.md5, 32)):
            if digest and (len(digest) != length or not _HEX.fullmatch(digest)):
                raise ValueError(f"'{digest}' is no digest of {self.path}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloadable:
    """A model that an integration can use; raises `ValueError` for what cannot be one."""

    name: str
    """What the YAML calls it."""
    files: tuple[RemoteFile, ...]
    languages: tuple[str, ...] = ()
    """Codes such as `en` or `de_DE`; none: it knows many."""
    about: str = ""
    """A few words for a list."""

    def __post_init__(self) -> None:
        names = [file.path for file in self.files]
        if not is_safe(self.name) or not names or len(set(names)) != len(names):
            raise ValueError(f"'{self.name}' cannot be a model with the files {names}")

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(file.size for file in self.files)

    def speaks(self, language: str) -> bool:
        """Return whether it knows a language; `de` takes `de_DE` too, and a model of many takes any."""
        wanted = _folded(language)
        return not self.languages or any(
            wanted in (_folded(own), _folded(own).partition("-")[0]) for own in self.languages
        )


def _folded(language: str) -> str:
    return language.replace("_", "-").lower()
