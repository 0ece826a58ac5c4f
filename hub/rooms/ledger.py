"""The ledger: who listened when and why, never to what."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

from voluptuous import Range

from hub.clock import Clock
from hub.door.journal import DayFiles, Journal
from hub.stages.satellite import Indication


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerConfig:
    """Settings under `ledger:`; one file a day, `YYYY-MM-DD.jsonl`, by the house's time zone."""

    retention_days: Annotated[int, Range(min=0, max=36_500)] = 90
    """Days after which a file is removed; 0 keeps all."""
    within: Annotated[float, Range(min=0, max=10)] = 1.0
    """Seconds until a line is safe on the disk."""
    most_waiting: Annotated[int, Range(min=1)] = 10_000
    """Lines that may wait for the disk."""


class Ledger:
    """Keeps one line for each time that an indicator said something, written when it says something else."""

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal = journal
        self._clock = clock
        self._open: dict[str, tuple[Indication, str, datetime]] = {}

    def note(self, satellite: str, indication: Indication, reason: str) -> None:
        """Keep that the satellite's indicator now says this, and why."""
        now = self._clock.now()
        before = self._open.get(satellite)
        if before and before[:2] == (indication, reason):
            return
        if before:
            self._write(satellite, *before, now)
        self._open[satellite] = (indication, reason, now)

    def close(self) -> None:
        """End what is still said."""
        now = self._clock.now()
        for satellite, said in self._open.items():
            self._write(satellite, *said, now)
        self._open.clear()

    def _write(
        self, satellite: str, indication: Indication, reason: str, begun: datetime, ended: datetime
    ) -> None:
        line = {
            "satellite": satellite,
            "indicator": indication,
            "from": begun.isoformat(),
            "to": ended.isoformat(),
            "reason": reason,
        }
        self._journal.soon(ended.date(), json.dumps(line, ensure_ascii=False, separators=(",", ":")))


@asynccontextmanager
async def open_ledger(config: LedgerConfig, folder: Path, clock: Clock) -> AsyncIterator[Ledger]:
    """Keep the ledger open; its files lie in `folder`. A disk that fails costs lines, never a turn."""
    journal = Journal(
        DayFiles(folder, config.retention_days),
        within=config.within,
        patience=5.0,
        most=config.most_waiting,
        trouble="the ledger of the rooms cannot be written",
    )
    ledger = Ledger(journal, clock)
    try:
        yield ledger
    finally:
        ledger.close()
        await journal.close()
