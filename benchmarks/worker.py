"""What the way to a worker and back costs, with an engine that answers at once.

    python benchmarks/worker.py [--rounds 200] [--seconds 3]

Prints JSON, milliseconds. `utterance` is a whole one given at once, from its first byte to its words;
`as_from_a_microphone` is given at the pace of speech, from its last piece to its words; `sentence` is from a
sentence to the end of its two seconds of sound, `first_sound` to its first piece. All go through the
hub's queue, the supervised stage, the socket, the worker's loop and the engine's thread. `best` is the
quickest of all rounds, which other work on the machine does not touch.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.engines import HEARING, SENTENCE, each, paced, pieces, seconds  # noqa: E402
from hub.engines.queue import QueuedAsr, QueuedTts  # noqa: E402
from hub.remote.worker import worker  # noqa: E402
from tests.remote.contexts import context  # noqa: E402

INSTANT = Path(__file__).with_name("instant.py")
_LIVE_ROUNDS = 10


async def spread(work: Callable[[], Awaitable[float | None]], rounds: int) -> dict[str, float]:
    """Return what the work takes."""
    await work()
    times = [await seconds(work) * 1000 for _ in range(rounds)]
    return {
        "best": round(min(times), 2),
        "p50": round(statistics.median(times), 2),
        "p95": round(statistics.quantiles(times, n=20)[18], 2),
    }


async def measured(folder: Path, rounds: int, length: float) -> dict[str, Any]:
    """Return the four ways."""
    pcm = bytes(round(length * 32_000))
    async with worker(context(folder, [], "instant"), INSTANT, {}) as service:
        asr, tts = QueuedAsr("instant", service.asr()), QueuedTts("instant", service.tts())

        async def utterance() -> None:
            async with asr.transcribe(each(*pieces(pcm)), HEARING) as transcripts:
                assert [transcript async for transcript in transcripts]

        async def live() -> float:
            ended: list[float] = []
            async with asr.transcribe(paced(pieces(pcm), ended), HEARING) as transcripts:
                assert [transcript async for transcript in transcripts]
            return ended[0]

        async def sentence() -> None:
            async with tts.synthesize(each(SENTENCE), "en") as sound:
                assert [chunk async for chunk in sound]

        async def first_sound() -> None:
            async with tts.synthesize(each(SENTENCE), "en") as sound:
                await anext(sound)

        return {
            "utterance": await spread(utterance, rounds),
            "as_from_a_microphone": await spread(live, min(rounds, _LIVE_ROUNDS)),
            "sentence": await spread(sentence, rounds),
            "first_sound": await spread(first_sound, rounds),
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=3.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="e-") as folder:
        found = asyncio.run(measured(Path(folder), given.rounds, given.seconds))
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
