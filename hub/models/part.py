"""A file that is still being downloaded: its bytes so far, their digests, and what is known of its source."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

from hub.models.answer import Told
from hub.models.manifest import settle
from hub.models.published import RemoteFile
from hub.models.shelf import NOTE, PART

BLOCK = 1 << 20
"""Bytes that are written, or read anew, in one go; a thread does it."""
_GIT_LARGEST = 64 << 20
"""Bytes; a larger file has its digest in `X-Linked-Etag`."""


class Part:
    """The `.part` of one file, with a note beside it; both survive whatever ends the process.

    Its methods block: threads call them, one at a time.
    """

    def __init__(self, folder: Path, file: RemoteFile) -> None:
        self._file = file
        self._place = folder / file.path
        self._path = folder / (file.path + PART)
        self._note = folder / (file.path + NOTE)
        self._open: BinaryIO | None = None
        self.length = 0
        """Bytes so far."""
        self.validator = ""
        """What tells whether the source is still the same: a strong `ETag`."""
        self.told = Told()
        self._forget()

    def open(self) -> None:
        """Open it, made or with what an earlier process brought."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._open = os.fdopen(descriptor, "r+b")
        self._believe()

    def close(self) -> None:
        """Close it; the bytes stay."""
        if self._open:
            with suppress(OSError):  # a full disk, which was told already
                self._open.close()
            self._open = None

    def look(self) -> bool:
        """Take the next block that is there into the digests; False when there is no more."""
        block = self._file_open.read(min(BLOCK, self._file.size - self.length))
        self._count(block)
        if not block:
            self._file_open.truncate(self.length)
        return bool(block)

    def write(self, block: bytes) -> None:
        """Add bytes at the end."""
        self._file_open.write(block)
        self._count(block)

    def anew(self, validator: str = "", told: Told | None = None) -> None:
        """Throw away what is there; from now on it comes from a source that is known by these."""
        self._forget()
        self._file_open.seek(0)
        self._file_open.truncate()
        self.validator, self.told = validator, told or Told()
        note = {"url": self._file.url, "validator": validator, "told": asdict(self.told)}
        self._note.write_text(json.dumps(note), encoding="utf-8")

    def differs(self) -> tuple[str, str] | None:
        """Return what the digest should be and is, where they differ; all bytes are there."""
        file, told = self._file, self.told
        pairs = (
            (file.sha256, self.sha256),
            (file.md5, self._md5.hexdigest()),
            (told.sha256, self.sha256),
            (told.git_sha1, self._git.hexdigest() if self._git else told.git_sha1),
        )
        return next(((should, is_) for should, is_ in pairs if should and should != is_), None)

    @property
    def sha256(self) -> str:
        """The digest of the bytes so far."""
        return self._sha256.hexdigest()

    def settle(self) -> None:
        """Give the finished file its name, durably."""
        self._file_open.flush()
        os.fsync(self._file_open.fileno())
        settle(self._path, self._place)
        self._note.unlink(missing_ok=True)

    def drop(self) -> None:
        """Remove it: what came is of no use."""
        self._path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)

    @property
    def _file_open(self) -> BinaryIO:
        assert self._open, "a part is used while it is open"
        return self._open

    def _believe(self) -> None:
        """Keep what an earlier process brought if its note says that it is of the same source."""
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
            if note["url"] == self._file.url:
                self.validator, self.told = str(note["validator"]), Told(**note["told"])
                return
        except (OSError, ValueError, TypeError, KeyError):
            pass
        self.anew()

    def _forget(self) -> None:
        self.length = 0
        self._sha256 = hashlib.sha256()
        self._md5 = hashlib.md5(usedforsecurity=False)
        small = self._file.size <= _GIT_LARGEST
        header = f"blob {self._file.size}\0".encode()
        self._git = hashlib.sha1(header, usedforsecurity=False) if small else None

    def _count(self, block: bytes) -> None:
        self.length += len(block)
        self._sha256.update(block)
        if self._file.md5:
            self._md5.update(block)
        if self._git:
            self._git.update(block)
