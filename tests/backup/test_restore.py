"""A backup takes the place of a house: all of it or nothing, and nothing is lost."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hub.backup.manifest import BackupError
from hub.backup.restore import recovered, restore
from hub.lock import UNFINISHED, DataInUse, HouseHalfRestored, locked, whole
from tests.backup.houses import Place, furnished, packed, place

KILLED = 77
KILLING = f"""
import os, sys
import hub.store.tables
from pathlib import Path
from hub.backup.restore import restore

def dying(call):
    def done(*arguments, **named):
        global left
        left -= 1
        if left < 0:
            os._exit({KILLED})
        return call(*arguments, **named)
    return done

for moment, folder in enumerate(sys.argv[2:]):
    child = os.fork()
    if not child:
        left = moment
        for name in ("rename", "mkdir", "unlink", "rmdir"):
            setattr(os, name, dying(getattr(os, name)))
        restore(open(sys.argv[1], "rb"), Path(folder, "config"), Path(folder, "data"))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
"""Restores in processes that die at their first, second, third… change of a folder, as by a power cut."""


@pytest.fixture
def new(tmp_path: Path) -> Place:
    made = furnished(tmp_path / "new", "new")
    (made.config / "only-new.yaml").write_text("new\n")
    return made


@pytest.fixture
def old(tmp_path: Path) -> Place:
    made = furnished(tmp_path / "old")
    (made.config / "only-old.yaml").write_text("old\n")
    return made


def test_a_house_moves_to_another_machine(new: Place, tmp_path: Path) -> None:
    here = place(tmp_path / "here")
    done = restore(io.BytesIO(packed(new)), here.config, here.data)
    assert here.contents() == new.contents()
    assert done.aside == ()
    assert {path.stat().st_mode & 0o777 for path in (here.config, here.config / "parts")} == {0o700}


def test_what_was_there_is_kept_aside_and_models_stay_where_they_are(new: Place, old: Place) -> None:
    before = old.contents()
    done = restore(io.BytesIO(packed(new)), old.config, old.data)
    assert old.contents() == new.contents()
    assert Place(*done.aside).contents() == before
    assert (old.data / "cache" / "models" / "piper" / "big" / "voice.onnx").is_file()
    again = restore(io.BytesIO(packed(old)), old.config, old.data)
    assert old.contents() == new.contents()
    assert set(again.aside) & set(done.aside) == set()


def test_the_two_folders_may_lie_on_two_disks(new: Place, tmp_path: Path) -> None:
    with TemporaryDirectory(dir="/dev/shm", prefix="e-") as memory:
        here = Place(Path(memory, "config"), tmp_path / "data")
        restore(io.BytesIO(packed(furnished(tmp_path / "before"))), here.config, here.data)
        restore(io.BytesIO(packed(new)), here.config, here.data)
        assert here.contents() == new.contents()


def test_a_running_hub_is_not_pulled_away_from_its_files(new: Place, old: Place) -> None:
    before = old.contents()
    with locked(old.data), pytest.raises(DataInUse, match=f"process {os.getpid()}"):
        restore(io.BytesIO(packed(new)), old.config, old.data)
    assert old.contents() == before


def test_an_administrators_restore_belongs_to_the_owner_of_the_folders(new: Place, tmp_path: Path) -> None:
    here, owner = place(tmp_path / "here"), os.geteuid() or 1000
    for folder in (here.config, here.data):
        folder.mkdir(parents=True)
        os.chown(folder, owner, -1)
    for _ in range(2):
        restore(io.BytesIO(packed(new)), here.config, here.data)
    made = [path for folder in (here.config, here.data) for path in folder.rglob("*")]
    assert [path for path in made if path.name.startswith(".before-restore-")]
    assert {path.stat().st_uid for path in made} == {owner}


def test_secrets_that_a_backup_has_not_stay_as_they_are(new: Place, old: Place) -> None:
    restore(io.BytesIO(packed(new, secrets=False)), old.config, old.data)
    assert (old.config / "secrets.yaml").read_text() == "mqtt: old\n"
    assert (old.config / "earnest.yaml").read_text() == "hub: {name: new}\n"


def test_folders_in_one_another_are_refused(new: Place, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="lie in one another"):
        restore(io.BytesIO(packed(new)), tmp_path / "x", tmp_path / "x" / "data")
    assert not (tmp_path / "x").exists()


def test_folders_in_one_another_by_a_link_are_refused(new: Place, tmp_path: Path) -> None:
    (tmp_path / "x" / "inner").mkdir(parents=True)
    (tmp_path / "data").symlink_to(tmp_path / "x" / "inner")
    with pytest.raises(BackupError, match="lie in one another"):
        restore(io.BytesIO(packed(new)), tmp_path / "x", tmp_path / "data")
    assert os.listdir(tmp_path / "x") == ["inner"]


@pytest.mark.parametrize("folder", ["models", "big/of/models", "../data/models"])
def test_models_stay_wherever_they_lie(new: Place, old: Place, folder: str) -> None:
    (old.config / "earnest.yaml").write_text(f"models: {{folder: {folder}}}\n")
    models = old.config / folder
    (models / "piper").mkdir(parents=True)
    (models / "piper" / "voice.onnx").write_text("a voice")
    (models.parent / "beside.txt").write_text("beside")
    before = {name for name in old.contents() if "piper" not in name}
    (done,) = [restore(io.BytesIO(packed(new)), old.config, old.data)]
    assert (models / "piper" / "voice.onnx").read_text() == "a voice"
    assert {name for name in old.contents() if "piper" not in name} == set(new.contents())
    assert set(Place(*done.aside).contents()) == before


def test_models_give_way_to_what_the_new_house_has_in_their_place(new: Place, old: Place) -> None:
    (old.config / "earnest.yaml").write_text("models: {folder: parts/models}\n")
    (old.config / "parts" / "models").mkdir()
    (new.config / "parts" / "models").write_text("a file")
    before = old.contents()
    done = restore(io.BytesIO(packed(new)), old.config, old.data)
    assert old.contents() == new.contents()
    assert Place(*done.aside).contents() == before


def test_a_full_disk_is_told_and_changes_nothing(
    new: Place, old: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    before = old.contents()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        BackupError, match=r"cannot be unpacked in .*: No space left on device; nothing was ch"
    ):
        restore(io.BytesIO(packed(new)), old.config, old.data)
    assert old.contents() == before


def broken_off(archive: bytes, folder: Path, moment: int) -> Place:
    """Return a house whose restore was killed at a moment of its exchange."""
    house = furnished(folder)
    (folder / "house.tar.gz").write_bytes(archive)
    script = KILLING.replace("enumerate(sys.argv[2:])", f"[({moment}, sys.argv[2])]")
    command = [sys.executable, "-c", script, str(folder / "house.tar.gz"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == f"{KILLED}\n"
    return house


def without_main(archive: bytes, folder: Path) -> Place:
    """Return a house whose restore was killed when its earnest.yaml was aside."""
    for moment in range(50):
        house = broken_off(archive, folder / str(moment), moment)
        if not (house.config / "earnest.yaml").exists():
            return house
    raise AssertionError("its earnest.yaml was never aside")


def test_what_was_written_since_a_restore_broke_off_is_kept(new: Place, tmp_path: Path) -> None:
    before = furnished(tmp_path / "before").contents()
    house = without_main(packed(new), tmp_path)
    (house.config / "earnest.yaml").write_text("made by hand")
    (since,) = recovered(house.config, house.data) or ()
    assert (since / "earnest.yaml").read_text() == "made by hand"
    assert house.contents() == before


def test_a_house_that_moved_since_is_put_back_where_it_is(new: Place, tmp_path: Path) -> None:
    before = furnished(tmp_path / "before").contents()
    house = without_main(packed(new), tmp_path / "a")
    moved = place(house.config.parent.rename(tmp_path / "moved"))
    with pytest.raises(BackupError, match=r"was not one into .*; name the house's folders with --config"):
        recovered(tmp_path, moved.data)
    assert recovered(moved.config, moved.data) == ()
    assert moved.contents() == before


def test_the_database_of_a_newer_earnest_is_refused(new: Place, old: Place) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(new.data / "earnest.db")) as database:
        database.execute("PRAGMA user_version=99")
    before = old.contents()
    with pytest.raises(BackupError, match="database was made by a newer Earnest"):
        restore(io.BytesIO(packed(new)), old.config, old.data)
    assert old.contents() == before


def test_a_failure_in_the_middle_puts_everything_back(
    new: Place, old: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, rename, left = old.contents(), os.rename, [9]

    def failing(source: Path, target: Path) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise OSError(5, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(OSError, match="Input/output"):
        restore(io.BytesIO(packed(new)), old.config, old.data)
    assert old.contents() == before
    assert not [name for place in (old.config, old.data) for name in os.listdir(place) if name[0] == "."]
    whole(old.data)


def test_a_power_cut_at_any_moment_leaves_the_old_house_or_the_new(new: Place, tmp_path: Path) -> None:
    archive = tmp_path / "house.tar.gz"
    archive.write_bytes(packed(new))
    places = [tmp_path / str(moment) for moment in range(50)]
    houses = [furnished(folder) for folder in places]
    before, after = houses[0].contents(), new.contents()
    command = [sys.executable, "-c", KILLING, str(archive), *map(str, places)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    codes = list(map(int, done.stdout.split()))
    assert codes == sorted(codes, reverse=True), done.stderr
    assert set(codes) == {KILLED, 0}
    found = []
    for house, code in zip(houses, codes, strict=True):
        is_half = (house.data / UNFINISHED).exists()
        with pytest.raises(HouseHalfRestored, match="`earnest restore`") if is_half else nullcontext():
            whole(house.data)
        assert recovered(house.config, house.data) == (() if is_half else None)
        assert house.contents() in ((after,) if code == 0 else (before, after))
        found.append((is_half, house.contents() == after))
    assert [is_new for _, is_new in found] == sorted(is_new for _, is_new in found)
    assert sum(is_half for is_half, _ in found) > 10
    restore(io.BytesIO(packed(new)), houses[5].config, houses[5].data)
    assert houses[5].contents() == after


def test_a_note_that_cannot_be_understood_is_not_guessed_at(old: Place) -> None:
    (old.data / UNFINISHED).write_text("[{}]")
    with pytest.raises(BackupError, match="by hand"):
        recovered(old.config, old.data)
