"""Earnest as a hub under test of a side-by-side benchmark: an instrument that lies elsewhere.

Run from the instrument's folder, with its own environment as the driver:

    export PYTHONPATH=<this folder> EARNEST_PYTHON=<python with earnest[local]>
    .venv-ha/bin/python run.py --hub ha_peer:HomeAssistant --hub peer:Earnest --only text --out a.json

Part `text` is what can be measured so far: requests go over the control socket to the shape of Home
Assistant's `/api/conversation/process`, the instrument's lights are lamps of the demo house. There is
no MQTT and no satellite protocol yet: the adapter itself keeps the instrument's satellites connected.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import aiohttp

instrument: Any = importlib.import_module("hub")
"""The instrument's `hub.py`, which lies first on its path; not our package of the same name."""

READY_SECONDS = 60
RUN_SATELLITE = b'{"type": "run-satellite", "version": "1.5.4"}\n'

HOUSE = """\
hub: {{name: Bench, language: en, time_zone: UTC, latitude: 52.0, longitude: 5.0}}
integrations:
  lamps: {{type: demo, rooms: false, lights: {lights}}}
pipelines:
  default: {{intents: [commands, home]}}
"""


def python() -> str:
    """Return the interpreter that has Earnest: `$EARNEST_PYTHON`, else this checkout's .venv."""
    return os.environ.get("EARNEST_PYTHON") or str(Path(__file__).parent.parent / ".venv/bin/python")


class Earnest(instrument.HubUnderTest):  # type: ignore[misc]  # the instrument has no types here
    """One hub process; no speech engine is opened."""

    name = "earnest"

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._http: aiohttp.ClientSession | None = None
        self._satellites: list[asyncio.StreamWriter] = []

    async def start(self, setup: Any) -> float:
        """Write the configuration, start the hub, wait until it says that it runs."""
        config, data = self._write(setup)
        control = data / "control.sock"
        self._http = aiohttp.ClientSession(
            base_url="http://earnest",
            connector=aiohttp.UnixConnector(str(control), limit=0),
            timeout=aiohttp.ClientTimeout(total=READY_SECONDS),
        )
        command = [python(), "-m", "hub", "run", "--config", str(config), "--data", str(data)]
        began = time.monotonic()
        self._process = instrument.spawn(
            [*command, "--socket", str(control)], setup.workdir / "earnest.log", cwd=setup.workdir
        )
        while not await self._is_running():
            if self._process.poll() is not None or time.monotonic() - began > READY_SECONDS:
                raise RuntimeError("Earnest did not start; see earnest.log")
            await asyncio.sleep(0.02)
        took = time.monotonic() - began
        for _, port in setup.satellites:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(RUN_SATELLITE)
            self._satellites.append(writer)
        return took

    def _write(self, setup: Any) -> tuple[Path, Path]:
        config, data = setup.workdir / "earnest-config", setup.workdir / "earnest-data"
        for folder in (config, data):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        lights = json.dumps([light.name for light in setup.lights])
        (config / "earnest.yaml").write_text(HOUSE.format(lights=lights))
        return config, data

    async def _is_running(self) -> bool:
        assert self._http is not None
        try:
            async with self._http.get("/api/") as response:
                return response.status == 200
        except aiohttp.ClientError:
            return False

    async def text_command(self, text: str) -> Any:
        """One sentence over the control socket."""
        assert self._http is not None
        said = {"text": text, "language": "en"}
        async with self._http.post("/api/conversation/process", json=said) as response:
            raw = await response.json()
        answer = raw.get("response", {})
        return instrument.Reply(
            ok=answer.get("response_type") in ("action_done", "query_answer"),
            speech=answer.get("speech", {}).get("plain", {}).get("speech", ""),
            raw=raw,
        )

    async def fire_event(self, seq: int) -> None:
        """Automations are not there yet."""
        raise RuntimeError("Earnest has no automations yet: run with --only text")

    def pid(self) -> int:
        """Return the hub's process."""
        assert self._process is not None
        return self._process.pid

    async def stop(self) -> None:
        """End the hub and wait for it."""
        for writer in self._satellites:
            writer.close()
        if self._http is not None:
            await self._http.close()
        if self._process is not None:
            await instrument.end_process(self._process)

    def version(self) -> str:
        """Return the version and what it runs on."""
        code = "import platform, hub; print(hub.__version__, 'on Python', platform.python_version())"
        run = subprocess.run([python(), "-c", code], capture_output=True, text=True, check=True, cwd="/")
        return run.stdout.strip()

    def settings(self) -> dict[str, Any]:
        """What matters for the numbers."""
        return {
            "transport": "HTTP over a unix socket; the peer's is HTTP over TCP with a bearer token",
            "audit": "on: each action's opening line is synced before it runs",
            "states": "kept in SQLite",
            "lights": "37 lamps of the demo house; no MQTT yet",
            "satellites": "held open by the adapter, not by the hub",
            "speech engines": "none opened",
        }
