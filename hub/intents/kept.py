"""The prepared sentences of a language in the cache folder: making them takes longer than reading."""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import re
import stat
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from hub.intents import parts, wordlist
from hub.intents import sentences as prepared
from hub.intents.sentences import Sentences

_log = logging.getLogger(__name__)
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}")
_MADE_BY = (prepared, wordlist, parts)


def sentences(language: str, cache: Path | None) -> Sentences | None:
    """Return the sentences of the language, from the cache if it holds them as they would be made now.

    The file is a pickle: one that somebody else could have written is not read.
    """
    if cache is None or not _LANGUAGE.fullmatch(language):
        return Sentences.load(language)
    file = cache / f"sentences-{language}-{_stamp()}.pickle"
    found = _read(file)
    if found is None:
        found = Sentences.load(language)
        if found is not None:
            _keep(file, found, language)
    return found


def _stamp() -> str:
    """Return a name for everything the prepared sentences depend on."""
    made = [(Path(module.__file__ or "").stat().st_mtime_ns) for module in _MADE_BY]
    packages = [version(name) for name in ("hassil", "home-assistant-intents")]
    return hashlib.sha256(repr((sys.version, packages, made)).encode()).hexdigest()[:16]


def _read(file: Path) -> Sentences | None:
    try:
        with file.open("rb") as stream:
            about = os.fstat(stream.fileno())
            if about.st_uid != os.geteuid() or stat.S_IMODE(about.st_mode) & 0o022:
                _log.warning("%s could have been written by others and is not read", file)
                return None
            found = pickle.load(stream)
    except FileNotFoundError:
        return None
    except Exception as error:  # noqa: BLE001  whatever is wrong with the file, it is made anew
        _log.info("%s cannot be read and is made anew: %s", file, error)
        return None
    return found if isinstance(found, Sentences) else None


def _keep(file: Path, made: Sentences, language: str) -> None:
    """Write the file in one go, and remove those of other versions; a disk that is full costs no sentence."""
    try:
        for old in file.parent.glob(f"sentences-{language}-*.pickle"):
            old.unlink(missing_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, prefix=".sentences-", delete=False) as stream:
            pickle.dump(made, stream, pickle.HIGHEST_PROTOCOL)
        os.replace(stream.name, file)
    except OSError as error:
        _log.info("%s cannot be written: %s", file, error)
