"""What the hub itself adds to a turn: engines that answer at once, so all that is left is the hub.

    python benchmarks/turn.py [--turns 300]

Prints JSON, milliseconds. `voice`: a second of speech goes in as a microphone would bring it, without
its pauses; `after_speech` is from the end of the utterance to the first sound of the answer, `cpu` the
processor time of the whole turn. `text`: a sentence in, a sentence out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator
from typing import Any

from hub import phrases
from hub.audio import AudioChunk
from hub.bus import Bus
from hub.events import ReplyAudio, SpeechEnded, TurnEvent
from hub.pipeline.config import Pipeline
from hub.pipeline.turn import TurnContext, TurnRequest, run_turn
from hub.testing import ScriptedAsr, ScriptedRecognizer, ScriptedTts, ScriptedVad, ScriptedWake, tone
from hub.values.intent import Match
from hub.values.session import Session
from hub.values.tool import Caller, Done, Outcome, ToolCall

SPEECH = tone(1.0) + bytes(32_000)
CHUNK = 2_048
PIPELINE = Pipeline(vad="any", asr=("any",), intents=("any",), tts=("any",))
MATCH = Match(
    stage="any",
    intent="HassTurnOn",
    calls=(ToolCall(tool="light.turn_on"),),
    respond=lambda _: "Turned on the lamp.",
)


class Instant:
    """Engines that answer at once."""

    def vad(self, _: str) -> ScriptedVad:
        """Return a detector that hears a second of speech."""
        return ScriptedVad([0.9] * 31 + [0.0] * 62)

    def wake(self, _: str) -> ScriptedWake:
        """Return a detector that hears no wake word."""
        return ScriptedWake()

    def asr(self, _: str) -> ScriptedAsr:
        """Return a recogniser that always hears the same."""
        return ScriptedAsr(["turn on the lamp"])

    def intents(self, _: str) -> ScriptedRecognizer:
        """Return who understands it."""
        return ScriptedRecognizer({"turn on the lamp": MATCH})

    def tts(self, _: str) -> ScriptedTts:
        """Return a voice."""
        return ScriptedTts(seconds_per_character=0.005)

    def agent(self, _: str) -> Any:
        """Nobody is asked."""
        raise LookupError


async def call(call: ToolCall, _: Caller) -> Outcome:
    """Do nothing, well."""
    return Done(call=call, targets=("light.lamp",))


async def audio() -> AsyncIterator[AudioChunk]:
    """Give the speech in a microphone's pieces."""
    for start in range(0, len(SPEECH), CHUNK):
        yield AudioChunk(SPEECH[start : start + CHUNK])


async def measure(turns: int, *, is_voice: bool) -> dict[str, float]:
    """Run the turns one after the other and return what they took."""
    english = phrases.load("en")
    context = TurnContext(engines=Instant(), call=call, bus=Bus(), phrases=lambda _: english)
    walls, cpus, after = [], [], []
    for _ in range(turns):
        told: list[TurnEvent] = []
        request = TurnRequest(
            session=Session(id="bench"),
            caller=Caller(("bench",)),
            audio=audio() if is_voice else None,
            text=None if is_voice else "turn on the lamp",
            end="tts" if is_voice else "intents",
            listener=told.append,
        )
        wall, cpu = time.perf_counter(), time.process_time()
        turn = await run_turn(PIPELINE, request, context)
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
        if turn.reason != "acted":
            raise SystemExit(f"a turn ended as {turn.reason}")
        if is_voice:
            ended = next(event.at for event in told if isinstance(event, SpeechEnded))
            after.append(next(event.at for event in told if isinstance(event, ReplyAudio)) - ended)
    shown = {**spread("wall", walls, 1000), **spread("cpu", cpus, 1000)}
    return {**shown, **spread("after_speech", after, 1)} if after else shown


def spread(name: str, values: list[float], scale: float) -> dict[str, float]:
    """Return median and 99th percentile."""
    return {
        f"{name}_p50": round(statistics.median(values) * scale, 3),
        f"{name}_p99": round(statistics.quantiles(values, n=100)[98] * scale, 3),
    }


async def main(turns: int) -> None:
    """Warm up, measure, print."""
    for is_voice in (True, False):
        await measure(20, is_voice=is_voice)
    result = {
        "turns": turns,
        "voice": await measure(turns, is_voice=True),
        "text": await measure(turns, is_voice=False),
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=300)
    asyncio.run(main(parser.parse_args().turns))
