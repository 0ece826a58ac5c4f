"""`earnest models` as its users call it, and the hub that downloads by itself."""

from __future__ import annotations

import asyncio
import os
import pty
import random
import resource
import signal
from pathlib import Path

import pytest

from tests.models.household import Ended, Household, ended
from tests.models.publisher import Mishap, Publisher, published, publisher

FILES = {"config.json": b"{}", "model.bin": random.Random(2).randbytes(3 << 20)}
BIG, SMALL = published("big", FILES), published("small", {"model.bin": b"small"})

EARS = ("--integration", "ears")


@pytest.fixture
def house(tmp_path: Path) -> Household:
    return Household(tmp_path, (BIG, SMALL))


def serving(*mishaps: Mishap) -> Publisher:
    """Return the publisher of both models."""
    server = publisher("big", FILES, *mishaps)
    server.files["/small/model.bin"] = b"small"
    return server


def state(listed: Ended, name: str = "big") -> tuple[str, object]:
    """Return where a model is and who uses it."""
    (row,) = [row for row in listed.lines if row["name"] == name]
    return row["here"], row["used_by"]


async def test_a_model_is_listed_got_verified_and_removed(house: Household) -> None:
    async with serving().serving() as server:
        house.write(server.url)
        listed = await house.run("models", "list", *EARS, "--json")
        assert state(listed) == ("", "listener")
        got = await house.run("models", "get", "big", "small", *EARS)
    assert (got.code, [line.partition(":")[0] for line in got.out.splitlines()]) == (0, ["big", "small"])
    assert "big: 100 % (model.bin)" in got.err
    listed = await house.run("models", "list", *EARS, "--json")
    assert (state(listed), state(listed, "small")) == (("downloaded", "listener"), ("downloaded", None))
    verified = await house.run("models", "verify", "--json")
    assert (verified.code, [line["state"] for line in verified.lines]) == (0, ["whole", "whole"])
    refused = await house.run("models", "remove", "small", "big", *EARS)
    assert (refused.code, "'big' is used by listener; --force" in refused.err) == (1, True)
    assert (house.place / "small").exists()
    removed = await house.run("models", "remove", "small", "big", "--force", *EARS)
    assert (removed.code, [one for one in house.place.iterdir() if one.is_dir()]) == (0, [])
    gone = await house.run("models", "remove", "small", *EARS)
    assert (gone.code, gone.err) == (1, "earnest: 'small' was never downloaded\n")


async def test_what_is_damaged_is_told_with_what_to_do(house: Household) -> None:
    async with serving().serving() as server:
        house.write(server.url)
        await house.run("models", "get", "big")
        model = house.place / "big" / "model.bin"
        model.write_bytes(FILES["model.bin"][:-1] + b"?")
        damaged = await house.run("models", "verify")
        assert damaged.code == 1
        assert "model.bin has changed since it was downloaded" in damaged.out
        assert "→ earnest models get --again big" in damaged.out
        assert (await house.run("models", "get", "--again", "big")).code == 0
        assert (await house.run("models", "verify", "big")).code == 0
    assert model.read_bytes() == FILES["model.bin"]


async def test_a_name_that_is_none_and_a_publisher_that_is_away_end_differently(house: Household) -> None:
    house.write("http://127.0.0.1:1")
    unknown = await house.run("models", "get", "bigg", *EARS)
    assert (unknown.code, unknown.out) == (2, "")
    assert "ears knows no model 'bigg'; did you mean 'big'?; `earnest models list" in unknown.err
    away = await house.run("models", "get", "big")
    assert (away.code, "127.0.0.1:1 cannot be reached" in away.err) == (3, True)
    house.write("http://127.0.0.1:1", keep_free=10**9)
    assert (await house.run("models", "get", "big")).code == 2
    (house.config / "earnest.yaml").write_text("models: {downlod: true}\n")
    wrong = await house.run("models", "list")
    assert (wrong.code, "did you mean 'download'" in wrong.err) == (2, True)
    assert (await house.run("models")).code == 2


async def test_a_list_is_narrowed(house: Household) -> None:
    house.write("http://127.0.0.1:1")
    german = await house.run("models", "list", "--language", "de", "--json")
    named = {row["name"] for row in german.lines}
    assert {"big", "de_DE-thorsten-medium", "small"} <= named
    assert not {"tiny.en", "en_US-joe-medium"} & named
    both = await house.run("models", "list", "small", "--json")
    assert {row["integration"] for row in both.lines} == {"ears", "faster_whisper"}
    assert "say --integration" in (await house.run("models", "get", "small")).err
    here = await house.run("models", "list", "--here", "--json")
    assert {(row["name"], row["here"]) for row in here.lines} == {
        ("tiny.en", "packaged"),
        ("en_US-joe-medium", "packaged"),
    }
    assert (await house.run("models", "list", "nothing-is-called-so")).code == 1


async def test_killed_in_the_middle_it_goes_on_there(house: Household) -> None:
    async with serving(Mishap("unmarked"), Mishap("stall", 2_500_000)).serving() as server:
        house.write(server.url, stall=60)
        process = await house.begun("models", "get", "big")
        part = house.place / "big" / "model.bin.part"
        while not part.exists() or part.stat().st_size < 2 << 20:
            await asyncio.sleep(0)
        process.kill()
        assert (await ended(process)).code == -signal.SIGKILL
        listed = await house.run("models", "list", *EARS, "--json")
        assert state(listed)[0] == ""
        assert listed.lines[0]["begun"] >= 2 << 20
        assert (await house.run("models", "verify", "--json")).lines[0]["state"] == "unfinished"
        there = part.stat().st_size
        assert (await house.run("models", "get", "big")).code == 0
        assert server.seen[-1].headers["range"] == f"bytes={there}-"
    assert (house.place / "big" / "model.bin").read_bytes() == FILES["model.bin"]


async def test_ctrl_c_stops_it_and_says_how_it_goes_on(house: Household) -> None:
    async with serving(Mishap("unmarked"), Mishap("stall", 2_500_000)).serving() as server:
        house.write(server.url, stall=60)
        process = await house.begun("models", "get", "big")
        await server.stalled.wait()
        process.send_signal(signal.SIGINT)
        stopped = await ended(process)
    assert (stopped.code, "`earnest models get big` goes on from here" in stopped.err) == (130, True)
    assert not (house.place / "big" / "manifest.json").exists()


async def test_a_second_get_waits_for_the_first_and_says_so(house: Household) -> None:
    async with serving(Mishap("unmarked"), Mishap("stall", 2_500_000)).serving() as server:
        house.write(server.url, stall=60)
        first = await house.begun("models", "get", "big")
        await server.stalled.wait()
        house.write(server.url)
        second = await house.begun("models", "get", "big")
        assert second.stderr
        while b"waiting" not in (said := await second.stderr.readline()):
            assert said
        assert said == f"process {first.pid} is downloading it; waiting\n".encode()
        refused = await house.run("models", "remove", "big", "--force")
        assert (refused.code, "is downloading big now" in refused.err) == (1, True)
        first.kill()
        await first.wait()
        assert (await ended(second)).code == 0


async def test_a_terminal_gets_a_bar(house: Household) -> None:
    ours, theirs = pty.openpty()
    async with serving().serving() as server:
        house.write(server.url)
        process = await house.begun("models", "get", "big", stderr=theirs)
        assert (await ended(process)).code == 0
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert "[########################] 100 %" in shown


async def test_a_disk_that_is_full_is_told_and_what_came_is_kept(house: Household) -> None:
    async with serving().serving() as server:
        house.write(server.url)
        full = await ended(await house.begun("models", "get", "big", before=_nearly_full))
        assert (full.code, "a model cannot be written to the disk: File too large" in full.err) == (2, True)
        assert not (house.place / "big" / "manifest.json").exists()
        assert (await house.run("models", "get", "big")).code == 0
        assert server.seen[-1].headers["range"].startswith("bytes=")
    assert (house.place / "big" / "model.bin").read_bytes() == FILES["model.bin"]


def _nearly_full() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))


async def test_a_list_imports_nothing_heavy(house: Household) -> None:
    house.write("http://127.0.0.1:1")
    house.environ = {"PYTHONPROFILEIMPORTTIME": "1"}
    listed = await house.run("models", "list")
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in listed.err.splitlines()}
    assert "yaml" in imported
    assert not imported & {"aiohttp", "asyncio", "hassil", "numpy", "onnxruntime", "sqlalchemy"}


async def test_what_stands_in_for_what_auto_would_take_is_used_too(house: Household) -> None:
    text = "integrations: {ears: {type: faster_whisper, model: auto, auto: {0: tiny.en, 1: large-v3}}}\n"
    house.write("http://127.0.0.1:1", text)
    listed = await house.run("models", "list", "--integration", "faster_whisper", "--json")
    assert {row["name"] for row in listed.lines if row["used_by"] == "ears"} == {"large-v3", "tiny.en"}
