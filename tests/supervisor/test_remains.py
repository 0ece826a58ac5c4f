"""What a killed hub leaves behind is ended by the next one, and nothing else is."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from hub.supervisor.remains import Remains, clear
from tests.processes import lives

FAMILY = "trap '' TERM; setsid sh -c \"trap '' TERM; sleep 3600\" & sleep 3600 & echo $! ; wait"


@contextmanager
def _running(command: list[str], remains: Remains) -> Iterator[psutil.Process]:
    """Hold a process that carries the mark; what is left of it at the end is killed."""
    environment = {"PATH": os.environ["PATH"], **remains.environment}
    with subprocess.Popen(command, env=environment, start_new_session=True, stdout=subprocess.PIPE) as popen:
        process = psutil.Process(popen.pid)
        try:
            yield process
        finally:
            remains.end()


def _noted(remains: Remains, pid: int, folder: Path, name: str = "whisper") -> None:
    remains.of(pid).keep(folder / f"{name}.json")


def test_a_child_that_will_not_end_and_all_it_started_is_ended(tmp_path: Path) -> None:
    remains = Remains.fresh()
    with _running(["sh", "-c", FAMILY], remains) as process:
        while len(family := [process, *process.children(recursive=True)]) < 4:
            pass
        _noted(remains, process.pid, tmp_path)
        clear(tmp_path)
        while any(map(lives, family)):
            pass
    assert not list(tmp_path.iterdir())


def test_children_whose_parent_is_gone_already_are_found_by_their_mark(tmp_path: Path) -> None:
    remains = Remains.fresh()
    with _running(["sh", "-c", "setsid sleep 3600 >/dev/null & echo $!"], remains) as process:
        process.wait()
        left = None
        while left is None:
            left = next((one for one in psutil.process_iter() if _carries(one, remains)), None)
        _noted(remains, process.pid, tmp_path)
        clear(tmp_path)
        while lives(left):
            pass


def _carries(process: psutil.Process, remains: Remains) -> bool:
    try:
        return remains.mark in process.environ().values() and process.name() == "sleep"
    except psutil.Error:
        return False


def test_one_that_has_hidden_its_mark_is_known_by_number_and_start(tmp_path: Path) -> None:
    remains = Remains.fresh()
    with _running(["env", "-u", "EARNEST_CHILD", "sleep", "3600"], remains) as process:
        while process.name() != "sleep":
            pass
        _noted(remains, process.pid, tmp_path)
        clear(tmp_path)
        while lives(process):
            pass


@pytest.mark.parametrize(
    "other",
    [
        lambda note: replace(note, started=note.started - 1),
        lambda note: replace(note, boot="another"),
        lambda note: replace(note, pid=1),
        lambda note: replace(note, pid=os.getpid()),
        lambda note: replace(note, started=None),
        lambda note: replace(note, pid=None, started=None, boot=None),
    ],
    ids=["a reused number", "another boot", "the first process", "ourselves", "no start", "no number"],
)
def test_a_process_that_only_looks_like_it_is_left_alone(tmp_path: Path, other: object) -> None:
    assert callable(other)
    with _running(["sleep", "3600"], Remains.fresh()) as process:
        other(Remains.fresh().of(process.pid)).keep(tmp_path / "whisper.json")
        clear(tmp_path)
        assert lives(process)


def test_another_hub_s_children_are_left_alone(tmp_path: Path) -> None:
    ours, theirs = Remains.fresh(), Remains.fresh()
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    with ExitStack() as stack:
        mine = stack.enter_context(_running(["sleep", "3600"], ours))
        other = stack.enter_context(_running(["sleep", "3600"], theirs))
        _noted(ours, mine.pid, tmp_path / "ours")
        _noted(theirs, other.pid, tmp_path / "theirs")
        clear(tmp_path / "ours")
        while lives(mine):
            pass
        assert lives(other)
        assert (tmp_path / "theirs" / "whisper.json").exists()


@pytest.mark.parametrize(
    "rubbish",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b"[" * 100_000,
        json.dumps({"mark": "", "pid": 1, "started": 1, "boot": ""}).encode(),
        json.dumps({"mark": "a" * 32, "pid": "1", "started": 1, "boot": ""}).encode(),
        json.dumps({"mark": "a" * 32, "pid": -1, "started": True, "boot": 7}).encode(),
        json.dumps({"mark": "a" * 31 + "=", "pid": 1, "started": 1, "boot": ""}).encode(),
    ],
)
def test_a_note_that_no_hub_has_written_ends_nothing_and_goes(tmp_path: Path, rubbish: bytes) -> None:
    (tmp_path / "whisper.json").write_bytes(rubbish)
    clear(tmp_path)
    assert not list(tmp_path.iterdir())


def test_there_need_not_be_a_folder(tmp_path: Path) -> None:
    clear(tmp_path / "none")


def test_a_disk_that_takes_no_note_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "children").write_text("in the way")
    Remains.fresh().keep(tmp_path / "children" / "whisper.json")
    assert "'whisper' could not be noted" in caplog.text


HUB = """
import asyncio, sys
from pathlib import Path
from hub.remote.worker import worker
from tests.remote.contexts import context
async def main():
    folder = Path(sys.argv[1])
    told = {"trouble": str(folder / "t"), "child": str(folder / "child"), "stubborn": True}
    async with worker(context(folder, []), sys.argv[2], told):
        print("ready", flush=True)
        await asyncio.sleep(3600)
asyncio.run(main())
"""


def test_a_hub_that_is_killed_leaves_nothing_for_longer_than_its_next_start(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", HUB, str(tmp_path), str(root / "tests" / "remote" / "parrot.py")]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as hub:
        assert hub.stdout
        hub.stdout.readline()
        (worker,) = psutil.Process(hub.pid).children()
        child = psutil.Process(int((tmp_path / "child").read_text()))
        hub.kill()
    while lives(worker):
        pass
    assert lives(child)
    assert (tmp_path / "children" / "parrot.json").exists()
    clear(tmp_path / "children")
    while lives(child):
        pass
