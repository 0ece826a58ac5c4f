"""What satellites cost while they stream and nobody says anything: `python benchmarks/satellites.py 32`.

Prints one JSON line: CPU of the whole process in percent of a core, memory a satellite, sound that was lost,
and how late the event loop was. The detector of wake words is microWakeWord with one word.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from hub.bus import Bus  # noqa: E402
from hub.clock import Clock  # noqa: E402
from hub.errors import EngineUnavailable  # noqa: E402
from hub.pipeline.config import Pipeline  # noqa: E402
from hub.pipeline.context import Engines  # noqa: E402
from hub.rooms.config import RoomLimits, SatelliteConfig, WakeConfig  # noqa: E402
from hub.rooms.lent import Lent  # noqa: E402
from hub.rooms.rooms import Rooms  # noqa: E402
from hub.stages.wake import WakeDetector  # noqa: E402
from hub.states import States  # noqa: E402
from hub.testing.fleet import ScriptedSatellite, Tongue  # noqa: E402


def detector(is_real: bool, tongue: Tongue) -> WakeDetector:
    """Return microWakeWord, or one that costs nothing."""
    if not is_real:
        from hub.testing.fleet import TongueWake

        return TongueWake(tongue)
    from integrations.microwakeword.detector import MicroWake, shipped_models

    return MicroWake(shipped_models(), {}, 2.0)


async def _nothing(_request: object) -> Any:
    raise EngineUnavailable("nobody speaks here")


def _rooms(count: int, wake: WakeDetector, states: States, bus: Bus) -> Rooms:
    config = WakeConfig(engine="words", words={"okay_nabu": "default"})
    configs: Mapping[str, SatelliteConfig] = {
        f"room_{number}": SatelliteConfig(source=f"room_{number}", wake=config) for number in range(count)
    }
    engines = cast(Engines, SimpleNamespace(wake=lambda _: wake))
    return Rooms(
        configs,
        Lent(
            turn=_nothing,
            engines=engines,
            pipeline={"default": Pipeline()}.get,
            language=lambda: "en",
            bus=bus,
            states=states,
            ledger=None,
            limits=RoomLimits,
        ),
    )


async def measured(count: int, seconds: float, *, is_real: bool) -> dict[str, Any]:
    """Let so many satellites stream silence and return what that cost."""
    bus, tongue = Bus(), Tongue()
    rooms = _rooms(count, detector(is_real, tongue), States(bus, Clock()), bus)
    before = _memory()
    toys = [ScriptedSatellite(tongue, f"room_{number}") for number in range(count)]
    with ExitStack() as stack:
        for toy in toys:
            stack.enter_context(rooms.connect(toy.id, (toy,)))
        await asyncio.sleep(3)
        reads, cpu, began = sum(toy.microphone.reads for toy in toys), time.process_time(), time.monotonic()
        late = await _lateness(seconds)
        spent, took = time.process_time() - cpu, time.monotonic() - began
        read = (sum(toy.microphone.reads for toy in toys) - reads) * 0.064
        memory = _memory() - before
        heard = sum(station.ear.position for station in rooms.stations.values()) / 16_000
        await rooms.close()
    return {
        "satellites": count,
        "detector": "microWakeWord okay_nabu" if is_real else "none to speak of",
        "cpu_percent_of_a_core": round(100 * spent / took, 1),
        "seconds_of_sound_a_second": round(read / took, 1),
        "heard_in_all": round(heard),
        "mb_a_satellite": round(memory / count / 1024, 2),
        "loop_late_ms_max": round(1000 * late, 1),
    }


async def _lateness(seconds: float) -> float:
    """Return how late the loop woke a task at worst."""
    loop = asyncio.get_running_loop()
    end, worst = loop.time() + seconds, 0.0
    while loop.time() < end:
        due = loop.time() + 0.01
        await asyncio.sleep(0.01)
        worst = max(worst, loop.time() - due)
    return worst


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("satellites", type=int, nargs="?", default=32)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--without", action="store_true", help="with a detector that costs nothing")
    options = parser.parse_args()
    print(json.dumps(asyncio.run(measured(options.satellites, options.seconds, is_real=not options.without))))


if __name__ == "__main__":
    main()
