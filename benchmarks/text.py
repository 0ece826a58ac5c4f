"""What a text turn costs in the hub: recognisers, door with durable audit, answer, record.

    python benchmarks/text.py [--folder DIR] [--rounds 3]

Prints JSON. A house of 200 things in ten rooms; each figure is milliseconds of whole turns, one after
another, every sentence said once: `known_shape` are sentences of a few shapes with ever other names,
`new_shape` sentences of ever other shapes (the published test sentences). `cpu` is processor time of
the process, `intents` and `tools` are what the turn's timeline gives these owners.
`ratio_10000_to_500` compares medians of the same sentences. `first_turn` is the first sentence of a
hub that is warm, `cold_turn` of one that is not. `right_of_128` are different new questions from 16
clients at once. `not_understood` are everyday sentences that mean nothing to the house, with and without
repair, each said once, `repair_costs` the median difference.
`hassil_alone` is what matching alone costs on this machine, at this moment, without
the hub: `recognize_best` over all templates, warm, with sentences of `known_shape`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from hassil.intents import Intents, SlotList, TextSlotList
from hassil.recognize import recognize_best
from home_assistant_intents import get_intents

from hub import domains, phrases
from hub.bus import Bus
from hub.clock import Clock
from hub.door.audit import AuditConfig, open_audit
from hub.door.policy import Policy
from hub.door.toolbox import Toolbox
from hub.house import House
from hub.intents.commands import ActionConfig, CommandConfig, Commands, SlotConfig, TargetConfig
from hub.intents.home import HomeIntents
from hub.intents.repair import Repair, RepairLimits
from hub.intents.vocabulary import Vocabulary
from hub.pipeline.config import Pipeline
from hub.pipeline.turn import Turn, TurnContext, TurnRequest, run_turn
from hub.stages.intents import IntentRecognizer
from hub.states import States
from hub.values.house import Area, Floor, Locale
from hub.values.session import Session
from hub.values.thing import Thing
from hub.values.tool import Caller

SENTENCES = Path(__file__).parent.parent / "tests" / "cases" / "sentences" / "en.yaml"
ROOMS = (
    "Kitchen",
    "Bedroom",
    "Living Room",
    "Office",
    "Garage",
    "Hallway",
    "Bathroom",
    "Attic",
    "Porch",
    "Den",
)
WORDS = ("amber", "birch", "cedar", "dusty", "ember", "frosty", "golden", "hazel", "ivory", "jade")
PIPELINE = Pipeline(name="default", intents=("commands", "home"))
UNREPAIRED = Pipeline(name="default", intents=("commands", "home"), repair=False)
EVERYDAY = SENTENCES.with_name("everyday_en.txt")
CALLER = Caller(("api:bench",))
CLIENTS = 16
WARM_UP = 20


async def perform(action: str, arguments: Mapping[str, Any]) -> None:
    """Do nothing, at once."""


def things() -> list[Thing]:
    """Return 200 things: lamps, blinds, locks, sensors, and one each of what the sentences need."""
    found = [
        Thing(id="climate.hall", name="Heating", area="hallway", attributes={"current_temperature": 20.5})
    ]
    found.append(Thing(id="todo.shopping_list", name="Groceries", perform=perform))
    found.append(Thing(id="media_player.tv", name="TV", area="kitchen", perform=perform))
    for n in range(197):
        room = ROOMS[n % 10]
        kind = ("light", "light", "light", "cover", "lock", "sensor", "fan")[n % 7]
        name = f"{WORDS[n // 10 % 10]} {WORDS[n % 10]} {n}" if n % 2 else f"{room} {WORDS[n // 10 % 10]} {n}"
        found.append(
            Thing(
                id=f"{kind}.t{n}",
                name=name,
                area=room.casefold().replace(" ", "_"),
                device_class="blind" if kind == "cover" else None,
                state="on" if n % 3 else "off",
                perform=perform,
            )
        )
    return found


def commands(count: int) -> dict[str, CommandConfig]:
    """Return commands, half of them with slots."""
    act = (ActionConfig(action="light.turn_on", target=TargetConfig(entity_id=("light.t0",))),)
    free = {"what": SlotConfig(wildcard=True)}
    return {
        f"c{n}": CommandConfig(
            phrases=(f"start program {n}", f"[please] run number {n}")
            if n % 2
            else (f"scene {n} in the {{area}}", f"remember {{what}} for list {n}"),
            slots=free,
            action=act,
        )
        for n in range(count)
    }


@dataclass
class Bench:
    """A hub without engines."""

    home: HomeIntents
    context: TurnContext

    async def say(self, text: str, pipeline: Pipeline = PIPELINE) -> Turn:
        """Run one text turn."""
        session = Session(id="bench", area="kitchen")
        return await run_turn(pipeline, TurnRequest(session=session, caller=CALLER, text=text), self.context)


@dataclass(frozen=True)
class Recognizers:
    """The two recognisers by name; there are no other engines."""

    by_name: Mapping[str, IntentRecognizer]

    def intents(self, name: str) -> IntentRecognizer:
        """Return a recogniser."""
        return self.by_name[name]

    def __getattr__(self, slot: str) -> Any:
        raise LookupError(slot)


@asynccontextmanager
async def bench(folder: Path, count: int, *, is_warm: bool = True) -> AsyncIterator[Bench]:
    """Open a house with so many commands, its door with audit, and its recognisers."""
    bus, clock, locale = Bus(), Clock(), Locale()
    states = States(bus, clock)
    areas = [Area(id=room.casefold().replace(" ", "_"), name=room, floor="first") for room in ROOMS]
    house = House(bus, states, [Floor(id="first", name="First Floor")], areas)
    english = phrases.load("en")
    async with (
        open_audit(AuditConfig(), folder, clock) as audit,
        Toolbox(house=house, bus=bus, audit=audit, policy=Policy((), house)) as toolbox,
    ):
        with house.bring("bench", things()), toolbox.add(domains.tools(house)):
            home = HomeIntents(house, states, clock, locale)
            own = Commands(commands(count), house, states, locale)
            if is_warm:
                await home.warm()
                await own.warm()
                gc.freeze()  # as `earnest run` does when it is ready
            engines = Recognizers({"commands": own, "home": home})
            context = TurnContext(
                engines=engines,
                call=toolbox.call,
                bus=bus,
                phrases=lambda _: english,
                repair=Repair(Vocabulary(house, commands(count), english), RepairLimits()),
                weigh=toolbox.weigh,
            )
            yield Bench(home, context)


def known_shapes() -> list[str]:
    """Return sentences of a few shapes, each about another thing."""
    shapes = {
        "light": ("turn on the {}", "turn off {}", "set the {} to 40 percent", "is the {} on"),
        "cover": ("open the {}", "close the {}", "set {} to 30 percent"),
        "lock": ("lock the {}", "is the {} locked"),
        "fan": ("turn on the {}", "set {} speed to 50 percent"),
        "sensor": ("what is the {}",),
    }
    return [
        shape.format(thing.name)
        for number in range(4)
        for thing in things()
        for shape in shapes.get(thing.id.partition(".")[0], ())[number : number + 1]
    ]


def new_shapes() -> list[str]:
    """Return the published sentences about lights, climate, time, lists and states of whole rooms."""
    cases = yaml.load(SENTENCES.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    intents = {"HassTurnOn", "HassTurnOff", "HassLightSet", "HassGetState", "HassClimateSetTemperature"}
    intents |= {"HassGetCurrentTime", "HassGetCurrentDate", "HassClimateGetTemperature"}
    intents |= {"HassShoppingListAddItem", "HassSetVolume", "HassSetVolumeRelative"}
    return [case["sentence"] for case in cases if case["intent"] in intents and "name" not in case["slots"]]


@dataclass
class Times:
    """Milliseconds of turns, and how many sentences were understood."""

    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)
    intents: list[float] = field(default_factory=list)
    tools: list[float] = field(default_factory=list)
    understood: int = 0

    def spread(self) -> dict[str, float]:
        """Return medians and 99th percentiles."""
        return {
            "p50": round(statistics.median(self.walls), 3),
            "p99": round(statistics.quantiles(self.walls, n=100)[98], 3),
            "cpu_p50": round(statistics.median(self.cpus), 3),
            "intents_p50": round(statistics.median(self.intents), 3),
            "tools_p50": round(statistics.median(self.tools), 3),
            "sentences": len(self.walls),
            "understood": self.understood,
        }


async def timed(hub: Bench, sentences: Iterable[str], times: Times, pipeline: Pipeline = PIPELINE) -> None:
    """Say the sentences one after the other and take the times."""
    for text in sentences:
        wall, cpu = time.perf_counter(), time.process_time()
        turn = await hub.say(text, pipeline)
        times.walls.append((time.perf_counter() - wall) * 1000)
        times.cpus.append((time.process_time() - cpu) * 1000)
        times.intents.append(turn.timeline["intents"])
        times.tools.append(turn.timeline["tools"])
        times.understood += turn.match is not None


async def first(folder: Path, *, is_warm: bool) -> float:
    """Return the milliseconds of a hub's first turn."""
    async with bench(folder, 500, is_warm=is_warm) as hub:
        times = Times()
        await timed(hub, ["turn on the lights in the office"], times)
    return round(times.walls[0], 2)


async def crowd(hub: Bench) -> dict[str, float]:
    """Return how many of 128 new questions from 16 clients at once were answered right."""
    asked = [thing for thing in things() if thing.id.startswith("light")] * 2
    questions = [
        (f"{('is', 'are')[n // 84]} the {thing.name} on", "Yes" if thing.state == "on" else "No, off")
        for n, thing in enumerate(asked[:128])
    ]

    async def client(mine: list[tuple[str, str]]) -> int:
        return sum([(await hub.say(text)).reply == answer for text, answer in mine])

    before = time.perf_counter()
    right = sum(await asyncio.gather(*(client(questions[n::CLIENTS]) for n in range(CLIENTS))))
    return {
        "right_of_128": right,
        "turns_a_second_16_clients": round(len(questions) / (time.perf_counter() - before)),
    }


async def misses(folder: Path) -> dict[str, Any]:
    """Return what sentences cost that mean nothing here, with repair and without, in alternating order."""
    sentences = EVERYDAY.read_text(encoding="utf-8").splitlines()
    mended, plain = Times(), Times()
    async with bench(folder, 500) as hub:
        await timed(hub, sentences[:WARM_UP], Times())
        for place, text in enumerate(sentences[WARM_UP:]):
            ways = [(mended, PIPELINE), (plain, UNREPAIRED)]
            for times, pipeline in ways if place % 2 else reversed(ways):
                await timed(hub, [text], times, pipeline)
    costs = [one - other for one, other in zip(mended.cpus, plain.cpus, strict=True)]
    return {
        "not_understood": {"repair": mended.spread(), "no_repair": plain.spread()},
        "repair_costs": round(statistics.median(costs), 3),
    }


def alone() -> float:
    """Return the median milliseconds of hassil by itself."""
    content = get_intents("en")
    assert content is not None
    intents = Intents.from_dict(content)
    named = [(thing.name, thing.name, {"domain": thing.id.partition(".")[0]}) for thing in things()]
    lists: dict[str, SlotList] = {
        "name": TextSlotList.from_tuples(named, allow_template=False),
        "area": TextSlotList.from_strings(ROOMS, allow_template=False),
        "floor": TextSlotList.from_strings(["First Floor"], allow_template=False),
    }
    spent = []
    for text in known_shapes()[::4]:
        before = time.perf_counter()
        assert recognize_best(text, intents, slot_lists=lists, language="en", best_slot_name="name")
        spent.append((time.perf_counter() - before) * 1000)
    return round(statistics.median(spent[WARM_UP:]), 3)


async def measure(folder: Path, rounds: int) -> dict[str, Any]:
    """Return all figures; the two sizes alternate, so that a busy machine meets both."""
    result: dict[str, Any] = {"hassil_alone": alone(), "cold_turn": await first(folder, is_warm=False)}
    result["first_turn"] = await first(folder, is_warm=True)
    kept = {500: Times(), 10_000: Times()}
    for _ in range(rounds):
        for count, times in kept.items():
            async with bench(folder, count) as hub:
                await timed(hub, new_shapes()[:WARM_UP], Times())
                await timed(hub, known_shapes(), times)
    for count, times in kept.items():
        result[f"known_shape_{count}_commands"] = times.spread()
    few, many = (statistics.median(times.cpus) for times in kept.values())
    result["ratio_10000_to_500"] = round(many / few, 2)
    async with bench(folder, 500) as hub:
        times = Times()
        await timed(hub, new_shapes(), times)
    result["new_shape_500_commands"] = times.spread()
    async with bench(folder, 500) as hub:
        result |= await crowd(hub)
    result |= await misses(folder)
    return {"things": len(things()), "rounds": rounds, **result}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="a folder on the disk to measure (default: temporary)")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        print(json.dumps(asyncio.run(measure(Path(folder), options.rounds)), indent=1))


if __name__ == "__main__":
    main()
