"""A hub in a process of its own, for benchmarks that use it from outside."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from hub.cli.client import Client

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class House:
    """A running hub, seen from outside."""

    client: Client
    process: psutil.Process

    def worker(self, integration: str) -> psutil.Process:
        """Return the process of an integration's worker."""
        for child in self.process.children():
            if f"integrations/{integration}/worker.py" in " ".join(child.cmdline()):
                return child
        raise LookupError(f"the worker of {integration} is not there")

    def hear(self, recording: Path) -> dict[str, Any]:
        """Run a turn on a recording as fast as it is read, and return its record."""
        descriptor = os.open(recording, os.O_RDONLY)
        try:
            return last(self.client.hear(descriptor, {}))
        finally:
            os.close(descriptor)

    def state(self, name: str) -> dict[str, Any]:
        """Return the attributes of an integration's state."""
        attributes: dict[str, Any] = self.client.get(f"/api/states/integration.{name}")["attributes"]
        return attributes


def last(events: Iterator[dict[str, Any]]) -> dict[str, Any]:
    """Return the record that ends a turn's events."""
    return list(events)[-1]


@contextmanager
def house(config: str) -> Iterator[House]:
    """Run `earnest run` on a configuration until the block ends."""
    with tempfile.TemporaryDirectory(prefix="e-") as folder:
        where = Path(folder)
        (where / "earnest.yaml").write_text(config, encoding="utf-8")
        socket = where / "control.sock"
        command = [sys.executable, "-m", "hub", "run", "--config", folder, "--data", str(where / "data")]
        command += ["--socket", str(socket), "--log", "error"]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout
                if not any(line.startswith("It answers at") for line in process.stdout):
                    raise RuntimeError("the hub did not start")
                yield House(Client(socket, 120), psutil.Process(process.pid))
            finally:
                process.terminate()
