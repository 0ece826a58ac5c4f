"""A newcomer's first minute: a house is laid out where there is none, and nothing is ever written over."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hub.cli.folders import folders, usual_config
from hub.starter import HouseInTheWay, lay_out
from tests.cli.conftest import PATIENCE, complaint

STARTER = Path(__file__).parents[2] / "config"
NOTHING = argparse.Namespace(config=None, data=None, socket=None)


def newcomer(home: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a verb as somebody whose home is this folder and who stands in it."""
    home.mkdir(exist_ok=True)
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], **more}
    command = [sys.executable, "-P", "-m", "hub", *words]
    return subprocess.run(
        command, env=environ, cwd=home, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below the folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_starter_house_is_laid_out_and_good(tmp_path: Path) -> None:
    home = tmp_path / "home"
    laid = newcomer(home, "init")
    assert laid.returncode == 0, laid.stderr
    assert str(home / ".config/earnest") in laid.stdout
    assert contents(home / ".config/earnest") == contents(STARTER)
    assert (home / ".config/earnest").stat().st_mode & 0o777 == 0o700
    assert newcomer(home, "check").returncode == 0


def test_a_folder_of_ones_choice_is_laid_out(tmp_path: Path) -> None:
    laid = newcomer(tmp_path / "home", "init", str(tmp_path / "house"))
    assert f"earnest run --config {tmp_path / 'house'}" in laid.stdout
    assert contents(tmp_path / "house") == contents(STARTER)


def test_an_unset_variable_is_no_folder(tmp_path: Path) -> None:
    laid = newcomer(tmp_path / "home", "init", "")
    assert laid.returncode == 2
    assert "has no name; nothing was laid out" in complaint(laid)
    assert contents(tmp_path / "home") == {}


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("mine")
    again = newcomer(tmp_path / "home", "init", str(tmp_path / "mine"))
    assert again.returncode == 2
    assert "is not empty; nothing was changed" in complaint(again)
    assert contents(tmp_path / "mine") == {"notes": b"mine"}


def test_a_fresh_disk_is_empty(tmp_path: Path) -> None:
    (tmp_path / "disk" / "lost+found").mkdir(parents=True)
    laid = newcomer(tmp_path / "home", "init", str(tmp_path / "disk"))
    assert laid.returncode == 0, laid.stderr
    assert contents(tmp_path / "disk") == contents(STARTER)


def test_what_cannot_be_laid_out_whole_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        lay_out(tmp_path / "house")
    assert contents(tmp_path / "house") == {}
    monkeypatch.undo()
    lay_out(tmp_path / "house")
    with pytest.raises(HouseInTheWay):
        lay_out(tmp_path / "house")


def test_a_named_house_that_is_not_there_is_missed_not_made(tmp_path: Path) -> None:
    missed = newcomer(tmp_path / "home", "run", "--config", str(tmp_path / "typo"))
    assert missed.returncode == 2
    assert "`earnest init` lays out a starter house" in complaint(missed)
    assert not (tmp_path / "typo").exists()
    by_environment = newcomer(tmp_path / "home", "ask", "hello", EARNEST_CONFIG=str(tmp_path / "typo"))
    assert by_environment.returncode == 2
    assert "there is no earnest.yaml" in by_environment.stderr


def test_the_usual_place_is_new_only_until_something_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert usual_config(environ) == tmp_path / "earnest"
    assert folders(NOTHING, environ).is_new
    assert not folders(NOTHING, {**environ, "EARNEST_CONFIG": str(tmp_path / "other")}).is_new
    lay_out(tmp_path / "earnest")
    assert not folders(NOTHING, environ).is_new


def test_a_folder_called_config_is_a_house_only_if_it_holds_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").mkdir()
    monkeypatch.chdir(tmp_path)
    environ = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "usual")}
    assert folders(NOTHING, environ).config == tmp_path / "usual" / "earnest"
    (tmp_path / "config" / "earnest.yaml").write_text("hub: {name: Here}\n")
    assert folders(NOTHING, environ).config == tmp_path / "config"
    (tmp_path / "config" / "earnest.yaml").unlink()
    (tmp_path / ".earnest").mkdir()
    (tmp_path / ".earnest" / "restore.unfinished").touch()
    assert folders(NOTHING, environ).config == tmp_path / "config"
