"""Lines that are safe on the disk: one file a day, one sync for all lines that wait."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import Path

from hub.errors import EarnestError

_log = logging.getLogger(__name__)
_SUFFIX = ".jsonl"


class JournalError(EarnestError):
    """A line could not be made durable: the disk is full, gone, too slow, or too many lines wait."""

    code = "audit-failed"


@dataclass(frozen=True, slots=True)
class Line:
    """One line for one day's file."""

    day: date
    text: str
    durable: asyncio.Future[None] | None = None
    """Resolved when the line is safe; None for lines that nobody waits for."""


class DayFiles:
    """Appends to `<folder>/YYYY-MM-DD.jsonl` and syncs; used by one thread, so nothing here is async.

    A line torn by a crash or a full disk stays alone: what follows begins on a fresh line.
    """

    def __init__(self, folder: Path, retention_days: int) -> None:
        self._folder = folder
        self._retention_days = retention_days
        self._day: date | None = None
        self._file = -1

    def write(self, lines: Sequence[Line]) -> None:
        """Append the lines, in order, and make them durable; raises `OSError` and takes them back."""
        while lines:
            day = lines[0].day
            count = next((n for n, line in enumerate(lines) if line.day != day), len(lines))
            self._append(day, _bytes(lines[:count]))
            lines = lines[count:]

    def close(self) -> None:
        """Close the file; writing opens it again."""
        if self._file >= 0:
            os.close(self._file)
        self._file, self._day = -1, None

    def _append(self, day: date, content: bytes) -> None:
        size = None
        try:
            file, size = self._open(day)
            left = memoryview(content)
            while left:
                left = left[os.write(file, left) :]
            os.fdatasync(file)
        except OSError:
            self._undo(size)
            raise

    def _undo(self, size: int | None) -> None:
        """Take back half of a batch and close the file, so that the next batch begins on a fresh line."""
        if size is not None:
            with suppress(OSError):
                os.ftruncate(self._file, size)
        self.close()

    def _open(self, day: date) -> tuple[int, int]:
        """Return the day's file, open for appending, and its size; it is made anew if somebody removed it."""
        if self._file >= 0 and day == self._day:
            known = os.fstat(self._file)
            if known.st_nlink:
                return self._file, known.st_size
        self.close()
        is_new_folder = not self._folder.is_dir()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{day.isoformat()}{_SUFFIX}"
        is_new = not path.exists()
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if is_new:
            _sync_folders([self._folder, self._folder.parent] if is_new_folder else [self._folder])
            self._forget_before(day - timedelta(days=self._retention_days))
        elif (size := os.fstat(self._file).st_size) and os.pread(self._file, 1, size - 1) != b"\n":
            os.write(self._file, b"\n")
        self._day = day
        return self._file, os.fstat(self._file).st_size

    def _forget_before(self, first: date) -> None:
        """Remove the files of days that are not to be kept; a retention of 0 days keeps all."""
        if not self._retention_days:
            return
        for path in self._folder.glob(f"????-??-??{_SUFFIX}"):
            if path.stem < first.isoformat():
                path.unlink(missing_ok=True)


def _bytes(lines: Sequence[Line]) -> bytes:
    """Return the lines as they stand in the file; half a surrogate becomes an escape of JSON."""
    return "".join(f"{line.text}\n" for line in lines).encode("utf-8", "backslashreplace")


def _sync_folders(folders: Iterable[Path]) -> None:
    """Make the names of new files durable, not only their content."""
    for folder in folders:
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(file)
        finally:
            os.close(file)


class Journal:
    """Takes lines on the event loop and writes them in a thread of its own, many at a time."""

    def __init__(
        self,
        files: DayFiles,
        *,
        within: float,
        patience: float,
        most: int,
        trouble: str = "the audit cannot be written, actions are refused",
    ) -> None:
        self._files = files
        self._within = within
        self._patience = patience
        self._most = most
        self._complaint = trouble
        self._lines: list[Line] = []
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="audit")
        self._writing: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False
        self._is_stuck = False
        self.trouble: str | None = None
        """Why nothing can be written at the moment; None when all is well."""

    async def durable(self, day: date, text: str) -> None:
        """Return when the line is safe on the disk; raises `JournalError` if it is not."""
        if len(self._lines) >= self._most:
            raise JournalError(f"{self._most} lines wait already")
        if self._is_stuck or self._is_closed:
            raise JournalError(self.trouble or "it is closed")
        safe = asyncio.get_running_loop().create_future()
        self._lines.append(Line(day, text, safe))
        self._write()
        await safe

    def soon(self, day: date, text: str) -> bool:
        """Let the line be safe within a second; returns False if too many wait and it is lost."""
        if self._is_closed or len(self._lines) >= self._most:
            return False
        self._lines.append(Line(day, text))
        self._later(self._within)
        return True

    async def close(self) -> None:
        """Write what still waits, for as long as patience lasts."""
        try:
            async with asyncio.timeout(self._patience):
                while self._lines or self._writing:
                    self._write()
                    if self._writing:
                        await asyncio.wait([self._writing])
                    if self.trouble:
                        break
        except TimeoutError:
            self.trouble = f"the disk did not answer within {self._patience:g} s"
        if self._lines:
            _log.error("%d audit lines could not be written: %s", len(self._lines), self.trouble)
        self._is_closed = True
        if self._timer:
            self._timer.cancel()
        self._thread.submit(self._files.close)
        self._thread.shutdown(wait=False)

    def _later(self, seconds: float) -> None:
        """See to it that what waits is written in time, if nothing is written before."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._in_time)

    def _in_time(self) -> None:
        self._timer = None
        self._write()

    def _write(self) -> None:
        """Hand all lines to the thread, unless it still writes the ones before them."""
        if self._writing or not self._lines:
            return
        lines, self._lines = self._lines, []
        loop = asyncio.get_running_loop()
        late = loop.call_later(self._patience, self._give_up, lines)
        self._writing = loop.run_in_executor(self._thread, self._files.write, lines)
        self._writing.add_done_callback(partial(self._written, lines, late))

    def _give_up(self, lines: list[Line]) -> None:
        """Let nobody wait any longer for a disk that does not answer; until it does, refuse at once."""
        self._is_stuck = True
        self._tell(f"the disk did not answer within {self._patience:g} s")
        for line in (*lines, *self._lines):
            _settle(line.durable, self.trouble)
        self._lines = [line for line in self._lines if not line.durable]

    def _written(self, lines: list[Line], late: asyncio.TimerHandle, writing: asyncio.Future[None]) -> None:
        late.cancel()
        self._writing = None
        self._is_stuck = False
        error = None if writing.cancelled() else writing.exception()
        self._tell(_why(error) if error else None)
        for line in lines:
            _settle(line.durable, self.trouble)
        if error:
            self._lines[:0] = [line for line in lines if not line.durable]
        if self._is_closed:
            return
        if any(line.durable for line in self._lines):
            self._write()
        elif self._lines:
            self._later(self._within)

    def _tell(self, trouble: str | None) -> None:
        """Keep the state of the disk, with one log line down and one up."""
        if trouble and not self.trouble:
            _log.error("%s: %s", self._complaint, trouble)
        elif self.trouble and not trouble:
            _log.warning("no longer so: %s", self._complaint)
        self.trouble = trouble


def _why(error: BaseException) -> str:
    """Return the reason in words for people, without the system's number."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _settle(durable: asyncio.Future[None] | None, trouble: str | None) -> None:
    if durable is None or durable.done():
        return
    if trouble:
        durable.set_exception(JournalError(trouble))
    else:
        durable.set_result(None)
