"""Spoken commands through Whisper with and without this house's names: how many are heard and understood.

    python benchmarks/hearing.py [--recordings FOLDER]

`heard` counts transcripts that say the same words, `understood` those that mean the same as the words that
were really spoken, among sentences that mean something in this house, `repaired` those with the repair of
names and words heard wrong. `wrong_actions` counts transcripts that would do something else than what was
spoken, as heard and with repair; a sentence that does nothing here and is heard as one that does is one of
them. Prints JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import yaml

from hub.app import App, running
from hub.audio import AudioChunk
from hub.pipeline.context import TurnRequest
from hub.testing.fakes import RecordingSpeaker
from hub.values.session import Session
from hub.values.tool import Caller
from hub.wav import speech

RECORDINGS = Path(__file__).parents[1] / "tests" / "cases" / "audio"
WAYS = ("off", "prompt", "hotwords")
HOUSE = """\
areas: {kitchen: , living_room: , bedroom: , garage: , office: , dining_room: }
integrations:
  rooms: {type: demo, lights: [Office lights, Living room light, Bed Light, Standing Light, Kitchen lights]}
  lists: {type: local_todo}
  voice: {type: piper}
  silero: {type: silero_vad}
  off: {type: faster_whisper, bias: "off"}
  prompt: {type: faster_whisper, bias: prompt}
  hotwords: {type: faster_whisper, bias: hotwords}
things:
  light.kitchen_lamp: {aliases: []}  # the recordings know no "kitchen light" beside "Kitchen lights"
  light.office_lights: {area: office}
  light.standing_light: {area: office}
commands:
  night: {phrases: [good night, goodnight], action: {action: light.turn_off, target: {all: true}}}
pipelines:
  off: {vad: silero, asr: off, tts: voice}
  plain: {repair: false}
  prompt: {inherit: "off", asr: prompt}
  hotwords: {inherit: "off", asr: hotwords}
"""
SPOKEN = (
    "Turn on the kitchen lamp.",
    "Turn off the bedroom lamp.",
    "Close the living room blind.",
    "Lock the front door.",
    "What is the temperature in the bedroom?",
    "Turn on the lights in the garage.",
    "Turn off the garage light.",
    "Set the living room lamp to fifty percent.",
    "Set the thermostat to twenty one degrees.",
    "Turn on the coffee machine.",
    "Add milk to my shopping list.",
    "Is the bedroom window open?",
)
"""What Piper says besides the recordings, each a few times: no two times are alike."""
ME = Session(id="benchmark", area="kitchen")
CALLER = Caller(("cli:benchmark",))


def _words(text: str) -> str:
    text = text.casefold().replace("%", " percent")
    return " ".join(re.findall(r"[a-z0-9]+", text))


def _recordings(folder: Path) -> list[tuple[str, Path]]:
    """Return what is said and where, for each recording of an English command."""
    entries = yaml.safe_load((folder / "manifest.yaml").read_text(encoding="utf-8"))
    return [
        (entry["transcript"], folder / entry["file"])
        for entry in entries
        if entry.get("lang") == "en"
        and "command" in str(entry.get("good_for"))
        and entry.get("transcript")
        and entry["file"].endswith(".wav")
    ]


async def _meaning(hub: App, text: str, pipeline: str = "plain") -> Any:
    """Return what a sentence means and what it did, if it did something."""
    turn = await hub.turn(TurnRequest(session=ME, caller=CALLER, text=text, end="intents", pipeline=pipeline))
    did = [(one.call.tool, dict(one.call.arguments), one.targets) for one in turn.outcomes]
    return did or (turn.match and (turn.match.stage, turn.match.intent, dict(turn.match.slots)))


async def _heard(hub: App, audio: AsyncIterator[AudioChunk], way: str) -> str:
    asked = TurnRequest(session=ME, caller=CALLER, audio=audio, end="asr", pipeline=way)
    return (await hub.turn(asked)).transcript or ""


async def _voice(hub: App, text: str) -> tuple[AudioChunk, ...]:
    speaker = RecordingSpeaker(is_paced=False)
    asked = TurnRequest(session=ME, caller=CALLER, text=text, start="tts", speaker=speaker, pipeline="off")
    await hub.turn(asked)
    return tuple(speaker.chunks)


async def _again(chunks: tuple[AudioChunk, ...]) -> AsyncIterator[AudioChunk]:
    for chunk in chunks:
        yield chunk


async def _measure(folder: Path, times: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="hearing-") as place:
        config = Path(place) / "config"
        config.mkdir()
        (config / "earnest.yaml").write_text(HOUSE)
        async with running(config, data_dir=Path(place) / "data") as hub:
            recorded = _Table()
            for said, path in _recordings(folder):
                for way in WAYS:
                    await recorded.add(hub, said, way, await _heard(hub, speech(path), way))
            spoken = _Table()
            for said in SPOKEN * times:
                chunks = await _voice(hub, said)
                for way in WAYS:
                    await spoken.add(hub, said, way, await _heard(hub, _again(chunks), way))
    return {"recordings": recorded.shown(), "piper": spoken.shown()}


class _Table:
    """Counts by the way the recogniser was helped."""

    def __init__(self) -> None:
        kinds = ("sentences", "heard", "meaningful", "understood", "repaired")
        wrong = ("wrong_actions", "wrong_actions_with_repair")
        self._counts = {way: dict.fromkeys((*kinds, *wrong), 0) for way in WAYS}
        self._wrong: list[dict[str, str]] = []

    async def add(self, hub: App, said: str, way: str, heard: str) -> None:
        """Count one transcript."""
        count = self._counts[way]
        meant = await _meaning(hub, said)
        same = _words(said) == _words(heard)
        found, mended = await _meaning(hub, heard), await _meaning(hub, heard, way)
        understood = meant is not None and (same or found == meant)
        count["repaired"] += meant is not None and (understood or mended == meant)
        count["wrong_actions"] += not same and isinstance(found, list) and found != meant
        count["wrong_actions_with_repair"] += not same and isinstance(mended, list) and mended != meant
        count["sentences"] += 1
        count["heard"] += same
        count["meaningful"] += meant is not None
        count["understood"] += understood
        if not same:
            self._wrong.append({"bias": way, "said": said, "heard": heard, "did": str(mended)})

    def shown(self) -> dict[str, Any]:
        """Return the counts, and every sentence that was heard otherwise."""
        return {**self._counts, "heard_otherwise": self._wrong}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recordings", type=Path, default=RECORDINGS, help="folder with manifest.yaml")
    parser.add_argument("--times", type=int, default=2, help="how often Piper says each sentence")
    options = parser.parse_args()
    print(json.dumps(asyncio.run(_measure(options.recordings, options.times)), indent=1))


if __name__ == "__main__":
    main()
