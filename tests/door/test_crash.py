from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from hub.door.audit import actions

BUSY_HUB = Path(__file__).with_name("busy_hub.py")


def kill_after(actions_done: int, folder: Path) -> None:
    """Let a hub act so many times and then kill it wherever it is."""
    with subprocess.Popen([sys.executable, str(BUSY_HUB), str(folder)], stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert len(process.stdout.read(actions_done)) == actions_done
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL


def test_every_action_of_a_killed_hub_has_its_line_in_the_audit(tmp_path: Path) -> None:
    for actions_done in (1, 50, 333, 1000):
        kill_after(actions_done, tmp_path)
    ran = (tmp_path / "ran").read_text().split()
    found = {line["id"]: line for file in (tmp_path / "audit").iterdir() for line in actions(file)}
    assert len(ran) >= 1384
    assert set(ran) <= set(found)
    assert all(found[call_id]["tool"] == "test.do" for call_id in ran)
    assert all(line["ok"] in (True, None) for line in found.values())
