"""The wheel in an environment of its own, outside of the checkout: a newcomer's first minutes with it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import wave
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.built import wheel_by_way_of_the_source

pytestmark = pytest.mark.engines
PATIENCE = 90.0
STOP_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Machine:
    """A newcomer's machine: an environment with the wheel, and an empty home."""

    venv: Path
    home: Path

    @property
    def site(self) -> Path:
        """Where packages are installed."""
        return next(self.venv.glob("lib/python3*/site-packages"))

    def pip(self, verb: str, *words: str) -> None:
        """Install or uninstall with what made this very environment: uv, or else pip."""
        python = str(self.venv / "bin" / "python")
        with_uv = ["uv", "pip", verb, "--python", python]
        with_pip = [sys.executable, "-m", "pip", "--python", python, verb, *(["-y"] * (verb == "uninstall"))]
        command = [*(with_uv if shutil.which("uv") else with_pip), *words]
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Begin `earnest …` in the newcomer's home."""
        return subprocess.Popen(
            [self.venv / "bin" / "earnest", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.home,
            env={"HOME": str(self.home), "PATH": "/usr/bin:/bin"},
        )

    def earnest(self, *words: str) -> str:
        """Run `earnest …` to its end, which must be a good one; returns what it printed."""
        with self.begin(*words) as process:
            out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, out + err
        return out


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """Install the wheel; the libraries it needs are borrowed from the tests' own environment."""
    wheel = wheel_by_way_of_the_source(tmp_path_factory.mktemp("built"))
    with TemporaryDirectory(prefix="e-") as name:
        made = Machine(Path(name, "venv"), Path(name, "home"))
        made.home.mkdir()
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", made.venv], check=True, timeout=PATIENCE
        )
        (made.site / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
        made.pip("install", "--no-deps", str(wheel))
        yield made


def test_it_is_the_wheel_that_runs(machine: Machine) -> None:
    code = "import hub, integrations; print(hub.__file__, integrations.__file__)"
    command = [str(machine.venv / "bin" / "python"), "-c", code]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=machine.home).stdout
    assert all(path.startswith(str(machine.site)) for path in printed.split())


def test_run_lays_out_a_house_hears_and_passes_the_doctor(machine: Machine) -> None:
    with machine.begin("run", "--self-check") as hub:
        assert hub.stdout
        said = []
        for line in hub.stdout:
            said.append(line)
            if line.startswith("It answers at"):
                break
        assert any("It hears self-check.wav" in line for line in said)
        assert any("turn on the kitchen lights" in line.lower() for line in said), said
        try:
            recording = machine.home / ".config" / "earnest" / "self-check.wav"
            machine.earnest("hear", str(recording), "--out", "reply.wav")
            checks = machine.earnest("doctor").splitlines()
            assert len(checks) > 8
            assert all(line.startswith("ok ") for line in checks)
            machine.earnest("doctor", "--quick")
        finally:
            hub.send_signal(signal.SIGTERM)
        _, err = hub.communicate(timeout=STOP_SECONDS)
    assert (hub.returncode, "Traceback" not in err) == (0, True)
    assert f"the starter house is in {machine.home}/.config/earnest now" in err
    with wave.open(str(machine.home / "reply.wav")) as reply:
        assert reply.getnframes() > reply.getframerate() / 4
    assert sorted(os.listdir(machine.home)) == [".config", ".local", "reply.wav"]  # nothing reports home


def test_it_goes_without_a_trace_and_the_house_stays(machine: Machine) -> None:
    machine.earnest("check")
    machine.pip("uninstall", "earnest")
    assert os.listdir(machine.site) == ["borrowed.pth"]
    assert not (machine.venv / "bin" / "earnest").exists()
    assert (machine.home / ".config" / "earnest" / "earnest.yaml").is_file()
