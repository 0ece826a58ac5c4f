"""What is locked, what is in a wheel, what the scripts ask for."""

from __future__ import annotations

import glob
import os
import re
import subprocess
import tomllib
import zipfile
from email.parser import Parser
from itertools import chain
from pathlib import Path

import pytest
import yaml

from tests.built import ROOT, wheel_by_way_of_the_source

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))


def locked(lock: Path) -> dict[str, str]:
    """Return each pinned package of a lock with its whole entry."""
    lines = [line for line in lock.read_text().splitlines() if not line.lstrip().startswith("#")]
    entries = re.split(r"\n(?=\S)", "\n".join(lines))
    found: dict[str, str] = {}
    for entry in entries:  # a package may have a version for each Python
        name = re.split(r"[=\[]", entry)[0]
        found[name] = found.get(name, "") + entry
    return found


def names(requirements: list[str]) -> set[str]:
    """Return the packages that requirements name, as a lock spells them."""
    found = {re.split(r"[\[<>=!~; ]", requirement)[0] for requirement in requirements}
    return {re.sub(r"[-_.]+", "-", name).lower() for name in found} - {"earnest"}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_locked_package_has_a_version_and_a_hash(lock: Path) -> None:
    entries = locked(lock)
    assert len(entries) > 30
    loose = [n for n, entry in entries.items() if "==" not in entry or "--hash=sha256:" not in entry]
    assert not loose


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_host_and_no_place(lock: Path) -> None:
    lines = [line for line in lock.read_text().splitlines() if not line.lstrip().startswith("--hash=")]
    assert not [line for line in lines if re.search(r"://|index|find-links|\.\w{2,3}/|/\w+/|@", line)]


def test_the_locks_hold_what_the_project_declares() -> None:
    extras = dict(PROJECT["project"]["optional-dependencies"])
    groups = PROJECT["dependency-groups"]
    beside = extras.pop("openwakeword")  # not in `local`: it is large, and not for every Python
    run = names([*PROJECT["project"]["dependencies"], *groups["build"], *chain(*extras.values())])
    dev = run | names([*groups["test"], *groups["check"], *beside])
    assert run <= set(locked(ROOT / "requirements" / "run.txt"))
    assert dev <= set(locked(ROOT / "requirements" / "dev.txt"))


def test_tests_run_on_the_versions_that_run() -> None:
    run, dev = locked(ROOT / "requirements" / "run.txt"), locked(ROOT / "requirements" / "dev.txt")
    assert not {name for name in run if run[name] != dev.get(name)}


def test_the_extra_for_local_speech_is_all_of_its_engines() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    assert extras["local"] == ["earnest[faster_whisper,piper,silero_vad,microwakeword]"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel in it and, as `source`, what it was made of."""
    return wheel_by_way_of_the_source(tmp_path_factory.mktemp("built")).parent


@pytest.fixture(scope="module")
def wheel(built: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(next(built.glob("*.whl")))


def test_the_wheel_is_whole_and_holds_nothing_else(built: Path, wheel: zipfile.ZipFile) -> None:
    found = glob.iglob(f"{built}/source/**/*", recursive=True)  # through links, too
    made_of = {os.path.relpath(path, built / "source") for path in found if os.path.isfile(path)}
    inside = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert inside == {name for name in made_of if name.startswith(("hub/", "integrations/"))}
    starter = {f"hub/shipped/config/{path.name}" for path in (ROOT / "config").iterdir()}
    assert inside > {"hub/py.typed", "hub/phrases/en.yaml", "hub/shipped/blueprints/README.md", *starter}


def test_the_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    named = next(name for name in wheel.namelist() if name.endswith("/METADATA"))
    said = Parser().parsestr(wheel.read(named).decode())
    assert (said["Name"], said["License-Expression"], said["Requires-Python"]) == (
        "earnest",
        "Apache-2.0",
        ">=3.11",
    )
    assert set(said.get_all("License-File", [])) == {"LICENSE", "NOTICE"}
    assert set(said.get_all("Provides-Extra", [])) >= {"local", "faster-whisper", "piper"}


@pytest.mark.parametrize("script", ["install", "run", "test", "check", "lock"])
def test_scripts_are_sound_bash(script: str) -> None:
    path = ROOT / "scripts" / script
    assert path.stat().st_mode & 0o111
    subprocess.run(["bash", "-n", path], check=True)
    assert "set -euo pipefail" in path.read_text()


def test_a_python_that_is_too_old_is_said(tmp_path: Path) -> None:
    old = tmp_path / "python3.9"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    environment = {"PATH": "/usr/bin:/bin", "EARNEST_PYTHON": str(old), "EARNEST_VENV": str(tmp_path / "v")}
    done = subprocess.run(
        [ROOT / "scripts" / "install", "run"], env=environment, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 1
    assert "Python 3.11 or newer" in done.stderr
    assert str(old) in done.stderr


def test_ci_calls_the_two_scripts_word_for_word() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert lines[-2:] == ["scripts/check", "scripts/test"]


def test_every_recording_in_the_tests_is_credited() -> None:
    manifest = (ROOT / "tests" / "cases" / "audio" / "manifest.yaml").read_text()
    said = {entry["file"]: entry["repo"] for entry in yaml.safe_load(manifest)}
    here = ROOT / "tests" / "cases" / "audio"
    files = {p.relative_to(here).as_posix() for p in here.rglob("*") if p.is_file()} - {"manifest.yaml"}
    assert files <= set(said)
    notice = (ROOT / "NOTICE").read_text()
    assert not {said[file] for file in files if said[file] not in notice}
