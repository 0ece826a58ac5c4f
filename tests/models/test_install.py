"""A whole model: one at a time over all processes, with room on the disk, over proxies and mirrors."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from hub.errors import DownloadFailed, ModelError
from hub.models import hold
from hub.models.install import Progress, install
from hub.models.manifest import FILE, read
from hub.models.shelf import LOCK, Shelf
from hub.models.source import mirrored, mirrors
from hub.models.verify import faults
from tests.models.bringing import bring, errand, looks_whole
from tests.models.publisher import Mishap, Publisher, published, publisher

FILES = {"config.json": b'{"a": 1}', "model.bin": os.urandom(2 << 20)}
MODEL = published("big", FILES)
SIZE = sum(map(len, FILES.values()))


def reading(place: Path) -> dict[str, bytes]:
    """Return the files of a model as they are."""
    return {name: (place / name).read_bytes() for name in FILES}


async def test_it_says_how_far_it_is(tmp_path: Path) -> None:
    seen: list[Progress] = []
    async with publisher("big", FILES).serving() as server:
        await bring(tmp_path, MODEL, server, seen.append)
    assert [one.done for one in seen] == sorted(one.done for one in seen)
    assert (seen[0].percent, seen[-1].percent, seen[-1].size) == (0, 100, SIZE)
    assert {one.file for one in seen} == set(FILES)


async def test_what_is_here_is_not_asked_for_again(tmp_path: Path) -> None:
    model = published("big", FILES, known=False)
    async with publisher("big", FILES).serving() as server:
        first = await bring(tmp_path, model, server)
        asked = len(server.seen)
        assert await bring(tmp_path, model, server) == first
        assert len(server.seen) == asked


async def test_of_two_that_want_it_the_second_waits_and_is_told(tmp_path: Path) -> None:
    seen: list[Progress] = []
    stall = Mishap("stall", 1000)
    async with publisher("big", FILES, Mishap("unmarked"), stall).serving() as server:
        first = asyncio.create_task(bring(tmp_path, MODEL, server, stall=1))
        await server.stalled.wait()
        second = asyncio.create_task(bring(tmp_path, MODEL, server, seen.append))
        places = await asyncio.gather(first, second)
    assert places[0] == places[1]
    assert seen[0].waits_for == str(os.getpid())
    assert len(server.seen) == 3  # nothing came twice


async def test_waiting_for_another_has_an_end(tmp_path: Path) -> None:
    lock = tmp_path / "ears" / f"big{LOCK}"
    async with hold.held(lock, 0, lambda who: None), publisher("big", FILES).serving() as server:
        with pytest.raises(ModelError, match=rf"process {os.getpid()} has been downloading big for 0 s"):
            await bring(tmp_path, MODEL, server, wait_for_other=0)


async def test_a_disk_without_room_is_told_before_anything_comes(tmp_path: Path) -> None:
    async with publisher("big", FILES).serving() as server:
        with pytest.raises(ModelError, match=r"big needs 2 MB and \d+ MB to spare .* has [\d.]+ GB"):
            await bring(tmp_path, MODEL, server, keep_free=10**9)
    assert not server.seen


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "ears").write_text("a file")
    async with publisher("big", FILES).serving() as server:
        with pytest.raises(ModelError, match=r"cannot be written: .*models.folder"):
            await bring(tmp_path, MODEL, server)


async def test_a_model_folder_that_is_something_else_is_told(tmp_path: Path) -> None:
    (tmp_path / "ears").mkdir()
    (tmp_path / "ears" / "big").write_text("a file")
    async with publisher("big", FILES).serving() as server:
        with pytest.raises(ModelError, match=r"model's folder .*/ears/big cannot be written: File exists"):
            await bring(tmp_path, MODEL, server)


async def test_a_folder_that_may_only_be_read_serves_what_is_there(tmp_path: Path) -> None:
    """Root may write everywhere, so that nothing is written is seen by the times of the folders."""
    async with publisher("big", FILES).serving() as server:
        place = await bring(tmp_path, MODEL, server)
    before = {file: file.stat().st_mtime_ns for file in (place, place.parent, place / FILE)}
    assert Shelf(tmp_path).whole("ears", MODEL) == place
    assert before == {file: file.stat().st_mtime_ns for file in before}


async def test_a_file_that_an_interrupted_download_finished_is_not_asked_for_again(tmp_path: Path) -> None:
    gone = (Mishap("unmarked"), Mishap("status", 404))
    async with publisher("big", FILES, *gone).serving() as server:
        with pytest.raises(DownloadFailed):
            await bring(tmp_path, MODEL, server)
        assert not looks_whole(tmp_path, MODEL)
        assert (tmp_path / "ears" / "big" / "config.json").exists()
        assert reading(await bring(tmp_path, MODEL, server)) == FILES
    assert [one.target for one in server.seen].count("/big/config.json") == 1


async def test_stopped_in_the_middle_it_goes_on_there(tmp_path: Path) -> None:
    stall = Mishap("stall", 1_500_000)
    async with publisher("big", FILES, Mishap("unmarked"), stall).serving() as server:
        task = asyncio.create_task(bring(tmp_path, MODEL, server, stall=60))
        await server.stalled.wait()
        part = tmp_path / "ears" / "big" / "model.bin.part"
        while part.stat().st_size < 1 << 20:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not looks_whole(tmp_path, MODEL)
        there = part.stat().st_size
        assert reading(await bring(tmp_path, MODEL, server)) == FILES
    assert server.seen[-1].headers["range"] == f"bytes={there}-"


async def test_again_throws_away_what_is_here(tmp_path: Path) -> None:
    async with publisher("big", FILES).serving() as server:
        place = await bring(tmp_path, MODEL, server)
        (place / "model.bin").write_bytes(bytes(len(FILES["model.bin"])))
        manifest = read(place)
        assert manifest
        assert [fault.file for fault in faults(place, manifest, MODEL)] == ["model.bin"]
        ordered = errand(tmp_path, MODEL, server)
        object.__setattr__(ordered, "anew", True)
        assert reading(await install(ordered)) == FILES


async def test_it_goes_through_the_proxy_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with publisher("big", FILES).serving() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        away = Publisher({}, url="http://models.elsewhere.test")
        assert reading(await bring(tmp_path, MODEL, away)) == FILES
    assert {one.headers["host"] for one in proxy.seen} == {"models.elsewhere.test"}
    assert proxy.seen[0].target == "http://models.elsewhere.test/big/config.json"


async def test_a_host_that_is_excepted_is_asked_without_the_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("http_proxy", "http://127.0.0.1:1"), ("no_proxy", "127.0.0.1")):
        monkeypatch.setenv(name, value)
        monkeypatch.setenv(name.upper(), value)
    async with publisher("big", FILES).serving() as server:
        assert reading(await bring(tmp_path, MODEL, server)) == FILES


@pytest.mark.parametrize(
    ("configured", "environ", "asked"),
    [
        ({}, {}, "https://huggingface.co/a/b?c=d"),
        ({"huggingface.co": "https://lan/hf/"}, {}, "https://lan/hf/a/b?c=d"),
        ({}, {"HF_ENDPOINT": "https://other"}, "https://other/a/b?c=d"),
        ({"huggingface.co": "http://lan"}, {"HF_ENDPOINT": "https://other"}, "http://lan/a/b?c=d"),
        ({"example.com": "http://lan"}, {"HF_ENDPOINT": " "}, "https://huggingface.co/a/b?c=d"),
    ],
)
def test_a_mirror_stands_in_for_its_host(
    configured: Mapping[str, str], environ: Mapping[str, str], asked: str
) -> None:
    assert mirrored("https://huggingface.co/a/b?c=d", mirrors(configured, environ)) == asked


def test_an_endpoint_that_is_no_address_is_told() -> None:
    with pytest.raises(DownloadFailed, match="HF_ENDPOINT is 'hf-mirror'"):
        mirrors({}, {"HF_ENDPOINT": "hf-mirror"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        '{"format": 2, "integration": "ears", "model": "big", "files": {"a": {}}}',
        '{"format": 1, "integration": "ears", "model": "big", "files": {}}',
        '{"format": 1, "integration": "ears", "model": "big", "files": {"../../etc/passwd": '
        '{"size": 1, "sha256": "", "url": "", "proof": "size"}}}',
        '{"format": 1, "integration": "ears", "model": "big", "files": {"model.bin": {"size": "1"}}}',
        "[" * 100_000,
    ],
)
async def test_a_manifest_that_says_nonsense_is_none(tmp_path: Path, text: str) -> None:
    place = Shelf(tmp_path).place("ears", "big")
    place.mkdir(parents=True)
    (place / FILE).write_text(text)
    assert read(place) is None
    assert Shelf(tmp_path).whole("ears", MODEL) is None
    async with publisher("big", FILES).serving() as server:
        assert reading(await bring(tmp_path, MODEL, server)) == FILES


async def test_a_model_that_lost_a_byte_or_a_file_is_not_whole(tmp_path: Path) -> None:
    async with publisher("big", FILES).serving() as server:
        place = await bring(tmp_path, MODEL, server)
        (place / "model.bin").write_bytes(FILES["model.bin"][:-1])
        assert Shelf(tmp_path).whole("ears", MODEL) is None
        assert reading(await bring(tmp_path, MODEL, server)) == FILES
        (place / "config.json").unlink()
        assert Shelf(tmp_path).whole("ears", MODEL) is None


def test_a_model_is_removed_and_never_what_lies_elsewhere(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "models")
    elsewhere = tmp_path / "mine"
    elsewhere.mkdir()
    (elsewhere / "model.bin").write_bytes(b"mine")
    shelf.place("ears", "big").parent.mkdir(parents=True)
    shelf.place("ears", "big").symlink_to(elsewhere)
    shelf.remove("ears", "big")
    assert json.dumps(list(shelf.models())) == "[]"
    assert (elsewhere / "model.bin").read_bytes() == b"mine"
    for name in ("..", "../..", "a/b", "/etc", ""):
        with pytest.raises(ModelError):
            shelf.remove("ears", name)
