"""How long a person waits for an answer when an engine's process has just been killed.

    python benchmarks/recover.py [--rounds 10]

Prints JSON, seconds. A hub runs in a process of its own with Whisper `tiny.en` and a Piper voice. `whole`
is a turn in which nothing goes wrong: a recording in as fast as it is read, the record out (`whisper`), or
a sentence in, the first sound out (`piper`). `killed` is the same turn asked at the moment of a
`kill -9` of the idle worker, from the kill on; `in_mid_turn` is from a kill while the engine is at work.
Every answer has to be the right one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.house import House, house  # noqa: E402

CONFIG = """\
hub: {name: Bench, language: en, time_zone: UTC}
integrations:
  whisper: {type: faster_whisper, model: tiny.en}
  voice: {type: piper}
pipelines:
  default: {asr: whisper, intents: [commands, home]}
  loud: {intents: [commands, home], tts: voice}
commands:
  beatles: {phrases: [play the beatles], reply: Here they are.}
"""
SPOKEN = ROOT / "tests" / "cases" / "audio" / "rhasspy3" / "play_the_beatles.wav"
_THINKS = {"faster_whisper": 0.1, "piper": 0.03}
"""Seconds into a turn at which the engine is at work."""


def hear(hub: House) -> None:
    """Let Whisper hear the recording."""
    record = hub.hear(SPOKEN)
    if record["reason"] not in ("answered", "acted"):
        raise SystemExit(f"not understood: {record}")


def speak(hub: House) -> None:
    """Let Piper speak until its first sound is there, and let the rest come after the clock has stopped."""
    query = {"pipeline": "loud", "audio": True}
    for event in hub.client.turn({"text": "play the beatles", **query}):
        if event.get("type") == "tts-audio":
            return
        if event.get("failures"):
            raise SystemExit(f"not spoken: {event}")
    raise SystemExit("there was no sound")


def clocked(work: Callable[[House], None], hub: House) -> float:
    """Return the seconds that the work takes."""
    began = time.monotonic()
    work(hub)
    return time.monotonic() - began


def killed(work: Callable[[House], None], hub: House, integration: str) -> float:
    """Kill the worker, ask at once, and return the seconds from the kill to the answer."""
    victim = hub.worker(integration)
    began = time.monotonic()
    victim.kill()
    work(hub)
    return time.monotonic() - began


def killed_at_work(work: Callable[[House], None], hub: House, integration: str) -> float:
    """Kill the worker while it is at work and return the seconds from there to the answer."""
    victim = hub.worker(integration)
    moments: list[float] = []

    def strike() -> None:
        time.sleep(_THINKS[integration])
        moments.append(time.monotonic())
        victim.kill()

    striking = threading.Thread(target=strike)
    striking.start()
    work(hub)
    striking.join()
    return time.monotonic() - moments[0]


def measured(work: Callable[[House], None], hub: House, integration: str, name: str, rounds: int) -> Any:
    """Return the three times of one engine, and how often it really was killed."""
    work(hub)
    before = hub.state(name)["crashes"]
    times: dict[str, list[float]] = {"whole": [], "killed": [], "in_mid_turn": []}
    for _ in range(rounds):
        times["whole"].append(clocked(work, hub))
        times["killed"].append(killed(work, hub, integration))
        work(hub)
        times["in_mid_turn"].append(killed_at_work(work, hub, integration))
        work(hub)
    found = {f"{key}_{stat}": round(value, 3) for key, all_ in times.items() for stat, value in spread(all_)}
    return {**found, "crashes": hub.state(name)["crashes"] - before}


def spread(times: list[float]) -> list[tuple[str, float]]:
    """Return the median and the longest."""
    return [("p50", statistics.median(times)), ("max", max(times))]


def main() -> None:
    """Measure one engine after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    with house(CONFIG) as hub:
        found = {
            "whisper": measured(hear, hub, "faster_whisper", "whisper", rounds),
            "piper": measured(speak, hub, "piper", "voice", rounds),
        }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
