"""A place for notes that takes none."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub.supervisor import Child, ChildLimits, Supervisor, safe_environment


async def _yes() -> bool:
    return True


async def test_a_child_whose_note_can_be_neither_written_nor_removed_is_started_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "engine.json" / "full").mkdir(parents=True)
    child = Child(
        name="engine",
        command=("sleep", "3600"),
        is_ready=_yes,
        is_alive=_yes,
        environment=safe_environment(),
        record=tmp_path / "engine.json",
    )
    async with Supervisor(child, ChildLimits(), lambda *_: None) as supervisor:
        await supervisor.ready()
        supervisor.kill("it was frozen")
        await supervisor.ready(more_than=1)
        assert supervisor.starts == 2
    assert "the process of 'engine' could not be noted" in caplog.text
