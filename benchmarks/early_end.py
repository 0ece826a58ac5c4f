"""Real engines, end of speech to the first sound of the answer, with and without early end and speculation.

    python benchmarks/early_end.py [--turns 9] [--sentences 34]

Whisper tiny.en as it is set by default (2 threads), Silero VAD, Piper, `ending: normal`; "turn on the kitchen
lights" as Piper says it, in the pace of a microphone. Prints JSON, milliseconds: `on` and `off` are medians
of the same sound, turn by turn; `ended_early` says how many of `on` did not wait for the full silence.
`cut` counts sentences with a pause of 200, 400 or 600 ms inside whose turn ended in that pause,
`taken_back` those in which something was done before the sentence was over.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from hub.app import App, running
from hub.audio import SPEECH, AudioChunk
from hub.events import ReplyAudio, TurnEvent
from hub.pipeline.context import TurnRequest
from hub.pipeline.turn import Turn
from hub.resample import converted
from hub.testing.fakes import RecordingSpeaker
from hub.values.session import Session
from hub.values.tool import Caller

HOUSE = """\
areas: {kitchen: , living_room: , bedroom: , garage: , office: }
integrations:
  rooms: {type: demo, lights: [Kitchen lights, Office lights, Living room light, Bed light]}
  voice: {type: piper}
  silero: {type: silero_vad}
  whisper: {type: faster_whisper}
pipelines:
  default: {vad: silero, asr: whisper, tts: voice}
  off: {inherit: default, segment: {early_end: false, speculate: false}}
"""
SENTENCE = "Turn on the kitchen lights."
HALVES = (
    ("Turn on the", "kitchen lights."),
    ("Turn on", "the office lights."),
    ("Turn off the kitchen", "lights."),
    ("Set the kitchen lights to", "fifty percent."),
    ("Set the office lights", "to twenty percent."),
    ("Turn on the lights", "in the garage."),
    ("Turn off the living room", "light."),
    ("What is the", "temperature in the bedroom?"),
    ("Turn on the kitchen lights", "and the office lights."),
    ("Turn off the lights", "in the kitchen."),
    ("Start a timer for", "five minutes."),
    ("Set a timer for five", "minutes."),
)
PAUSES = (0.2, 0.4, 0.6)
CHUNK = 1024
"""Bytes in 32 ms of sound."""
LEVEL = 260
"""Loudest sample that Piper's own silence at either end has."""
ME = Session(id="benchmark", area="kitchen")
CALLER = Caller(("cli:benchmark",))


async def _voice(hub: App, text: str) -> bytes:
    """Return what Piper says, without the silence around it."""
    speaker = RecordingSpeaker(is_paced=False)
    asked = TurnRequest(session=ME, caller=CALLER, text=text, start="tts", speaker=speaker)
    await hub.turn(asked)
    pcm = b"".join([chunk.pcm async for chunk in converted(_given(tuple(speaker.chunks)))])
    samples = memoryview(pcm).cast("h")
    loud = [place for place, sample in enumerate(samples) if abs(sample) > LEVEL]
    return pcm[loud[0] * 2 : loud[-1] * 2 + 2]


async def _given(chunks: tuple[AudioChunk, ...]) -> AsyncIterator[AudioChunk]:
    for chunk in chunks:
        yield chunk


class _Microphone:
    """Gives sound in the pace of a microphone, then silence, and knows when the sound ended."""

    def __init__(self, pcm: bytes) -> None:
        lead = bytes(SPEECH.rate)
        self._pcm = lead + pcm
        self.ended = 0.0

    async def listen(self) -> AsyncIterator[AudioChunk]:
        """Give half a second of silence, the sound, and silence without end."""
        began, place = time.monotonic(), 0
        self.ended = began + len(self._pcm) / 2 / SPEECH.rate
        while True:
            piece = self._pcm[place : place + CHUNK].ljust(CHUNK, b"\0")
            place += CHUNK
            await asyncio.sleep(max(0.0, began + place / 2 / SPEECH.rate - time.monotonic()))
            yield AudioChunk(piece)


async def _turn(hub: App, pcm: bytes, pipeline: str) -> tuple[Turn, float, float]:
    """Return the turn, and the milliseconds from the end of speech to its first sound and to its end."""
    microphone, first = _Microphone(pcm), [0.0]

    def listen(event: TurnEvent) -> None:
        if isinstance(event, ReplyAudio) and not first[0]:
            first[0] = time.monotonic()

    turn = await hub.turn(
        TurnRequest(
            session=ME,
            caller=CALLER,
            audio=microphone.listen(),
            is_live=True,
            pipeline=pipeline,
            speaker=RecordingSpeaker(is_paced=False),
            listener=listen,
        )
    )
    return turn, (first[0] - microphone.ended) * 1000, (time.monotonic() - microphone.ended) * 1000


async def _speed(hub: App, turns: int) -> dict[str, Any]:
    pcm = await _voice(hub, SENTENCE)
    took: dict[str, list[float]] = {"default": [], "off": []}
    reasons: list[str | None] = []
    parts: list[dict[str, float]] = []
    for way in took:
        await _turn(hub, pcm, way)
    for _ in range(turns):
        for way, measured in took.items():
            turn, sound, _ = await _turn(hub, pcm, way)
            measured.append(sound)
            if way == "default":
                reasons.append(turn.utterance.ended_by if turn.utterance else None)
                parts.append({name: spent for name, spent in turn.timeline.items() if spent >= 1})
    on, off = statistics.median(took["default"]), statistics.median(took["off"])
    return {
        "on": round(on),
        "off": round(off),
        "on_of_off_percent": round(100 * on / off, 1),
        "ended_early": reasons.count("early"),
        "turns": turns,
        "slowest_on": round(max(took["default"])),
        "last_parts": parts[-1],
    }


async def _cuts(hub: App, sentences: int) -> dict[str, Any]:
    """Count the sentences that ended in the pause inside."""
    cut: list[dict[str, Any]] = []
    counted = acted = 0
    for halves in (HALVES * sentences)[:sentences]:
        first, second = [await _voice(hub, half) for half in halves]
        for pause in PAUSES:
            pcm = first + bytes(int(pause * SPEECH.rate) * 2) + second
            turn, _, _ = await _turn(hub, pcm, "default")
            ends = (turn.utterance and turn.utterance.ends) or 0.0
            counted += 1
            if ends < 0.5 + len(first) / 2 / SPEECH.rate + pause:
                acted += bool(turn.outcomes)
                by = turn.utterance and turn.utterance.ended_by
                cut.append({"said": halves, "pause": pause, "heard": turn.transcript, "by": by})
    return {"sentences": counted, "cut": len(cut), "taken_back": acted, "which": cut}


async def _measure(turns: int, sentences: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="early-end-") as place:
        config = Path(place) / "config"
        config.mkdir()
        (config / "earnest.yaml").write_text(HOUSE)
        async with running(config, data_dir=Path(place) / "data") as hub:
            shown = {"load": os.getloadavg()[0], "speed": await _speed(hub, turns)}
            return {**shown, "pauses": await _cuts(hub, sentences)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=9, help="turns of each way")
    parser.add_argument("--sentences", type=int, default=34, help="sentences, each with three pauses")
    options = parser.parse_args()
    print(json.dumps(asyncio.run(_measure(options.turns, options.sentences)), indent=1))


if __name__ == "__main__":
    main()
