"""What the door costs: one `light.turn_on` with its durable audit line, beside a bare write and sync.

`python benchmarks/door.py [--folder DIR] [--calls N]` prints JSON. Things 200, rules 20. The ratio compares
medians of the same run: the door's call over opening a file, appending a line and syncing it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from hub import domains
from hub.bus import Bus
from hub.clock import Clock
from hub.door.audit import AuditConfig, open_audit
from hub.door.policy import Policy, Rule, Scope
from hub.door.toolbox import Toolbox
from hub.house import House
from hub.states import States
from hub.values.house import Area
from hub.values.thing import Thing
from hub.values.tool import Caller, Done, Target, ToolCall

THINGS = 200
RULES = 20
AT_ONCE = 64
CALLER = Caller(("voice:kitchen",))


async def perform(action: str, arguments: Mapping[str, Any]) -> None:
    """Do nothing, at once."""


def things() -> list[Thing]:
    """Return lamps in twenty rooms, and a list to read."""
    lamps = [
        Thing(id=f"light.lamp_{n}", name=f"Lamp {n}", area=f"room_{n % 20}", perform=perform)
        for n in range(THINGS - 1)
    ]
    return [*lamps, Thing(id="todo.list", name="List", perform=perform)]


def rules() -> list[Rule]:
    """Return rules that all have to be looked at and never deny a lamp."""
    names = ("lock.unlock", "cover.*", "alarm_control_panel.*", "*")
    return [
        Rule(then="deny", tools=(names[n % 4],), targets=Scope(domains=("lock",)), callers=("voice", "llm"))
        for n in range(RULES)
    ]


@asynccontextmanager
async def door(folder: Path) -> AsyncIterator[Toolbox]:
    """Hold a door open over the lamps."""
    bus, clock = Bus(), Clock()
    areas = [Area(id=f"room_{n}", name=f"Room {n}") for n in range(20)]
    house = House(bus, States(bus, clock), (), areas)
    policy = Policy(rules(), house)
    async with (
        open_audit(AuditConfig(), folder, clock) as audit,
        Toolbox(house=house, bus=bus, audit=audit, policy=policy) as toolbox,
    ):
        with house.bring("bench", things()), toolbox.add(domains.tools(house)):
            yield toolbox


def wish(number: int) -> ToolCall:
    """Return one call for one lamp."""
    target = Target(entities=(f"Lamp {number % (THINGS - 1)}",))
    return ToolCall(tool="light.turn_on", target=target, arguments={"brightness_pct": 40})


async def act(toolbox: Toolbox, call: ToolCall) -> None:
    """Call, and see that it was done."""
    done = await toolbox.call(call, CALLER)
    assert isinstance(done, Done)
    assert done.ok


async def timed(count: int, work: Callable[[int], Awaitable[None]]) -> list[float]:
    """Return the milliseconds of each of `count` runs, one after another."""
    spent = []
    for number in range(count):
        before = time.perf_counter()
        await work(number)
        spent.append((time.perf_counter() - before) * 1000)
    return spent


def write(folder: Path) -> None:
    """Open a file, append a line of the audit's length, sync."""
    file = os.open(folder / "bare", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, b"x" * 420 + b"\n")
    os.fsync(file)
    os.close(file)


async def bare(folder: Path, count: int) -> list[float]:
    """Return the milliseconds of writing on the spot, as no event loop may."""

    async def work(number: int) -> None:
        write(folder)

    return await timed(count, work)


async def bare_in_thread(folder: Path, count: int) -> list[float]:
    """Return the milliseconds of writing in a thread: the least that a durable line costs a loop."""
    return await timed(count, lambda number: asyncio.to_thread(write, folder))


async def together(toolbox: Toolbox, count: int) -> float:
    """Return calls a second when many wait at the same time."""
    before = time.perf_counter()
    for start in range(0, count, AT_ONCE):
        await asyncio.gather(*(act(toolbox, wish(start + n)) for n in range(AT_ONCE)))
    return count / (time.perf_counter() - before)


def summary(spent: list[float]) -> dict[str, float]:
    """Return median and 99th percentile in milliseconds."""
    cuts = statistics.quantiles(spent, n=100)
    return {"p50_ms": round(cuts[49], 4), "p99_ms": round(cuts[98], 4)}


async def measure(folder: Path, count: int) -> dict[str, Any]:
    """Return all figures; bare and door alternate, so that a busy disk meets both."""
    reads = ToolCall(tool="todo.get_items", target=Target(entities=("todo.list",)))
    plain, threaded, durable, reading = [], [], [], []
    async with door(folder) as toolbox:
        await timed(50, lambda number: act(toolbox, wish(number)))
        for _ in range(5):
            plain += await bare(folder, count // 5)
            threaded += await bare_in_thread(folder, count // 5)
            durable += await timed(count // 5, lambda number: act(toolbox, wish(number)))
            reading += await timed(count // 5, lambda number: act(toolbox, reads))
        crowd = await together(toolbox, count)
    return {
        "bare_write_and_sync": summary(plain),
        "write_and_sync_in_thread": summary(threaded),
        "light.turn_on": summary(durable),
        "read": summary(reading),
        "ratio_p50": round(statistics.median(durable) / statistics.median(plain), 2),
        "ratio_p50_in_thread": round(statistics.median(durable) / statistics.median(threaded), 2),
        f"calls_a_second_{AT_ONCE}_at_once": round(crowd),
        "things": THINGS,
        "rules": RULES,
        "calls": count,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="a folder on the disk to measure (default: temporary)")
    parser.add_argument("--calls", type=int, default=1280)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        print(json.dumps(asyncio.run(measure(Path(folder), options.calls)), indent=1))


if __name__ == "__main__":
    main()
