"""What an integration gets that asks for a model, and what its state says meanwhile."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hub.errors import IntegrationError
from hub.models.catalogue import Catalogue, Choice
from hub.models.config import ModelsConfig
from hub.models.published import Downloadable
from hub.models.shelf import Shelf
from hub.models.store import Models
from tests.models.bringing import QUICK
from tests.models.publisher import Mishap, Publisher, published

BIG, SMALL = published("big", {"model.bin": os.urandom(3 << 20)}), published("small", {"model.bin": b"s"})
CHOICE = Choice(names=("big", "small"), why="auto: 8.0 GiB of memory")


def catalogue(*models: Downloadable, packaged: Mapping[str, Path] | None = None) -> Catalogue:
    return Catalogue(
        integration="ears",
        option="model",
        default="big",
        models=models or (BIG, SMALL),
        packaged=lambda: packaged or {},
        aliases={"huge": "big"},
    )


def models(folder: Path, server: Publisher | None = None, **config: Any) -> Models:
    url = server.url if server else "http://127.0.0.1:1"
    told = ModelsConfig(mirrors={"models.test": url}, limits=QUICK, **config)
    return Models(Shelf(folder), told, environ={})


def serving(*mishaps: Mishap) -> Publisher:
    return Publisher({f"/{m.name}/model.bin": b"" for m in (BIG, SMALL)}, list(mishaps))


async def test_a_first_use_downloads_and_shows_how_far_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    content = os.urandom(3 << 20)
    big = published("big", {"model.bin": content})
    told: list[Mapping[str, Any]] = []
    caplog.set_level(logging.INFO)
    async with Publisher({"/big/model.bin": content}).serving() as server:
        place = await models(tmp_path, server).ensure(catalogue(big), "huge", told.append)
        again = await models(tmp_path, server).ensure(catalogue(big), "big", told.append)
    assert place == again
    assert (place / "model.bin").read_bytes() == content
    percents = [one["downloading"]["percent"] for one in told[:-1]]
    assert (percents[0], percents[-1], told[-1]) == (0, 100, {"downloading": None})
    assert percents == sorted(set(percents))
    assert [r.message for r in caplog.records] == ["downloading 'big' for ears (3 MB)", "'big' is here"]


async def test_without_a_network_the_command_is_named(tmp_path: Path) -> None:
    told: list[Mapping[str, Any]] = []
    said = r"^the model 'big' is not here: .* cannot be reached .*; `earnest models get big` fetches it$"
    with pytest.raises(IntegrationError, match=said):
        await models(tmp_path).ensure(catalogue(), "big", told.append)
    assert told[-1] == {"downloading": None}


async def test_where_downloads_are_off_nothing_is_asked(tmp_path: Path) -> None:
    async with serving().serving() as server:
        kept = models(tmp_path, server, download=False)
        with pytest.raises(IntegrationError, match=r"downloads are off \(models.download\); `earnest models"):
            await kept.ensure(catalogue(), "big", lambda facts: None)
    assert not server.seen


async def test_what_was_downloaded_comes_before_what_a_package_brought(tmp_path: Path) -> None:
    packaged = catalogue(packaged={"small": tmp_path / "package"})
    kept = models(tmp_path, download=False)
    assert await kept.ensure(packaged, "small", lambda facts: None) == tmp_path / "package"
    async with Publisher({"/small/model.bin": b"s"}).serving() as server:
        await models(tmp_path, server).ensure(catalogue(), "small", lambda facts: None)
    assert await kept.ensure(packaged, "small", lambda facts: None) == tmp_path / "ears" / "small"


async def test_a_choice_that_cannot_be_had_gives_way_to_what_is_here_and_says_so(tmp_path: Path) -> None:
    here = catalogue(packaged={"small": tmp_path / "package"})
    for kept in (models(tmp_path), models(tmp_path, download=False)):
        told: list[Mapping[str, Any]] = []
        name, place = await kept.best(here, CHOICE, told.append)
        assert (name, place, told[-1]["model"]) == ("small", tmp_path / "package", "small")
        assert told[-1]["model_why"].startswith(
            "auto: 8.0 GiB of memory, but it is not here: the model 'big'"
        )
    with pytest.raises(IntegrationError, match="`earnest models get big` fetches it"):
        await models(tmp_path).best(catalogue(), CHOICE, lambda facts: None)


async def test_a_server_that_points_nowhere_costs_no_ears(tmp_path: Path) -> None:
    here = catalogue(packaged={"small": tmp_path / "package"})
    for there in ("http://[::bad/x", "http://127.0.0.1:99999/x", f"http://{'a' * 70}.test/"):
        async with serving(Mishap("moved", 0, there)).serving() as server:
            name, place = await models(tmp_path, server).best(here, CHOICE, lambda facts: None)
        assert (name, place) == ("small", tmp_path / "package")


async def test_a_choice_that_can_be_had_is_taken_and_its_reason_shown(tmp_path: Path) -> None:
    told: list[Mapping[str, Any]] = []
    choice = replace(CHOICE, names=("small", "big"))
    async with Publisher({"/small/model.bin": b"s"}).serving() as server:
        name, _ = await models(tmp_path, server).best(catalogue(), choice, told.append)
    assert name == "small"
    assert told[-1] == {"model": "small", "model_why": "auto: 8.0 GiB of memory"}


def test_a_mirror_that_is_no_address_is_refused() -> None:
    for mirror in ("lan/hf", "ftp://lan", "https://", "https://lan/?x"):
        with pytest.raises(ValueError, match=r"mirrors.huggingface.co: '.*' is no http or https address"):
            ModelsConfig(mirrors={"huggingface.co": mirror})
