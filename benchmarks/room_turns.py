"""What the hub adds to a voice turn: `python benchmarks/room_turns.py --satellites 32`.

Prints one JSON line. Every satellite hears its own wake word and a command at the same instant; wake word,
VAD, recogniser, understanding and voice answer at once, so that what is left is the hub's. `added_ms` is from
the end of the turn (0.7 s of silence are over) to the first sound on its way to the satellite. CPU includes
the simulated microphones, 64 ms a piece, over the four seconds of a round.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from hub.events import SpeechEnded, TurnEvent  # noqa: E402
from hub.rooms.config import SatelliteConfig, WakeConfig  # noqa: E402
from hub.testing import ScriptedAsr, ScriptedSatellite  # noqa: E402
from tests.rooms.rig import Building  # noqa: E402

COMMAND = "turn on the light"
ROUND = 4.0
"""Seconds."""


class Timed(ScriptedSatellite):
    """Keeps the moment at which its utterance was over."""

    ended = 0.0

    def tell(self, event: TurnEvent) -> None:
        """Take note of the end of speech."""
        if isinstance(event, SpeechEnded):
            self.ended = asyncio.get_running_loop().time()

    def added(self) -> float | None:
        """Return milliseconds from the end of the turn to the first sound; None: nobody was answered."""
        return 1000 * (self.outlet.heard[0][0] - self.ended) if self.outlet.heard else None


def house(count: int) -> Building:
    """Return a house whose engines cost nothing."""
    config = WakeConfig(engine="words")
    names = [f"room_{number}" for number in range(count)]
    made = Building(
        {name: SatelliteConfig(source=name, wake=config, follow_up="never") for name in names},
    )
    made.tongue.words = tuple(names)
    made.tts.seconds_per_character = 0.005
    made.engines["asr"] = ScriptedAsr([COMMAND])
    return made


async def measured(count: int, rounds: int) -> dict[str, Any]:
    """Let everybody speak at once, round after round."""
    found: list[float] = []
    async with house(count).open() as building:
        toys = [Timed(building.tongue, f"room_{number}") for number in range(count)]
        for toy in toys:
            building.connect(toy, toy.id)
        await asyncio.sleep(1)
        cpu = time.process_time()
        for _ in range(rounds):
            await _round(building, toys)
            found += [added for toy in toys if (added := toy.added()) is not None]
        cpu = time.process_time() - cpu
    found.sort()
    return {
        "satellites": count,
        "turns": count * rounds,
        "answered": len(found),
        "added_ms": {"p50": round(statistics.median(found), 1), "p95": round(_part(found, 0.95), 1)},
        "cpu_ms_a_turn": round(1000 * cpu / len(found), 1),
    }


async def _round(building: Building, toys: Sequence[Timed]) -> None:
    said = building.tongue
    for toy in toys:
        toy.outlet.heard.clear()
        toy.hear(said.wake(toy.id, 0.3), said.silence(0.1), said.say(COMMAND, 0.5))
    await asyncio.sleep(ROUND)


def _part(values: Sequence[float], part: float) -> float:
    return values[min(int(part * len(values)), len(values) - 1)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--satellites", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(json.dumps(asyncio.run(measured(options.satellites, options.rounds))))


if __name__ == "__main__":
    main()
