"""What a hub that was killed could not end: noted while it runs, ended by the next hub.

A child carries a mark in its environment, which everything it starts inherits; the mark and the child's
process id lie in a file. Nothing is ended that does not carry the mark or is not that very process: another
hub's children have other marks, and a process that only got the same number began at another time.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

_log = logging.getLogger(__name__)

RECORDS = "children"
"""The folder of the notes, in the data folder."""
_MARK = "EARNEST_CHILD"
_PROC = Path("/proc")
_ROUNDS = 10
"""How often it is looked for what has been started meanwhile."""
_STARTED = 19
"""Place of a process's start time after its name in `/proc/<pid>/stat` (`proc(5)`, field 22)."""


@dataclass(frozen=True, slots=True)
class Remains:
    """One child, as it is noted."""

    mark: str
    pid: int | None = None
    started: int | None = None
    """Clock ticks since the boot."""
    boot: str | None = None
    """Which boot of the machine that was."""

    @classmethod
    def fresh(cls) -> Self:
        """Return the note of a child that is about to be started."""
        return cls(secrets.token_hex(16))

    def of(self, pid: int) -> Remains:
        """Return the note of the child that was started."""
        return Remains(self.mark, pid, _started(pid), _boot())

    @property
    def environment(self) -> dict[str, str]:
        """What the child is given beside its own environment."""
        return {_MARK: self.mark}

    def keep(self, file: Path) -> None:
        """Write it where `clear` finds it; a disk that takes nothing is told and does no harm."""
        fresh = file.with_suffix(".new")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(json.dumps(asdict(self)), encoding="ascii")
            fresh.replace(file)
        except OSError as error:
            _log.warning("the process of '%s' could not be noted: %s", file.stem, error.strerror)

    def end(self) -> int:
        """Kill what is left of it and return how many processes that were."""
        ended: set[int] = set()
        for _ in range(_ROUNDS):
            found = [pid for pid in _ours() if self._is(pid) and _kill(pid, self)]
            if not set(found) - ended:
                break
            ended.update(found)
        return len(ended)

    def _is(self, pid: int) -> bool:
        """Whether this is the child, or something it has started."""
        if pid == os.getpid():
            return False
        with suppress(OSError):
            variables = (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
            if f"{_MARK}={self.mark}".encode() in variables:
                return True
        is_same = self.started is not None and self.started == _started(pid)
        return pid == self.pid and is_same and self.boot == _boot()


def clear(folder: Path) -> None:
    """End what earlier hubs of this folder could not end. Nobody else may use the folder meanwhile."""
    for file in sorted(folder.glob("*.json")):
        with suppress(OSError):
            remains = _read(file)
            if remains and (ended := remains.end()):
                _log.warning("'%s' of an earlier run was still there: ended %d processes", file.stem, ended)
            file.unlink()


def _read(file: Path) -> Remains | None:
    """Return what is noted in a file, or None for what this hub cannot have written."""
    try:
        raw = json.loads(file.read_bytes())
        mark, pid, started, boot = (raw[key] for key in ("mark", "pid", "started", "boot"))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    is_whole = isinstance(mark, str) and len(mark) == len(Remains.fresh().mark) and mark.isalnum()
    numbers = all(value is None or type(value) is int for value in (pid, started))
    return Remains(mark, pid, started, boot) if is_whole and numbers else None


def _ours() -> Iterator[int]:
    """Yield the processes of this user, our own among them."""
    with suppress(OSError):
        for entry in os.scandir(_PROC):
            with suppress(OSError):
                if entry.name.isdecimal() and entry.stat().st_uid == os.geteuid():
                    yield int(entry.name)


def _kill(pid: int, remains: Remains) -> bool:
    """Kill a process unless its number has gone to another one meanwhile."""
    with suppress(OSError):
        handle = os.pidfd_open(pid)
        try:
            if remains._is(pid):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                return True
        finally:
            os.close(handle)
    return False


def _started(pid: int) -> int | None:
    with suppress(OSError, ValueError, IndexError):
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        return int(stat.rpartition(")")[2].split()[_STARTED])
    return None


def _boot() -> str | None:
    with suppress(OSError):
        return (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return None
