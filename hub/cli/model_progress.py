"""How a download is shown: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from hub.models.install import Progress, megabytes
from hub.models.published import Downloadable

_WIDTH = 24
"""Characters of the bar."""
_EVERY = 0.2
"""Seconds between two bars."""
_STEP = 10
"""Percent between two lines."""


class Meter:
    """Shows one model's download on standard error; `plain` leaves the bar out on a terminal too."""

    def __init__(self, model: Downloadable, *, plain: bool = False) -> None:
        self._model = model
        self._is_bar = sys.stderr.isatty() and not plain
        self._began = time.monotonic()
        self._drawn = 0.0
        self._step = -1
        self._first: int | None = None
        """Bytes that were here before."""

    def __enter__(self) -> Meter:
        self._write(f"{self._model.name}: {megabytes(self._model.size)}\n")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_bar:
            self._write("\n")
        if kind is KeyboardInterrupt:
            self._write(f"stopped; `earnest models get {self._model.name}` goes on from here\n")

    def watch(self, progress: Progress) -> None:
        """Show where it is."""
        if progress.waits_for:
            self._write(f"process {progress.waits_for} is downloading it; waiting\n")
            return
        if self._first is None:
            self._first = progress.done
        if self._is_bar:
            self._bar(progress)
        elif progress.percent // _STEP > self._step:
            self._step = progress.percent // _STEP
            self._write(f"{progress.model}: {progress.percent} % ({progress.file})\n")

    def _bar(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._drawn < _EVERY and progress.done < progress.size:
            return
        self._drawn = now
        full = _WIDTH * progress.percent // 100
        rate = max(progress.done - (self._first or 0), 0) / max(now - self._began, 0.001)
        left = f"{(progress.size - progress.done) / rate:.0f} s" if rate else "…"
        drawn = f"[{'#' * full}{' ' * (_WIDTH - full)}]"
        text = f"{drawn} {progress.percent:3} %  {megabytes(progress.done)}  {megabytes(int(rate))}/s  {left}"
        self._write(f"\r\x1b[K{text}")

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
