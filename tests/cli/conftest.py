"""A real hub in a process of its own, with scripted engines, and the command line as its users call it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

PATIENCE = 60.0
"""Seconds after which a verb or a start is called stuck."""
HOUSE = """\
areas: {kitchen: , garage: }
integrations:
  rooms: {type: demo}
  engines: {type: scripted}
  broken: {type: scripted, error: the model is broken}
  away: {type: wyoming, uri: "unix:///nowhere/away.sock"}
pipelines:
  default: {vad: engines, asr: engines, intents: [commands, home], tts: engines}
  deaf: {inherit: default, asr: away}
  broken: {inherit: default, asr: broken}
policies:
  - {tools: lock.unlock, callers: cli, then: deny}
"""
SCRIPTED = '''\
"""Engines that always hear the same and hum their answers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from hub import EngineError, IntegrationContext, Provides
from hub.testing import Heard, ScriptedAsr, ScriptedTts, ScriptedVad


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What goes wrong."""

    error: str = ""


@asynccontextmanager
async def setup(options: Options, context: IntegrationContext) -> AsyncIterator[Provides]:
    """Offer the engines."""
    error = EngineError(options.error) if options.error else None
    heard = ScriptedAsr((Heard(text="Turn on the kitchen lamp.", error=error),))
    yield Provides(vad=ScriptedVad.spoken((1.0, 60.0)), asr=heard, tts=ScriptedTts())
'''


@dataclass(frozen=True, slots=True)
class House:
    """A configuration with its data folder, and the command line for it."""

    config: Path
    data: Path

    def command(self, *arguments: str) -> list[str]:
        """Return the whole command line."""
        where = ("--config", str(self.config), "--data", str(self.data))
        return [sys.executable, "-m", "hub", *where, *arguments]

    def run(
        self, *arguments: str, stdin: bytes = b"", environ: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a verb to its end."""
        ended = subprocess.run(
            self.command(*arguments),
            input=stdin,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            env={**_environ(), **(environ or {})},
            cwd=self.config.parent,
        )
        return subprocess.CompletedProcess(
            ended.args, ended.returncode, ended.stdout.decode(), ended.stderr.decode()
        )

    def lines(self, *arguments: str, stdin: bytes = b"") -> list[dict[str, Any]]:
        """Run a verb and return what it printed as JSON lines."""
        return [json.loads(line) for line in self.run(*arguments, stdin=stdin).stdout.splitlines()]

    @contextmanager
    def begun(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """Run a verb beside the test, until the block ends."""
        with subprocess.Popen(
            self.command(*arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=_environ(),
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def state(self, entity_id: str) -> str:
        """Return what an entity is now."""
        return str(self.lines("states", entity_id, "--json")[0]["state"])


def complaint(ended: subprocess.CompletedProcess[str]) -> str:
    """Return the one line that says what is wrong."""
    assert ended.stdout == ""
    assert ended.stderr.startswith("earnest")
    assert ended.stderr.count("\n") == 1, ended.stderr
    return ended.stderr


def _environ() -> dict[str, str]:
    gone = ("EARNEST_CONFIG", "EARNEST_DATA", "XDG_RUNTIME_DIR")
    return {name: value for name, value in os.environ.items() if name not in gone}


def make_house(folder: Path, text: str = HOUSE) -> House:
    """Write a configuration with scripted engines."""
    own = folder / "config" / "integrations" / "scripted"
    own.mkdir(parents=True)
    (own / "__init__.py").write_text(SCRIPTED)
    (folder / "config" / "earnest.yaml").write_text(text)
    return House(folder / "config", folder / "data")


@contextmanager
def started(house: House, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run the hub of a house until the block ends; it is ready when the block begins."""
    with subprocess.Popen(
        house.command("run", *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_environ(),
    ) as process:
        try:
            assert process.stdout
            for line in process.stdout:
                if line.startswith("It answers at"):
                    break
            else:
                raise AssertionError(f"the hub did not start: {process.stderr and process.stderr.read()}")
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=PATIENCE)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path, as sockets need it."""
    with TemporaryDirectory(prefix="e-") as name:
        yield Path(name)


@pytest.fixture(scope="session")
def hub() -> Iterator[House]:
    """A house whose hub runs; a test says first what it wants its things to be."""
    with TemporaryDirectory(prefix="e-") as name:
        house = make_house(Path(name))
        with started(house):
            yield house
