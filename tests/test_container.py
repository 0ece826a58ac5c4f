"""The Dockerfile, step by step in a folder of its own, and the compose file and systemd units beside it."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml

from hub import __version__
from hub.cli.verbs import parsed
from tests.built import ROOT, built
from tests.dockerfile import Step, is_sent, steps

STEPS = steps(ROOT / "Dockerfile")
FINAL = [step for step in STEPS if step.stage == STEPS[-1].stage]
UNITS = sorted((ROOT / "docs" / "systemd").glob("*/*.service"))
PATIENCE = 60
STOP_SECONDS = 3.0


def only(name: str) -> Step:
    """Return the one instruction of this name in the final stage."""
    found = [step for step in FINAL if step.name == name]
    assert len(found) == 1, name
    return found[0]


def environment() -> dict[str, str]:
    """Return what the image sets."""
    return dict(word.split("=", 1) for word in only("ENV").argv)


def copied(folder: Path) -> None:
    """Do the COPY steps of the build stage, with what .dockerignore lets through."""
    for step in STEPS:
        if step.name != "COPY" or step.stage != 0:
            continue
        *sources, target = step.argv
        for name in sources:
            assert is_sent(ROOT / ".dockerignore", name), f"{name} is not sent to the build"
            into = folder / target / name if target == "./" else folder / target
            into.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, into, symlinks=True, ignore=_unsent)
            else:
                shutil.copy(ROOT / name, into)


def _unsent(folder: str, names: list[str]) -> list[str]:
    here = Path(folder).relative_to(ROOT)
    return [name for name in names if not is_sent(ROOT / ".dockerignore", (here / name).as_posix())]


@pytest.fixture(scope="module")
def image() -> Iterator[Path]:
    """A folder with the final stage's own folders in it: `/data` is `<image>/data`."""
    with TemporaryDirectory(prefix="e-") as name:
        image, source = Path(name), Path(name, "src")
        copied(source)
        wheel = built("wheel", source, image)
        venv = image / "opt" / "earnest"
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True, timeout=PATIENCE
        )
        site = next(venv.glob("lib/python3*/site-packages"))
        (site / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
        shutil.unpack_archive(wheel, site, "zip")
        entry = "#!{}\nimport sys\nfrom hub.__main__ import main\nsys.exit(main())\n"
        (venv / "bin" / "earnest").write_text(entry.format(venv / "bin" / "python"))
        (venv / "bin" / "earnest").chmod(0o755)
        made = re.findall(r"install -d -o earnest -g earnest -m (\d+) ([^&]+)", _runs())
        for mode, folders in made:
            for folder in folders.split():
                (image / folder.lstrip("/")).mkdir(mode=int(mode, 8), parents=True, exist_ok=True)
        yield image


def _runs() -> str:
    return " && ".join(step.words for step in FINAL if step.name == "RUN")


def inside(image: Path) -> dict[str, str]:
    """Return the image's environment, with its folders where they are here."""
    kept = {"PATH": f"{image}/opt/earnest/bin:/usr/bin:/bin"}
    own = environment()
    return kept | {
        name: f"{image}{value}" if value.startswith("/") else value
        for name, value in own.items()
        if name != "PATH"
    }


@pytest.mark.engines
def test_its_command_runs_is_healthy_and_stops_in_time(image: Path) -> None:
    environ = inside(image)
    health = only("HEALTHCHECK").words.partition("CMD ")[2]
    check = ["/bin/sh", "-c", health]
    assert subprocess.run(check, env=environ, timeout=PATIENCE, capture_output=True).returncode == 1
    with subprocess.Popen(
        only("CMD").argv, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=image
    ) as hub:
        try:
            assert hub.stdout
            assert any(line.startswith("It answers at") for line in hub.stdout)
            assert (image / "config" / "earnest.yaml").is_file()
            assert (image / "run" / "earnest" / "earnest.sock").is_socket()
            healthy = subprocess.run(check, env=environ, timeout=PATIENCE, capture_output=True, text=True)
            assert (healthy.returncode, "answers at" in healthy.stdout) == (0, True)
        finally:
            hub.send_signal(getattr(signal, only("STOPSIGNAL").words))
        hub.communicate(timeout=STOP_SECONDS)
    assert hub.returncode == 0


def test_the_image_is_small_and_its_user_is_nobody_special() -> None:
    assert len([step for step in STEPS if step.name == "FROM"]) == 2
    assert len({step.argv[0] for step in STEPS if step.name == "FROM"}) == 1
    assert "slim" in STEPS[0].words
    user = only("USER").words
    assert re.search(rf"useradd .*\b{user}\b", _runs())
    assert FINAL.index(only("USER")) < FINAL.index(only("CMD"))
    assert not re.search(r"gcc|build-essential|git|\bpip\b", _runs())
    assert [step.argv for step in FINAL if step.name == "COPY"] == [
        ["--from=build", "/opt/earnest", "/opt/earnest"]
    ]


def test_packages_are_taken_by_their_hashes_alone() -> None:
    installs = [
        step.words for step in STEPS if step.name == "RUN" and " install " in step.words and step.stage == 0
    ]
    assert len(installs) == 2
    assert "--require-hashes -r requirements/run.txt" in installs[0]
    assert "--no-deps --no-build-isolation ." in installs[1]


def test_process_1_passes_signals_on_and_collects_the_dead() -> None:
    assert only("ENTRYPOINT").argv == ["tini", "--"]
    assert re.search(r"apt-get install [^&]*\btini\b", _runs())


def test_its_label_is_this_version() -> None:
    assert f'version="{__version__}"' in only("LABEL").words


def test_volumes_belong_to_its_user() -> None:
    owned = re.findall(r"install -d -o earnest .*? -m 0700 ([^&]+)", _runs())[0].split()
    assert set(only("VOLUME").argv) <= set(owned)
    named = environment()
    assert {named["EARNEST_CONFIG"], named["EARNEST_DATA"], named["XDG_RUNTIME_DIR"]} <= set(owned)


def test_the_compose_file_fits_the_image() -> None:
    compose = yaml.safe_load((ROOT / "docs" / "compose.yaml").read_text())
    hub, broker = compose["services"]["earnest"], compose["services"]["mosquitto"]
    assert (ROOT / "docs" / hub["build"] / "Dockerfile").resolve() == ROOT / "Dockerfile"
    mounts = dict(mount.split(":", 1)[::-1] for mount in hub["volumes"])
    assert set(only("VOLUME").argv) < set(mounts)
    owned = re.findall(r"install -d -o earnest .*? -m 0700 ([^&]+)", _runs())[0].split()
    written = [mount.split(":")[0] for mount in hub["tmpfs"]]
    assert hub["read_only"] is True
    assert set(owned) <= {*mounts, *written}
    user = re.search(r"useradd .*--uid (\d+)", _runs())
    assert user
    assert f"/run/earnest:uid={user[1]},gid={user[1]},mode=0700" in hub["tmpfs"]
    assert {*mounts.values(), *(m.split(":")[0] for m in broker["volumes"])} == set(compose["volumes"])
    assert "ports" not in broker


def unit(path: Path) -> dict[str, dict[str, str]]:
    """Return the sections of a unit; a key of it may stand only once."""
    parser = configparser.RawConfigParser(delimiters="=")
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(path.read_text())
    return {name: dict(parser[name]) for name in parser.sections()}


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.parent.name)
def test_a_unit_starts_reloads_and_watches_the_hub(path: Path) -> None:
    service = unit(path)["Service"]
    binary, *words = service["ExecStart"].split()
    assert os.path.basename(binary) == "earnest"
    verb, _ = parsed(words)
    assert verb.__name__ == "hub.cli.run"  # type: ignore[attr-defined]
    assert service["ExecReload"] == "/bin/kill -HUP $MAINPID"
    assert (service["Type"], service["Restart"]) == ("notify", "on-failure")
    assert service["WatchdogSec"] == "60s"
    assert float(service["TimeoutStopSec"].removesuffix("s")) > STOP_SECONDS


def test_the_system_unit_may_write_its_own_folders_and_reach_sound() -> None:
    service = unit(next(path for path in UNITS if path.parent.name == "system"))["Service"]
    assert service["User"] != "root"
    assert f"--data /var/lib/{service['StateDirectory']}" in service["ExecStart"]
    assert service["Environment"] == f"XDG_RUNTIME_DIR=/run/{service['RuntimeDirectory']}"
    assert service["RuntimeDirectoryMode"] == "0700"
    assert (service["ProtectSystem"], service["NoNewPrivileges"]) == ("strict", "yes")
    assert (service["DeviceAllow"], service["SupplementaryGroups"]) == ("char-alsa rw", "audio")
    assert "MemoryDenyWriteExecute" not in service


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.parent.name)
def test_systemd_itself_accepts_a_unit(path: Path, tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        return  # a machine without systemd has nothing to ask; the tests above read the same files
    text = re.sub(r"(?<=ExecStart=)\S+", "/bin/true", path.read_text())
    (tmp_path / path.name).write_text(text)
    command = ["systemd-analyze", "verify", "--man=no", str(tmp_path / path.name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")
