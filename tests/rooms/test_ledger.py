"""Who listened when and why, on the disk."""

import json
from datetime import timedelta
from pathlib import Path

from hub.clock import Clock
from hub.rooms.ledger import LedgerConfig, open_ledger


def kept(folder: Path) -> list[Path]:
    """Return the ledger's files."""
    return list(folder.glob("*.jsonl"))


async def test_each_time_is_a_line_with_its_begin_its_end_and_its_reason(tmp_path: Path) -> None:
    clock = Clock()
    async with open_ledger(LedgerConfig(), tmp_path, clock) as ledger:
        ledger.note("kitchen", "standby", "connected")
        ledger.note("hall", "muted", "its own switch")
        ledger.note("kitchen", "listening", "wake_word")
        ledger.note("kitchen", "standby", "acted")
    (file,) = kept(tmp_path)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [(line["satellite"], line["indicator"], line["reason"]) for line in lines] == [
        ("kitchen", "standby", "connected"),
        ("kitchen", "listening", "wake_word"),
        ("kitchen", "standby", "acted"),
        ("hall", "muted", "its own switch"),
    ]
    assert lines[0]["to"] == lines[1]["from"] <= lines[1]["to"] == lines[2]["from"]
    assert file.stat().st_mode & 0o077 == 0


async def test_days_that_are_not_to_be_kept_are_removed(tmp_path: Path) -> None:
    today = Clock().now().date()
    for days in (1, 5, 40):
        (tmp_path / f"{today - timedelta(days=days)}.jsonl").write_text("{}\n", encoding="utf-8")
    async with open_ledger(LedgerConfig(retention_days=7), tmp_path, Clock()) as ledger:
        ledger.note("kitchen", "standby", "connected")
    assert len(kept(tmp_path)) == 3


async def test_a_disk_that_fails_costs_lines_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "ledger").write_text("no folder", encoding="utf-8")
    async with open_ledger(LedgerConfig(), tmp_path / "ledger", Clock()) as ledger:
        ledger.note("kitchen", "standby", "connected")
        ledger.note("kitchen", "listening", "wake_word")
