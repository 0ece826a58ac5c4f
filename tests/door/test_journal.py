from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.door.journal import DayFiles, Journal, JournalError, Line

DAY = date(2027, 3, 28)
NEXT = date(2027, 3, 29)


def journal(files: DayFiles, *, within: float = 0.5, patience: float = 5.0, most: int = 100) -> Journal:
    """Return a journal with the usual limits."""
    return Journal(files, within=within, patience=patience, most=most)


def lines(folder: Path, day: date = DAY) -> list[str]:
    """Return the lines of a day's file."""
    return (folder / f"{day}.jsonl").read_text().splitlines()


class Counted(DayFiles):
    """Real files that remember how many lines each sync made safe, and can be held."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, 0)
        self.batches: list[int] = []

    def write(self, lines: Sequence[Line]) -> None:
        """Write, and count."""
        self.batches.append(len(lines))
        super().write(lines)


async def test_a_durable_line_is_in_the_file_when_it_returns(tmp_path: Path) -> None:
    book = journal(DayFiles(tmp_path / "audit", 0))
    await book.durable(DAY, "one")
    assert lines(tmp_path / "audit") == ["one"]
    await book.close()


async def test_lines_that_wait_share_a_sync_and_keep_their_order(tmp_path: Path) -> None:
    files = Counted(tmp_path)
    book = journal(files)
    await asyncio.gather(*(book.durable(DAY, str(number)) for number in range(50)))
    assert lines(tmp_path) == [str(number) for number in range(50)]
    assert files.batches == [1, 49]
    await book.close()


@pytest.mark.virtual_time
async def test_a_line_nobody_waits_for_is_safe_within_its_time(tmp_path: Path) -> None:
    book = journal(DayFiles(tmp_path, 0), within=0.5)
    assert book.soon(DAY, "end")
    await asyncio.sleep(0.4)
    assert not (tmp_path / f"{DAY}.jsonl").exists()
    await asyncio.sleep(0.2)
    await book.close()
    assert lines(tmp_path) == ["end"]


async def test_closing_writes_what_is_left_and_then_takes_no_more(tmp_path: Path) -> None:
    book = journal(DayFiles(tmp_path, 0))
    book.soon(DAY, "a")
    book.soon(NEXT, "b")
    await book.close()
    assert (lines(tmp_path), lines(tmp_path, NEXT)) == (["a"], ["b"])
    assert not book.soon(DAY, "c")
    with pytest.raises(JournalError):
        await book.durable(DAY, "d")


async def test_a_full_disk_refuses_and_all_goes_on_when_there_is_room_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / f"{DAY}.jsonl"
    file.symlink_to("/dev/full")
    book = journal(DayFiles(tmp_path, 0), within=0.001)
    book.soon(DAY, "the end of something")
    for _ in range(3):
        with pytest.raises(JournalError, match="No space left on device"):
            await book.durable(DAY, "never")
    troubles = [book.trouble]
    file.unlink()
    await book.durable(DAY, "now")
    troubles.append(book.trouble)
    assert troubles == ["No space left on device", None]
    assert lines(tmp_path) == ["the end of something", "now"]
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]
    await book.close()


async def test_a_folder_that_cannot_be_made_refuses(tmp_path: Path) -> None:
    (tmp_path / "audit").write_text("a file")
    book = journal(DayFiles(tmp_path / "audit", 0))
    with pytest.raises(JournalError):
        await book.durable(DAY, "never")
    await book.close()


async def test_too_many_waiting_lines_are_refused(tmp_path: Path) -> None:
    book = journal(DayFiles(tmp_path, 0), most=2)
    assert book.soon(DAY, "a")
    assert book.soon(DAY, "b")
    assert not book.soon(DAY, "c")
    with pytest.raises(JournalError, match="2 lines wait already"):
        await book.durable(DAY, "d")
    await book.close()
    assert lines(tmp_path) == ["a", "b"]


async def test_a_disk_that_does_not_answer_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"{DAY}.jsonl")

    class Stuck(DayFiles):
        """A file whose writing lasts until somebody reads the other end."""

        def write(self, lines: Sequence[Line]) -> None:
            (tmp_path / f"{DAY}.jsonl").read_text()

    book = journal(Stuck(tmp_path, 0), patience=0.01)
    ends = await asyncio.gather(
        book.durable(DAY, "never"), book.durable(DAY, "nor this"), return_exceptions=True
    )
    with pytest.raises(JournalError, match="did not answer"):
        book.durable(DAY, "refused without any wait").send(None)
    assert [str(end) for end in ends] == ["the disk did not answer within 0.01 s"] * 2
    await book.close()
    assert book.trouble
    (tmp_path / f"{DAY}.jsonl").write_text("")


def test_a_removed_file_is_made_anew(tmp_path: Path) -> None:
    files = DayFiles(tmp_path, 0)
    files.write([Line(DAY, "a")])
    (tmp_path / f"{DAY}.jsonl").unlink()
    files.write([Line(DAY, "b")])
    assert lines(tmp_path) == ["b"]
    files.close()


def test_only_days_within_the_retention_are_kept(tmp_path: Path) -> None:
    for name in ("2027-03-20.jsonl", "2027-03-21.jsonl", "2027-03-27.jsonl", "notes.txt", "2027-03-01.txt"):
        (tmp_path / name).write_text("x\n")
    files = DayFiles(tmp_path, 7)
    files.write([Line(DAY, "a")])
    files.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "2027-03-01.txt",
        "2027-03-21.jsonl",
        "2027-03-27.jsonl",
        "2027-03-28.jsonl",
        "notes.txt",
    ]


def test_files_are_for_their_owner_only(tmp_path: Path) -> None:
    files = DayFiles(tmp_path / "audit", 0)
    files.write([Line(DAY, "a")])
    files.close()
    assert (tmp_path / "audit").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "audit" / f"{DAY}.jsonl").stat().st_mode & 0o777 == 0o600


words = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1, max_size=20)


@settings(max_examples=100, deadline=None)
@given(st.lists(words, max_size=5), st.lists(words, min_size=1, max_size=3), st.data())
def test_after_a_crash_at_any_byte_new_lines_begin_on_a_fresh_line(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], after: list[str], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("audit")
    whole = "".join(f"{line}\n" for line in before).encode()
    crash = data.draw(st.integers(0, len(whole)))
    (folder / f"{DAY}.jsonl").write_bytes(whole[:crash])
    files = DayFiles(folder, 0)
    files.write([Line(DAY, line) for line in after])
    files.close()
    found = (folder / f"{DAY}.jsonl").read_bytes().split(b"\n")
    kept = whole[:crash].count(b"\n")
    assert found[:kept] == [line.encode() for line in before[:kept]]
    assert found[-len(after) - 1 :] == [*(line.encode() for line in after), b""]
