"""The audit: a line before an action and one after it; a crash in between shows an open action."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from voluptuous import Range

from hub.clock import Clock
from hub.door.journal import DayFiles, Journal, JournalError
from hub.door.wish import Wish
from hub.values.tool import Caller, Effect

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_ENDS = ("event", "ok", "result", "failed", "latency_ms", "code", "reason")
"""What the line about an action's end adds to its first line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditConfig:
    """Settings under `audit:`; one file a day, `YYYY-MM-DD.jsonl`, by the house's time zone."""

    folder: str | None = None
    """Where the files go; `audit` in the data folder if nothing is said."""
    retention_days: Annotated[int, Range(min=0, max=36_500)] = 365
    """Days after which a file is removed; 0 keeps all."""
    text: bool = False
    """Whether the words that led to an action are kept."""
    reads: bool = False
    """Whether calls that only read are kept, too."""
    close_within: Annotated[float, Range(min=0, max=1)] = 0.5
    """Seconds until the line about an action's end is safe on the disk."""
    write_timeout: Annotated[float, Range(min=0.01)] = 5.0
    """Seconds the disk may take; longer, and an action is refused rather than done unaudited."""
    most_waiting: Annotated[int, Range(min=1)] = 1000
    """Lines that may wait for the disk."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An action whose first line is written; its end goes to the same day's file."""

    day: date
    wish: Wish


class Audit:
    """Writes what is done. Nothing with an effect runs before `open` returned."""

    def __init__(self, config: AuditConfig, journal: Journal, clock: Clock) -> None:
        self._config = config
        self._journal = journal
        self._clock = clock

    @property
    def trouble(self) -> str | None:
        """Why the audit cannot be written at the moment; None when all is well."""
        return self._journal.trouble

    async def open(self, wish: Wish) -> Opened | None:
        """Return when the action's first line is durable; None for a read that is not kept.

        Raises `JournalError`: the action must not run.
        """
        if wish.effect is Effect.READ and not self._config.reads:
            return None
        now = self._clock.now()
        line = _json({"event": "open", "ts": now.isoformat(), **self._said(wish)})
        if wish.effect is Effect.READ:
            self._journal.soon(now.date(), line)
            return Opened(now.date(), wish)
        try:
            await self._journal.durable(now.date(), line)
        except JournalError as failed:
            self.refuse(wish, failed.code, str(failed))
            raise
        return Opened(now.date(), wish)

    def close(
        self,
        opened: Opened,
        *,
        ok: bool,
        result: Mapping[str, Any] | None = None,
        failed: Mapping[str, str] | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Say how the action ended; the line is safe within a second."""
        mask = opened.wish.mask
        line = {
            "event": "close",
            "ts": self._clock.now().isoformat(),
            "id": opened.wish.call.id,
            "ok": ok,
            "result": mask.value(result),
            "failed": mask.value(failed or {}),
            "latency_ms": round(seconds * 1000, 3),
        }
        self._journal.soon(opened.day, _json(line))

    def refuse(self, wish: Wish, code: str, reason: str) -> None:
        """Say that something with an effect was wished for and did not run."""
        if wish.effect is Effect.READ:
            return
        now = self._clock.now()
        end = {"ok": False, "code": code, "reason": wish.mask.text(reason)}
        self._journal.soon(
            now.date(), _json({"event": "refused", "ts": now.isoformat(), **self._said(wish), **end})
        )

    def _said(self, wish: Wish) -> dict[str, Any]:
        call = wish.call
        return {
            "id": call.id,
            "caller": str(wish.caller),
            "satellite": _satellite(wish.caller),
            "mode": None,
            "text": wish.mask.value(call.text) if self._config.text else None,
            "edited": None,
            "tool": call.tool,
            "args": wish.shown,
            "targets": list(wish.targets),
            "effect": wish.effect.label,
            "requires_confirmation": False,
            "confirmed": None,
            "by": None,
            "ok": None,
            "result": None,
            "latency_ms": None,
            "turn": call.turn,
        }


@asynccontextmanager
async def open_audit(config: AuditConfig, data: Path, clock: Clock) -> AsyncIterator[Audit]:
    """Keep the audit open; its files lie under `data` unless the configuration says otherwise."""
    folder = data / (config.folder or "audit")
    files = DayFiles(folder, config.retention_days)
    journal = Journal(
        files, within=config.close_within, patience=config.write_timeout, most=config.most_waiting
    )
    try:
        yield Audit(config, journal, clock)
    finally:
        await journal.close()


def actions(file: Path) -> list[dict[str, Any]]:
    """Return the actions of one day's file, in order, each joined with its end; one still open has `ok` None.

    A line torn by a crash is left out.
    """
    every: list[dict[str, Any]] = []
    latest: dict[str, dict[str, Any]] = {}
    for text in file.read_text(encoding="utf-8", errors="replace").split("\n"):
        line = _line(text)
        if line is None:
            continue
        begun = latest.get(line["id"])
        if begun is None or line["event"] == "open":
            latest[line["id"]] = line
            every.append(line)
        else:
            begun.update({key: line[key] for key in _ENDS if key in line})
    return every


def _line(text: str) -> dict[str, Any] | None:
    try:
        line = json.loads(text)
    except ValueError:
        return None
    is_whole = isinstance(line, dict) and isinstance(line.get("id"), str) and "event" in line
    return line if is_whole else None


def _json(line: Mapping[str, Any]) -> str:
    return _ENCODER.encode(line)


def _satellite(caller: Caller) -> str | None:
    for link in caller.links:
        kind, _, name = link.partition(":")
        if kind == "voice" and name:
            return name
    return None
