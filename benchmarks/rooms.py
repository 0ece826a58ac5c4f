"""Eight rooms that speak at the same time to one recogniser: who waits for whom, and who is let down.

    python benchmarks/rooms.py [--rooms 8] [--rounds 3] [--apart 0.05]

Prints JSON. A hub runs in a process of its own with Whisper `tiny.en`; every room sends the same command at
the pace of a microphone, `apart` seconds after the one before. `failures` counts turns that were not
answered; `overtaken` counts pairs of rooms of which the later speaker was answered first. `after_speech` is
from the end of a room's speech to its answer, in seconds by room, medians over the rounds; `asr_wait` is how
much of it the timeline of the turn shows as standing in the recogniser's line.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.house import House, house, last  # noqa: E402
from benchmarks.recover import CONFIG, SPOKEN  # noqa: E402

_PIECE = 0.064
"""Seconds of sound in one piece of a microphone."""
_BYTES_A_SECOND = 32_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """How one room's turn went."""

    ended: float
    """When its last sound was sent; monotonic seconds."""
    answered: float
    record: dict[str, Any]

    @property
    def is_well(self) -> bool:
        """Whether the command was heard and answered."""
        return self.record["reason"] == "answered" and not self.record["failures"]

    @property
    def waited(self) -> float:
        """Seconds in the recogniser's line."""
        return float(self.record["timeline"].get("asr_wait", 0.0)) / 1000


def speak(hub: House, room: int, apart: float) -> Spoken:
    """Send the command at the pace of a microphone and wait for the answer."""
    reading, writing = os.pipe()
    ended: list[float] = []

    def pour() -> None:
        time.sleep(room * apart)
        recording = SPOKEN.read_bytes()
        size = round(_PIECE * _BYTES_A_SECOND)
        began = time.monotonic()
        for number, start in enumerate(range(0, len(recording), size), 1):
            os.write(writing, recording[start : start + size])
            time.sleep(max(0.0, began + number * _PIECE - time.monotonic()))
        ended.append(time.monotonic())
        os.close(writing)

    pouring = threading.Thread(target=pour)
    pouring.start()
    try:
        record = last(hub.client.hear(reading, {}))
    finally:
        os.close(reading)
    answered = time.monotonic()
    pouring.join()
    return Spoken(ended=ended[0], answered=answered, record=record)


def overtaken(turns: list[Spoken]) -> int:
    """Return how many pairs were answered in another order than they had ended to speak."""
    pairs = itertools.combinations(sorted(turns, key=lambda turn: turn.ended), 2)
    return sum(earlier.answered > later.answered for earlier, later in pairs)


def main() -> None:
    """Let the rooms speak, again and again."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rooms", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--apart", type=float, default=0.05)
    given = parser.parse_args()
    rounds: list[list[Spoken]] = []
    with house(CONFIG) as hub, ThreadPoolExecutor(given.rooms) as rooms:
        speak(hub, 0, 0)
        for _ in range(given.rounds):
            rounds.append(list(rooms.map(lambda room: speak(hub, room, given.apart), range(given.rooms))))
        state = hub.state("whisper")
    every = list(itertools.chain(*rounds))
    found = {
        "turns": len(every),
        "failures": sum(not turn.is_well for turn in every),
        "overtaken": sum(map(overtaken, rounds)),
        "after_speech": by_room([[turn.answered - turn.ended for turn in turns] for turns in rounds]),
        "asr_wait": by_room([[turn.waited for turn in turns] for turns in rounds]),
        "crashes": state["crashes"],
    }
    print(json.dumps(found, indent=2))


def by_room(rounds: list[list[float]]) -> list[float]:
    """Return each room's median over the rounds."""
    return [round(statistics.median(room), 2) for room in zip(*rounds, strict=True)]


if __name__ == "__main__":
    main()
