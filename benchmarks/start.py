"""What starting costs: CPU seconds and memory until the hub is ready, and how long a CLI verb takes.

    python benchmarks/start.py [--starts 5] [--verbs 10]

Prints JSON. `bare` is the demo house without speech engines, `starter` the configuration in config/
with all of them. `_all` sums over the process and its children; `pss` counts a page that several of
them share in parts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

STARTER = Path(__file__).parent.parent / "config"
EARNEST = (sys.executable, "-m", "hub")
VERBS = (("states",), ("ask", "what time is it"), ("call", "light.turn_on", "--target", "all"))
READY_SECONDS = 120
BARE = """\
integrations:
  demo_house: {type: demo}
pipelines:
  default: {intents: [commands, home]}
"""


def environment() -> dict[str, str]:
    """Return the environment without what would keep Python from caching byte code."""
    drop = {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "VIRTUAL_ENV"}
    return {name: value for name, value in os.environ.items() if name not in drop}


def measure(process: psutil.Process) -> dict[str, Any]:
    """Return CPU seconds and MB of a process, and of it with its children."""
    family = [process, *process.children(recursive=True)]
    spent = [sum(member.cpu_times()[:2]) for member in family]
    memory = [member.memory_full_info() for member in family]
    return {
        "processes": len(family),
        "cpu_seconds": round(spent[0], 3),
        "cpu_seconds_all": round(sum(spent), 3),
        "rss_mb": round(memory[0].rss / 1e6, 1),
        "rss_mb_all": round(sum(m.rss for m in memory) / 1e6, 1),
        "pss_mb_all": round(sum(m.pss for m in memory) / 1e6, 1),
    }


@contextmanager
def running(config: Path, folder: Path) -> Iterator[tuple[psutil.Process, Path, float]]:
    """Run a hub; yields its process, its socket and the seconds until it was ready."""
    control = folder / "control.sock"
    command = [*EARNEST, "run", "--config", str(config), "--data", str(folder), "--socket", str(control)]
    began = time.perf_counter()
    with (folder / "log").open("wb") as log:
        hub = subprocess.Popen(command, stdout=log, stderr=log, env=environment(), cwd=folder)
    try:
        while not is_ready(control):
            if hub.poll() is not None or time.perf_counter() - began > READY_SECONDS:
                raise SystemExit((folder / "log").read_text())
            time.sleep(0.005)
        yield psutil.Process(hub.pid), control, time.perf_counter() - began
    finally:
        hub.terminate()
        hub.wait(10)


def is_ready(control: Path) -> bool:
    """Ask the hub's health over its socket, at hardly any cost."""
    import socket

    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(control))
            client.sendall(b"GET /api/ HTTP/1.1\r\nHost: earnest\r\nConnection: close\r\n\r\n")
            return client.recv(64).startswith(b"HTTP/1.1 200")
        except OSError:
            return False


def medians(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the median of every number, with how many runs there were."""
    return {"runs": len(runs), **{key: round(statistics.median(r[key] for r in runs), 3) for key in runs[0]}}


def starts(config: Path, count: int, first: tuple[str, ...]) -> dict[str, Any]:
    """Start `count` times after a first start of a fresh data folder; measure at ready and after `first`."""
    ready, later = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count + 1):
            with running(config, Path(folder)) as (hub, control, took):
                ready.append({"ready_seconds": round(took, 3), **measure(hub)})
                verb(first, control)
                later.append(measure(hub))
    return {"very_first": ready[0], "at_ready": medians(ready[1:]), "after_first_turn": medians(later[1:])}


def verb(words: tuple[str, ...], control: Path) -> float:
    """Run a CLI verb and return how many milliseconds it took, process and all."""
    began = time.perf_counter()
    command = [*EARNEST, *words, "--socket", str(control)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), cwd=control.parent)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return (time.perf_counter() - began) * 1000


def verbs(config: Path, count: int) -> dict[str, Any]:
    """Time CLI verbs against a running hub."""
    took = {}
    with tempfile.TemporaryDirectory() as folder, running(config, Path(folder)) as (_, control, _):
        for words in VERBS:
            verb(words, control)
            ms = [verb(words, control) for _ in range(count)]
            took[words[0]] = {
                "runs": count,
                "median_ms": round(statistics.median(ms), 1),
                "max_ms": round(max(ms), 1),
            }
    return took


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--verbs", type=int, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder)
        (bare / "earnest.yaml").write_text(BARE)
        result = {
            "bare": starts(bare, args.starts, VERBS[1]),
            "starter": starts(STARTER, args.starts, ("hear", str(STARTER / "self-check.wav"))),
            "verbs": verbs(bare, args.verbs),
        }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
