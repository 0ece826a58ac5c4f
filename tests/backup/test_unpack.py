"""Backups that were cut short, damaged, or made by somebody who means harm."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.backup.manifest import NAME, BackupError, Entry
from hub.backup.restore import restore
from hub.backup.unpack import examine, taken
from tests.backup.houses import furnished, packed, place

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return packed(furnished(tmp_path_factory.mktemp("house")))


def manifest(**changed: Any) -> dict[str, Any]:
    """Return a sound manifest of nothing, with changes."""
    sound = {"earnest": "backup", "format": 1, "version": "0.1.0", "created": "2026-12-01T10:00:00+01:00"}
    return {**sound, "secrets": True, "files": [], "models": [], "left_out": [], **changed}


def entry(name: str, **changed: Any) -> dict[str, Any]:
    """Return what a manifest says of an empty file."""
    return {"name": name, "size": 0, "sha256": EMPTY, "mode": 0o644, **changed}


def made(said: object, *members: tarfile.TarInfo | tuple[str, bytes], compress: bool = True) -> bytes:
    """Return an archive with this manifest and these members."""
    raw = io.BytesIO()
    text = said if isinstance(said, bytes) else json.dumps(said).encode()
    with tarfile.open(fileobj=raw, mode="w") as out:
        for member in ((NAME, text), *members):
            header = tarfile.TarInfo(member[0]) if isinstance(member, tuple) else member
            content = member[1] if isinstance(member, tuple) else b""
            if isinstance(member, tuple):
                header.size = len(content)
            out.addfile(header, io.BytesIO(content))
    return gzip.compress(raw.getvalue()) if compress else raw.getvalue()


def odd(name: str, **fields: Any) -> tarfile.TarInfo:
    """Return a header that is no plain file."""
    header = tarfile.TarInfo(name)
    for field, value in fields.items():
        setattr(header, field, value)
    return header


def refused(archive: bytes, folder: Path) -> str:
    """Return why a backup is refused, by looking and by restoring; the house stays as it is."""
    house = furnished(folder)
    before = house.contents()
    with pytest.raises(BackupError) as looked:
        examine(io.BytesIO(archive))
    with pytest.raises(BackupError) as tried:
        restore(io.BytesIO(archive), house.config, house.data)
    assert str(looked.value) == str(tried.value)
    assert house.contents() == before
    assert not [name for place in (house.config, house.data) for name in os.listdir(place) if name[0] == "."]
    assert sorted(os.listdir(folder)) == ["config", "data"]
    return str(tried.value)


BAD_NAMES = (
    "config/../../evil",
    "../evil",
    "/etc/passwd",
    "config//etc/passwd",
    "config/./x",
    "config",
    "config/",
    "other/x",
    "data/earnest.lock",
    "data/cache/models/x",
    "data/restore.unfinished",
    "config/.before-restore-1/x",
    "config/.restore-1/x",
    "config/a\0b",
    "config/\ud800",
    "config/" + "x" * 256,
    "config/" + "x/" * 2100 + "x",
)


@pytest.mark.parametrize("name", BAD_NAMES, ids=range(len(BAD_NAMES)))
def test_a_name_that_leads_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    said = refused(made(manifest(files=[entry(name)])), tmp_path)
    assert said.startswith("this cannot be restored: its manifest is not sound")
    assert not (tmp_path.parent / "evil").exists()


BAD_MANIFESTS: tuple[tuple[object, str], ...] = (
    (b"not json", "cannot be read"),
    (b"[" * 100_000, "cannot be read"),
    (b"{}", "not one of Earnest"),
    (b"[]", "not one of Earnest"),
    (manifest(format=2, version="9.9"), "newer Earnest (9.9); install that one"),
    (manifest(format=0), "no format that any Earnest writes"),
    (manifest(format=True), "newer Earnest"),
    (manifest(format="1"), "newer Earnest"),
    (manifest(files={}), "not sound"),
    (manifest(files=["config/x"]), "not sound"),
    (manifest(files=[entry("config/x", size=-1)]), "not sound"),
    (manifest(files=[entry("config/x", size=2**70)]), "not sound"),
    (manifest(files=[entry("config/x", size=0.5)]), "not sound"),
    (manifest(files=[entry("config/x", sha256="0")]), "not sound"),
    (manifest(files=[entry("config/x", mode="rwx")]), "not sound"),
    (manifest(files=[entry("config/x"), entry("config/x")]), "stands twice"),
    (manifest(files=[entry("config/x"), entry("config/x/y")]), "a file and a folder"),
    (manifest(files=[entry("config/x")] * 20_001), "not sound"),
    (manifest(created="yesterday"), "not sound"),
    (manifest(models=[1]), "not sound"),
    (manifest(version="v" * 5000), "not sound"),
)


@pytest.mark.parametrize(("said", "why"), BAD_MANIFESTS, ids=range(len(BAD_MANIFESTS)))
def test_a_manifest_that_is_not_sound_is_refused(said: object, why: str, tmp_path: Path) -> None:
    assert why in refused(made(said), tmp_path)


FILE = manifest(files=[entry("config/x")])
LIES: tuple[tuple[bytes, str], ...] = (
    (made(FILE), "config/x is missing"),
    (made(FILE, ("config/y", b"")), "is not what its manifest says"),
    (made(FILE, ("config/x", b"more")), "is not what its manifest says"),
    (made(FILE, odd("config/x", type=tarfile.SYMTYPE, linkname="/etc/passwd")), "is not what"),
    (made(FILE, odd("config/x", type=tarfile.LNKTYPE, linkname="/etc/passwd")), "is not what"),
    (made(FILE, odd("config/x", type=tarfile.CHRTYPE, devmajor=1, devminor=3)), "is not what"),
    (made(FILE, odd("config/x", type=tarfile.FIFOTYPE)), "is not what"),
    (made(FILE, odd("config/x", type=tarfile.DIRTYPE)), "is not what"),
    (made(FILE, ("config/x", b""), ("config/y", b"")), "files that its manifest does not name"),
    (made(FILE, ("config/x", b"")) + b"more", "damaged, cut short"),
    (gzip.compress(made(FILE, ("config/x", b""), compress=False) + b"x" * 20_000), "follows its end"),
    (made(manifest(files=[entry("config/x", size=4)]), ("config/x", b"abcd")), "config/x is damaged"),
    (made(manifest(files=[entry("config/x", size=10)]), ("config/x", b"")), "is not what"),
    (made(FILE, ("config/x", b"")), "there is no earnest.yaml"),
    (made(manifest()), "there is no earnest.yaml"),
    (
        made(manifest(files=[entry("config/earnest.yaml/x")]), ("config/earnest.yaml/x", b"")),
        "there is no earnest.yaml",
    ),
    (made({}, compress=False), "no backup of Earnest"),
    (gzip.compress(b""), "no backup of Earnest"),
    (gzip.compress(b"\0" * 20_000), "no backup of Earnest"),
    (gzip.compress(b"not a tar" * 1000), "no backup of Earnest"),
    (b"", "no backup of Earnest"),
    (b"\x1f\x8b", "no backup of Earnest"),
    (b"hello" * 1000, "no backup of Earnest"),
)


@pytest.mark.parametrize(("archive", "why"), LIES, ids=range(len(LIES)))
def test_an_archive_that_lies_is_refused(archive: bytes, why: str, tmp_path: Path) -> None:
    assert why in refused(archive, tmp_path)


def test_another_tar_is_no_backup(tmp_path: Path) -> None:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as out:
        out.addfile(tarfile.TarInfo("photo.jpg"))
    assert "does not begin with a manifest" in refused(raw.getvalue(), tmp_path)


def test_one_that_is_cut_short_anywhere_is_refused(archive: bytes) -> None:
    for length in (*range(0, len(archive) - 1, 37), len(archive) - 1):
        with pytest.raises(BackupError):
            examine(io.BytesIO(archive[:length]))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_bytes_that_flip_are_found(archive: bytes, data: st.DataObject) -> None:
    """Below the compression too, where only the digests and headers protect."""
    raw = bytearray(gzip.decompress(archive))
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] ^= data.draw(st.integers(1, 255))
    try:
        found = examine(io.BytesIO(gzip.compress(bytes(raw), compresslevel=1)))
    except BackupError:
        return
    # what may differ: a mode, a time, padding, a word of the manifest
    assert [replace(entry, mode=0) for entry in found.files] == [
        replace(entry, mode=0) for entry in examine(io.BytesIO(archive)).files
    ]


def bomb(member: Callable[[], bytes], total: int) -> io.BytesIO:
    """Return a compressed stream that begins with some bytes and goes on with zeros to `total`."""
    packer = zlib.compressobj(9, wbits=31)
    out = io.BytesIO()
    out.write(packer.compress(member()))
    zeros = bytes(2**20)
    for _ in range(total // 2**20):
        out.write(packer.compress(zeros))
    out.write(packer.flush())
    out.seek(0)
    return out


def large_header(kind: bytes) -> bytes:
    """Return a header that says that a name or the like of 512 MiB follows."""
    return odd("x", type=kind, size=2**29).tobuf()


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XGLTYPE])
def test_a_header_that_claims_half_a_gigabyte_costs_little_memory(kind: bytes) -> None:
    archive = bomb(lambda: large_header(kind), 2**25)
    tracemalloc.start()
    try:
        with pytest.raises(BackupError, match="larger than any that Earnest writes"):
            examine(archive)
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    finally:
        tracemalloc.stop()


def test_small_files_are_counted_by_the_blocks_that_they_take(tmp_path: Path) -> None:
    block = os.statvfs(tmp_path).f_frsize
    files = (
        Entry(name="config/x", size=1, sha256=EMPTY, mode=0),
        Entry(name="config/y", size=block, sha256=EMPTY, mode=0),
    )
    assert taken(files, block) == 2 * block


def test_what_no_disk_holds_is_refused_before_it_is_written(tmp_path: Path) -> None:
    said = manifest(files=[entry("config/x", size=2**50)])
    header = odd("config/x", size=2**50)
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as out:
        text = json.dumps(said).encode()
        first = odd(NAME, size=len(text))
        out.addfile(first, io.BytesIO(text))
    begin = raw.getvalue()[: 512 + -(-len(text) // 512) * 512] + header.tobuf(tarfile.GNU_FORMAT)
    house = place(tmp_path)
    house.config.mkdir()
    with pytest.raises(BackupError, match=r"it needs 1,125,899,906,842,624 bytes in .*, where .* are free"):
        restore(bomb(lambda: begin, 2**26), house.config, house.data)
    assert os.listdir(house.config) == []
