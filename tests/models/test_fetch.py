"""What a web server can do to a download, and what comes of it."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import pytest

from hub.errors import DownloadFailed, ModelError
from hub.models.answer import Told, onward
from hub.models.config import ModelsConfig
from hub.models.manifest import read
from hub.models.published import Downloadable, RemoteFile
from hub.models.source import mirrored, mirrors
from tests.models.bringing import bring, looks_whole
from tests.models.publisher import Mishap, published, publisher

CONTENT = random.Random(1).randbytes(3 << 20)
FILES = {"model.bin": CONTENT}
MODEL = published("big", FILES)


async def test_a_file_comes_whole_with_its_manifest_and_nothing_else(tmp_path: Path) -> None:
    async with publisher("big", FILES).serving() as server:
        place = await bring(tmp_path, MODEL, server)
    assert (place / "model.bin").read_bytes() == CONTENT
    assert sorted(file.name for file in place.iterdir()) == ["manifest.json", "model.bin"]
    manifest = read(place)
    assert manifest
    kept = manifest.files["model.bin"]
    assert (kept.size, kept.proof) == (len(CONTENT), "catalogue")
    assert kept.sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert looks_whole(tmp_path, MODEL)


@pytest.mark.parametrize(
    "mishap",
    [
        Mishap("cut", 1_500_000),
        Mishap("stall", 1_500_000),
        Mishap("stall", 0),
        Mishap("lie", 0),
        Mishap("endless"),
        Mishap("closed"),
        Mishap("status", 429, "0"),
        Mishap("status", 503),
        Mishap("status", 500),
    ],
    ids=lambda mishap: f"{mishap.kind}-{mishap.at}",
)
async def test_one_mishap_is_mended(tmp_path: Path, mishap: Mishap) -> None:
    async with publisher("big", FILES, mishap).serving() as server:
        place = await bring(tmp_path, MODEL, server)
    assert (place / "model.bin").read_bytes() == CONTENT


async def test_it_goes_on_where_it_broke_off_and_says_of_which_file(tmp_path: Path) -> None:
    async with publisher("big", FILES, Mishap("cut", 2_000_000)).serving() as server:
        await bring(tmp_path, MODEL, server)
    etag = f'"{hashlib.md5(CONTENT).hexdigest()}"'
    first, second = server.seen
    assert "range" not in first.headers
    assert (second.headers["range"], second.headers["if-range"]) == ("bytes=2000000-", etag)
    assert second.headers["accept-encoding"] == "identity"


async def test_a_server_that_sends_everything_again_is_taken_at_its_word(tmp_path: Path) -> None:
    async with publisher("big", FILES, Mishap("cut", 2_000_000), Mishap("whole")).serving() as server:
        place = await bring(tmp_path, MODEL, server)
    assert (place / "model.bin").read_bytes() == CONTENT
    assert len(server.seen) == 2


async def test_a_file_without_a_mark_goes_on_and_its_digest_decides(tmp_path: Path) -> None:
    cut, rest = Mishap("cut", 2_000_000), Mishap("unmarked")
    async with publisher("big", FILES, cut, rest).serving() as server:
        place = await bring(tmp_path, MODEL, server)
    assert (place / "model.bin").read_bytes() == CONTENT


async def test_a_file_that_changes_in_the_middle_begins_anew(tmp_path: Path) -> None:
    model = published("big", FILES, known=False)
    mishaps = (Mishap("cut", 2_000_000), Mishap("changed"))
    async with publisher("big", FILES, *mishaps).serving() as server:
        place = await bring(tmp_path, model, server)
        assert (place / "model.bin").read_bytes() == server.files["/big/model.bin"] != CONTENT


@pytest.mark.parametrize("is_marked", [True, False])
async def test_two_files_are_never_pieced_together(tmp_path: Path, is_marked: bool) -> None:
    """By a server that sends a piece of the new file to whoever has the beginning of the old one."""
    model = published("big", FILES, known=False)
    server = publisher("big", FILES, Mishap("cut", 2_000_000), Mishap("stubborn"))
    server.is_marked = is_marked
    async with server.serving():
        place = await bring(tmp_path, model, server)
        assert (place / "model.bin").read_bytes() == server.files["/big/model.bin"] != CONTENT


async def test_a_piece_that_begins_elsewhere_is_not_taken(tmp_path: Path) -> None:
    model = published("big", FILES, known=False)
    async with publisher("big", FILES, Mishap("cut", 2_000_000), Mishap("shifted")).serving() as server:
        place = await bring(tmp_path, model, server)
    assert (place / "model.bin").read_bytes() == CONTENT


async def test_a_file_that_is_another_one_is_not_kept(tmp_path: Path) -> None:
    async with publisher("big", FILES, Mishap("changed")).serving() as server:
        with pytest.raises(DownloadFailed, match=r"model.bin from 127.0.0.1:\d+ is not what it should be"):
            await bring(tmp_path, MODEL, server)
    assert not looks_whole(tmp_path, MODEL)
    assert not list((tmp_path / "ears" / "big").iterdir())


async def test_a_file_of_another_length_is_refused_before_it_is_read(tmp_path: Path) -> None:
    async with publisher("big", {"model.bin": b"<html>log in first</html>"}).serving() as server:
        with pytest.raises(DownloadFailed, match=r"model.bin has 25 bytes at .*, not 3145728: it is another"):
            await bring(tmp_path, MODEL, server)
    assert not looks_whole(tmp_path, MODEL)


@pytest.mark.parametrize(("status", "means"), [(401, "who asks"), (403, "refuses"), (404, "does not have")])
async def test_what_another_try_cannot_mend_is_said_at_once(tmp_path: Path, status: int, means: str) -> None:
    async with publisher("big", FILES, Mishap("status", status)).serving() as server:
        with pytest.raises(DownloadFailed, match=rf"{means}.*\(status {status}\)"):
            await bring(tmp_path, MODEL, server)
    assert len(server.seen) == 1


@pytest.mark.parametrize("kind", ["cut", "stall", "closed", "endless"])
async def test_a_server_that_never_mends_is_given_up(tmp_path: Path, kind: str) -> None:
    mishaps = [Mishap(kind)] * 20  # type: ignore[arg-type]
    async with publisher("big", FILES, *mishaps).serving() as server:
        with pytest.raises(DownloadFailed):
            await bring(tmp_path, MODEL, server, retries=2)
    assert 3 <= len(server.seen) <= 6  # aiohttp asks once more by itself when a connection was just closed
    assert not looks_whole(tmp_path, MODEL)


async def test_a_connection_that_gets_on_is_no_failure(tmp_path: Path) -> None:
    mishaps = [Mishap("cut", 1 << 20)] * 2
    async with publisher("big", FILES, *mishaps).serving() as server:
        await bring(tmp_path, MODEL, server, retries=1)
    assert len(server.seen) == 3


async def test_a_server_that_answers_nobody_is_said_at_once(tmp_path: Path) -> None:
    server = publisher("big", FILES)
    async with server.serving():
        pass
    with pytest.raises(DownloadFailed, match=r"127.0.0.1:\d+ cannot be reached"):
        await bring(tmp_path, MODEL, server, retry_first=60, retry_longest=60)


async def test_a_wish_to_wait_is_heeded_within_bounds(tmp_path: Path) -> None:
    busy = Mishap("status", 429, "3600")
    async with publisher("big", FILES, busy).serving() as server:
        await bring(tmp_path, MODEL, server, retry_longest=0.01)
    assert len(server.seen) == 2


async def test_redirects_are_followed_and_counted(tmp_path: Path) -> None:
    moved = [Mishap("moved", 0, "/big/model.bin")] * 3
    async with publisher("big", FILES, *moved).serving() as server:
        assert await bring(tmp_path, MODEL, server, redirects=3)
    async with publisher("big", FILES, *moved).serving() as server:
        with pytest.raises(DownloadFailed, match="points elsewhere more than 2 times"):
            await bring(tmp_path / "other", MODEL, server, redirects=2)


NOWHERE = [
    "http://[::bad/x",
    "http://127.0.0.1:99999/x",
    "http://127.0.0.1:x/",
    "//[",
    "http://h:0/",
]


@pytest.mark.parametrize("there", ["ftp://models.test/x", "file:///etc/passwd", "", *NOWHERE])
async def test_a_redirect_out_of_the_web_is_not_followed(tmp_path: Path, there: str) -> None:
    async with publisher("big", FILES, Mishap("moved", 0, there)).serving() as server:
        with pytest.raises(DownloadFailed, match="that way is not taken"):
            await bring(tmp_path, MODEL, server)


@pytest.mark.parametrize(
    "there", [f"http://{'a' * 70}.test/x", "http://a b.test/x", "http://a..b/x", "http://%/"]
)
async def test_a_redirect_to_what_is_no_host_is_a_sentence(tmp_path: Path, there: str) -> None:
    async with publisher("big", FILES, Mishap("moved", 0, there)).serving() as server:
        with pytest.raises(DownloadFailed):
            await bring(tmp_path, MODEL, server, retries=0)


@pytest.mark.parametrize(
    "address", [*NOWHERE, "http:///x", "https://m.test/#x", "https://m.test/?x", "https://m. test"]
)
def test_a_mirror_that_nobody_can_be_asked_at_is_refused_by_name(address: str) -> None:
    with pytest.raises(ValueError, match=r"mirrors\.huggingface\.co: .* is no http or https address"):
        ModelsConfig(mirrors={"huggingface.co": address})
    with pytest.raises(DownloadFailed, match=r"HF_ENDPOINT is .* no http or https address"):
        mirrors({}, {"HF_ENDPOINT": address})


def test_a_mirror_is_known_by_its_publishers_host_alone() -> None:
    for host in ("https://models.test", "models.test/x", "models.test:443", ""):
        with pytest.raises(ValueError, match="is no publisher's host"):
            ModelsConfig(mirrors={host: "https://m.test"})
    config = ModelsConfig(mirrors={"Models.Test": "https://m.test"})
    assert mirrored("https://models.test/x", mirrors(config.mirrors, {})) == "https://m.test/x"


@pytest.mark.parametrize("status", [206, 416])
async def test_a_piece_that_nobody_asked_for_is_told_as_such(tmp_path: Path, status: int) -> None:
    async with publisher("big", FILES, Mishap("status", status)).serving() as server:
        with pytest.raises(DownloadFailed, match=f"answers {status}, though all of model.bin was asked for"):
            await bring(tmp_path, MODEL, server, retries=0)


@pytest.mark.parametrize(
    ("url", "location", "there"),
    [
        ("https://a.test/x/y", "https://b.test/z?sig=%2F", "https://b.test/z?sig=%2F"),
        ("https://a.test/x/y", "/z", "https://a.test/z"),
        ("http://a.test/x", "https://b.test/x", "https://b.test/x"),
        ("http://a.test/x", "http://b.test/x", "http://b.test/x"),
        ("https://a.test/x", "http://a.test/x", None),
    ],
)
def test_no_redirect_leads_from_https_to_http(url: str, location: str, there: str | None) -> None:
    if there:
        assert onward(url, location) == there
    else:
        with pytest.raises(DownloadFailed, match="that way is not taken"):
            onward(url, location)


async def test_the_publishers_own_digest_counts_where_none_is_known(tmp_path: Path) -> None:
    """Told before the redirect to its storage, as Hugging Face does."""
    model = published("big", FILES, known=False)
    server = publisher("big", FILES, Mishap("moved", 0, "/big/model.bin"), Mishap("changed"))
    server.commit = "c" * 40
    async with server.serving():
        with pytest.raises(DownloadFailed, match="is not what it should be"):
            await bring(tmp_path, model, server)
    server = publisher("big", FILES, Mishap("moved", 0, "/big/model.bin"))
    server.commit = "c" * 40
    async with server.serving():
        place = await bring(tmp_path, model, server)
    manifest = read(place)
    assert manifest
    assert (manifest.files["model.bin"].proof, manifest.files["model.bin"].commit) == ("publisher", "c" * 40)


async def test_a_small_files_digest_is_told_in_gits_way(tmp_path: Path) -> None:
    model = published("big", {"config.json": b"{}"}, known=False)
    right = hashlib.sha1(b"blob 2\0{}").hexdigest()
    for told, fits in ((right, True), ("0" * 40, False)):
        server = publisher("big", {"config.json": b"{}"})
        server.commit, server.small = "c" * 40, told
        async with server.serving():
            if fits:
                manifest = read(await bring(tmp_path / told, model, server))
                assert manifest
                assert manifest.files["config.json"].proof == "publisher"
            else:
                with pytest.raises(DownloadFailed, match="is not what it should be"):
                    await bring(tmp_path / told, model, server)


def test_the_mark_of_a_storage_is_no_digest() -> None:
    """Hugging Face's storage answers with a mark of 64 hexadecimal letters that is no SHA-256."""
    first = Told().and_of({"X-Repo-Commit": "c", "X-Linked-Etag": f'"{"a" * 64}"', "ETag": f'"{"b" * 64}"'})
    assert (first.sha256, first.git_sha1, first.commit) == ("a" * 64, "", "c")
    assert first.and_of({"ETag": f'"{"d" * 64}"'}) == first
    assert Told().and_of({"ETag": f'"{"d" * 64}"'}) == Told()
    assert Told().and_of({"X-Repo-Commit": "c"}).and_of({"X-Repo-Commit": "c", "ETag": "e" * 40}) == Told(
        commit="c", git_sha1="e" * 40
    )


async def test_without_any_digest_the_manifest_says_so(tmp_path: Path) -> None:
    model = published("big", FILES, known=False)
    async with publisher("big", FILES).serving() as server:
        manifest = read(await bring(tmp_path, model, server))
    assert manifest
    assert manifest.files["model.bin"].proof == "size"


async def test_what_is_sent_packed_is_refused(tmp_path: Path) -> None:
    async with publisher("big", FILES, Mishap("packed")).serving() as server:
        with pytest.raises(DownloadFailed, match="packed"):
            await bring(tmp_path, MODEL, server)


async def test_a_part_that_was_spoilt_on_the_disk_begins_anew_once(tmp_path: Path) -> None:
    async with publisher("big", FILES, Mishap("cut", 2_000_000), Mishap("status", 404)).serving() as server:
        with pytest.raises(DownloadFailed):
            await bring(tmp_path, MODEL, server)
        part = tmp_path / "ears" / "big" / "model.bin.part"
        spoilt = bytearray(part.read_bytes())
        assert len(spoilt) == 2_000_000
        spoilt[1000] ^= 1
        part.write_bytes(spoilt)
        place = await bring(tmp_path, MODEL, server)
    assert (place / "model.bin").read_bytes() == CONTENT


async def test_an_empty_file_is_a_file(tmp_path: Path) -> None:
    files = {"nothing.txt": b"", "model.bin": b"x"}
    async with publisher("small", files).serving() as server:
        place = await bring(tmp_path, published("small", files, known=False), server)
    assert (place / "nothing.txt").read_bytes() == b""


async def test_a_disk_that_fails_is_not_retried(tmp_path: Path) -> None:
    (tmp_path / "ears" / "big" / "model.bin.part").mkdir(parents=True)
    async with publisher("big", FILES).serving() as server:
        with pytest.raises(ModelError, match="cannot be written: Is a directory"):
            await bring(tmp_path, MODEL, server)
    assert not server.seen


@pytest.mark.parametrize("path", ["../x", "a/b", "", ".hidden", "/etc/passwd", "a\0b", "..", "x" * 200])
def test_a_name_that_leads_elsewhere_is_no_file(path: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name"):
        RemoteFile(path=path, url="https://models.test/x", size=1)
    with pytest.raises(ValueError, match="cannot be a model"):
        Downloadable(name=path, files=MODEL.files)


@pytest.mark.parametrize("url", ["http://models.test/x", "file:///x", "https://me:secret@models.test/x", "x"])
def test_a_publisher_is_asked_over_https(url: str) -> None:
    with pytest.raises(ValueError, match="no https address"):
        RemoteFile(path="x", url=url, size=1)
