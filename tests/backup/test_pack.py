"""What is taken of a house, and how whole it is while others write."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import sqlite3
import stat
import tarfile
import threading
from contextlib import closing
from pathlib import Path

import pytest

from hub.backup.manifest import STAYS, BackupError
from hub.backup.pack import House, pack, pack_to
from hub.backup.survey import surveyed
from hub.backup.unpack import examine, unpack
from hub.supervisor import RECORDS
from tests.backup.houses import Place, furnished, packed, place


def names(archive: bytes) -> set[str]:
    """Return what a backup says is in it."""
    return {entry.name for entry in examine(io.BytesIO(archive)).files}


def test_it_holds_the_house_and_nothing_of_the_machine(tmp_path: Path) -> None:
    assert names(packed(furnished(tmp_path))) == {
        "config/earnest.yaml",
        "config/secrets.yaml",
        "config/parts/lights.yaml",
        "data/audit/2026-11-30.jsonl",
        "data/local_todo/list.json",
        "data/earnest.db",
    }


def test_notes_about_running_children_are_of_the_machine() -> None:
    assert RECORDS in STAYS


def test_any_tar_reads_it(tmp_path: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(packed(furnished(tmp_path)))) as archive:
        assert archive.getnames()[0] == "earnest-backup.json"
        lights = archive.extractfile("config/parts/lights.yaml")
        assert lights is not None
        assert lights.read() == b"- old\n"


def test_secrets_stay_at_home_when_asked(tmp_path: Path) -> None:
    house = furnished(tmp_path)
    (house.config / "parts" / "secrets.yaml").write_text("more: too\n")
    assert not [name for name in names(packed(house, secrets=False)) if "secrets" in name]


def test_the_file_is_for_its_owner_only_and_is_never_written_over(tmp_path: Path) -> None:
    house, out = furnished(tmp_path), tmp_path / "house.tar.gz"
    wanted = House(config=house.config, data=house.data)
    pack_to(out, wanted)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    before = out.read_bytes()
    with pytest.raises(BackupError, match="is there already"):
        pack_to(out, wanted)
    assert out.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["config", "data", "house.tar.gz"]


def test_a_backup_inside_of_the_house_does_not_hold_itself(tmp_path: Path) -> None:
    house = furnished(tmp_path)
    out = house.config / "house.tar.gz"
    pack_to(out, House(config=house.config, data=house.data))
    assert not [name for name in names(out.read_bytes()) if "tar.gz" in name]


def test_no_backup_is_packed_into_the_next_one(tmp_path: Path) -> None:
    house = furnished(tmp_path)
    first = house.config / "first.tar.gz"
    first.write_bytes(packed(house))
    (house.data / "plain.tar").write_bytes(gzip.decompress(first.read_bytes()))
    (house.config / "other.gz").write_bytes(gzip.compress(b"mine"))
    (house.config / "cut.gz").write_bytes(gzip.compress(b"mine")[:-9])
    manifest = examine(io.BytesIO(packed(house, secrets=False)))
    assert {entry.name for entry in manifest.files if "gz" in entry.name or "tar" in entry.name} == {
        "config/cut.gz",
        "config/other.gz",
    }
    assert manifest.left_out == (f"{first} (a backup)", f"{house.data / 'plain.tar'} (a backup)")


def test_a_folder_inside_of_the_other_by_a_link_is_taken_once(tmp_path: Path) -> None:
    house = furnished(tmp_path)
    house.data.rename(house.config / "data")
    house.data.symlink_to(house.config / "data")
    taken = names(packed(house))
    assert "data/earnest.db" in taken
    assert not [name for name in taken if name.startswith("config/data/")]


def test_the_topmost_folder_of_a_disk_is_a_house_like_any_other(tmp_path: Path) -> None:
    house = furnished(tmp_path)
    for folder in (house.config, house.data):
        (folder / "lost+found").mkdir()
        (folder / "lost+found" / "#12").write_text("found")
    assert not [name for name in names(packed(house)) if "lost+found" in name]


def test_long_paths_survive_and_a_remark_costs_no_backup(tmp_path: Path) -> None:
    house, deep = furnished(tmp_path), "/".join("d" * 220 for _ in range(5))
    (house.config / deep).mkdir(parents=True)
    (house.config / deep / "file.yaml").write_text("deep")
    for folder in ("x" * 200, "link"):
        (house.config / deep / folder).symlink_to(tmp_path)
    manifest = examine(io.BytesIO(packed(house)))
    assert f"config/{deep}/file.yaml" in {entry.name for entry in manifest.files}
    assert all(str(tmp_path) in text for text in manifest.left_out)


def test_what_no_restore_would_take_is_not_packed(tmp_path: Path) -> None:
    house, out = furnished(tmp_path), tmp_path / "house.tar.gz"
    wanted = House(config=house.config, data=house.data)
    long = house.config / "/".join("l" * 250 for _ in range(3))
    long.mkdir(parents=True)
    for number in range(9500):
        (long / f"{number:0>250}").touch()
    with pytest.raises(BackupError, match="names too long, all together"):
        pack_to(out, wanted)
    shutil.rmtree(house.config / ("l" * 250))
    (house.config / "earnest.yaml").unlink()
    with pytest.raises(BackupError, match=r"there is no earnest\.yaml"):
        pack_to(out, wanted)
    assert not out.exists()


def test_a_full_disk_is_told_with_its_place(tmp_path: Path) -> None:
    house = furnished(tmp_path)
    with (
        open("/dev/full", "wb", buffering=0) as full,
        pytest.raises(BackupError, match="cannot be written on the standard output: No space left on device"),
    ):
        pack(House(config=house.config, data=house.data), full)


def test_a_failure_leaves_no_half_file(tmp_path: Path) -> None:
    house = furnished(tmp_path)
    (tmp_path / "out").mkdir()
    with pytest.raises(BackupError, match=r"nowhere cannot be read: No such file"):
        pack_to(tmp_path / "out" / "house.tar.gz", House(config=tmp_path / "nowhere", data=house.data))
    assert os.listdir(tmp_path / "out") == []


def test_a_house_in_a_house_is_taken_once(tmp_path: Path) -> None:
    house = furnished(tmp_path)
    inner = house.config / "data"
    house.data.rename(inner)
    assert "config/data/earnest.db" not in names(packed(Place(house.config, inner)))
    assert "data/earnest.db" in names(packed(Place(house.config, inner)))


def test_links_to_files_are_taken_as_files_and_other_links_are_named(tmp_path: Path) -> None:
    house = furnished(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "real.yaml").write_text("real\n")
    (house.config / "linked.yaml").symlink_to(tmp_path / "elsewhere" / "real.yaml")
    (house.config / "folder").symlink_to(tmp_path / "elsewhere")
    (house.config / "lost").symlink_to(tmp_path / "nowhere")
    os.mkfifo(house.config / "pipe")
    manifest = examine(io.BytesIO(packed(house)))
    assert "config/linked.yaml" in {entry.name for entry in manifest.files}
    assert [text.partition(" (")[0] for text in manifest.left_out] == [
        str(house.config / "folder"),
        str(house.config / "lost"),
    ]
    assert not {"config/pipe", "config/folder/real.yaml"} & {entry.name for entry in manifest.files}


def test_names_that_are_no_text_survive(tmp_path: Path) -> None:
    house, again = furnished(tmp_path / "a"), place(tmp_path / "b")
    odd = os.fsencode(house.config) + b"/caf\xe9 \n" + b"x" * 200
    with open(odd, "wb") as file:
        file.write(b"odd")
    for folder in (again.config, again.data):
        folder.mkdir(parents=True)
    unpack(io.BytesIO(packed(house)), {"config": again.config, "data": again.data})
    with open(os.fsencode(again.config) + b"/caf\xe9 \n" + b"x" * 200, "rb") as file:
        assert file.read() == b"odd"


def test_a_line_that_is_being_written_is_not_taken_by_half(tmp_path: Path) -> None:
    house = furnished(tmp_path)
    audit = house.data / "audit" / "2026-11-30.jsonl"
    whole = b'{"event":"open"}\n' * 50_000
    audit.write_bytes(whole + b'{"event":"cl')
    (house.config / "own.jsonl").write_bytes(whole + b"whole")
    with tarfile.open(fileobj=io.BytesIO(packed(house))) as archive:
        taken = archive.extractfile("data/audit/2026-11-30.jsonl")
        assert taken is not None
        assert taken.read() == whole
        own = archive.extractfile("config/own.jsonl")
        assert own is not None
        assert own.read() == whole + b"whole"


def test_a_database_is_whole_while_others_write(tmp_path: Path) -> None:
    """Each transaction puts one number into both tables; no copy may hold a half of one."""
    house = furnished(tmp_path)
    path, stop = house.data / "earnest.db", threading.Event()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE one (n)")
        database.execute("CREATE TABLE two (n)")

    def write() -> None:
        with closing(sqlite3.connect(path, timeout=30)) as writer:
            for number in range(1_000_000):
                if stop.is_set():
                    return
                with writer:
                    writer.execute("INSERT INTO one VALUES (?)", (number,))
                    writer.execute("INSERT INTO two VALUES (?)", (number,))

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for round_ in range(5):
            again = place(tmp_path / str(round_))
            again.config.mkdir(parents=True)
            again.data.mkdir()
            unpack(io.BytesIO(packed(house)), {"config": again.config, "data": again.data})
            assert not list(again.data.glob("earnest.db-*"))
            with closing(sqlite3.connect(again.data / "earnest.db")) as copy:
                assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                ones, twos = (copy.execute(f"SELECT count(*) FROM {t}").fetchone() for t in ("one", "two"))
                assert ones == twos
    finally:
        stop.set()
        thread.join()


def test_what_a_killed_hub_had_written_last_is_in_the_copy(tmp_path: Path) -> None:
    house = furnished(tmp_path)
    with closing(sqlite3.connect(house.data / "earnest.db")) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("INSERT INTO states VALUES ('light.late', 'on')")
        database.commit()
        killed = furnished(tmp_path / "killed")
        for name in ("earnest.db", "earnest.db-wal"):
            (killed.data / name).write_bytes((house.data / name).read_bytes())
    with tarfile.open(fileobj=io.BytesIO(packed(killed))) as archive:
        archive.extract("data/earnest.db", tmp_path, filter="data")
    with closing(sqlite3.connect(tmp_path / "data" / "earnest.db")) as copy:
        assert copy.execute("SELECT state FROM states WHERE entity_id='light.late'").fetchone() == ("on",)


def test_a_damaged_database_is_better_than_none(tmp_path: Path) -> None:
    house = furnished(tmp_path)
    damaged = b"SQLite format 3\0" + b"\xff" * 8000
    (house.data / "earnest.db").write_bytes(damaged)
    archive = packed(house)
    assert "copied as it lies there" in examine(io.BytesIO(archive)).left_out[0]
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        database = opened.extractfile("data/earnest.db")
        assert database is not None
        assert database.read() == damaged


def test_models_are_named_not_taken_and_an_audit_elsewhere_is_told(tmp_path: Path) -> None:
    house = furnished(tmp_path)
    yaml = "models: {folder: big}\naudit: {folder: /var/log/audit}\nthis: [is broken\n"
    (house.config / "big" / "piper" / "voice").mkdir(parents=True)
    (house.config / "big" / "piper" / "voice" / "model.onnx").write_text("big")
    (house.config / "earnest.yaml").write_text(yaml.replace("this: [is broken\n", ""))
    wanted = surveyed(house.config, house.data, secrets=True)
    out = io.BytesIO()
    manifest = pack(wanted, out)
    assert manifest.models == ("piper/voice",)
    assert "/var/log/audit (the audit" in manifest.left_out[0]
    assert not [entry for entry in manifest.files if entry.name.startswith("config/big")]
    (house.config / "earnest.yaml").write_text(yaml)
    assert surveyed(house.config, house.data, secrets=True).config == house.config
