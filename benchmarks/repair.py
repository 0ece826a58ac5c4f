"""Sentences heard wrong, repaired: how many right, wrong, not at all; and everyday talk that must do nothing.

    python benchmarks/repair.py [--seeds 2] [--step 1]

Every supported English test sentence, each in its own home, with one word heard wrong by a seeded chance
(`tests/intents/mishearing.py`). `as_heard` are those that a recogniser takes as they stand, `right` those
that come to the same deed as the sentence that was spoken, `wrong` to another one, `asked` are told to be
ambiguous, `left` stay not understood. `everyday` counts sentences of no command, and how many of them a
repair takes for one. Prints JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from hub import phrases
from hub.house import House
from hub.intents.plan import SUPPORTED
from hub.intents.repair import Repair, RepairLimits
from hub.intents.vocabulary import Vocabulary
from hub.values.intent import Match, Miss, Repaired
from tests.intents.homes import SENTENCES, Home, at_home, cases, session
from tests.intents.mishearing import misheard

ENGLISH = phrases.load("en")


def doing(answer: Match | Miss) -> Any:
    """Return what an answer comes to."""
    if isinstance(answer, Miss):
        return answer.code
    return [(call.tool, dict(call.arguments), call.target) for call in answer.calls] or dict(answer.slots)


def repair_of(house: House) -> Repair:
    """Return what repairs sentences in this house."""
    return Repair(Vocabulary(house, {}, ENGLISH), RepairLimits())


async def sentences(seed: int, step: int) -> tuple[Counter[str], list[Any]]:
    """Return how often what came of the sentences, and what was taken for something else."""
    home, chance = Home(), random.Random(seed)
    repair = repair_of(home.house)
    count: Counter[str] = Counter()
    wrong: list[Any] = []
    for case in [case for case in cases() if case["intent"] in SUPPORTED][::step]:
        heard, here = misheard(case["sentence"], chance), session(case)
        if heard == case["sentence"]:
            continue
        with at_home(home, case):
            answer = await home.intents.recognize(heard, here)
            found = await repair.find(heard, here, [home.intents], ENGLISH)
            if isinstance(answer, Match):
                count["as_heard" if found is None else "touched"] += 1
            elif isinstance(found, Repaired):
                said = await home.intents.recognize(case["sentence"], here)
                is_right = doing(said) == doing(await home.intents.recognize(found.text, here))
                count["right" if is_right else "wrong"] += 1
                wrong += [] if is_right else [(case["sentence"], heard, found.text)]
            else:
                count["left" if found is None else "asked"] += 1
    return count, wrong


async def everyday() -> dict[str, Any]:
    """Return what of everyday talk is taken for a command in the largest home of the test sentences."""
    home = Home()
    repair = repair_of(home.house)
    case = next(case for case in cases() if case["intent"] == "HassTurnOn" and case.get("home"))
    talk = (SENTENCES / "everyday_en.txt").read_text(encoding="utf-8").splitlines()
    with at_home(home, case):
        found = {text: await repair.find(text, session(case), [home.intents], ENGLISH) for text in talk}
    taken = [text for text, one in found.items() if isinstance(one, Repaired)]
    return {"sentences": len(talk), "taken": len(taken), "which": taken}


async def measure(seeds: int, step: int) -> dict[str, Any]:
    """Return all figures."""
    total: Counter[str] = Counter()
    wrong: list[Any] = []
    for seed in range(seeds):
        count, more = await sentences(seed, step)
        total += count
        wrong += more
    return {**dict(total), "wrong": len(wrong), "which": wrong, "everyday": await everyday()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--step", type=int, default=1, help="take every so many sentences")
    options = parser.parse_args()
    print(json.dumps(asyncio.run(measure(options.seeds, options.step)), indent=1))


if __name__ == "__main__":
    main()
