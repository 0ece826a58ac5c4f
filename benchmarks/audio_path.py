"""What a second of audio costs the hub: feed, segmenter with Silero, Wyoming to a recogniser.

    python benchmarks/audio_path.py [--seconds 120] [--rounds 3]

Prints JSON. The recogniser is another process that takes the audio and drops it; the speech comes in
64 ms pieces as from a microphone, but without its pauses, so that only work is measured.
`percent_of_a_core` is processor time of the hub's process, all threads; `of_it_the_detector` is what
Silero takes of it when nothing else runs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from hub.app import App, running
from hub.audio import AudioChunk
from hub.pipeline.feed import Feed
from hub.pipeline.turn import TurnRequest
from hub.stages.vad import VadStream
from hub.values.session import Session
from hub.values.tool import Caller
from hub.wav import speech

ROOT = Path(__file__).parent.parent
SPOKEN = ROOT / "tests" / "cases" / "audio" / "rhasspy3" / "play_the_beatles.wav"
SAMPLES = 1_024
CONFIG = """\
integrations:
  silero: {{type: silero_vad}}
  sink: {{type: wyoming, uri: "unix://{socket}"}}
pipelines:
  default: {{vad: silero, asr: sink, segment: {{silence: 30, max_utterance: 600}}}}
"""


async def serve(socket: str) -> None:
    """Be a recogniser that hears nothing."""
    from wyoming.asr import Transcript
    from wyoming.info import AsrModel, AsrProgram, Attribution, Info
    from wyoming.server import AsyncEventHandler, AsyncServer

    nobody: dict[str, Any] = {
        "attribution": Attribution(name="", url=""),
        "installed": True,
        "description": "",
        "version": "1",
    }
    model = AsrModel(name="none", languages=["en"], **nobody)
    info = Info(asr=[AsrProgram(name="sink", models=[model], **nobody)])

    class Sink(AsyncEventHandler):
        async def handle_event(self, event: Any) -> bool:
            if event.type == "describe":
                await self.write_event(info.event())
            elif event.type == "audio-stop":
                await self.write_event(Transcript(text="heard").event())
            return True

    await AsyncServer.from_uri(f"unix://{socket}").run(Sink)


@contextmanager
def sink(socket: Path) -> Iterator[None]:
    """Hold the recogniser's process."""
    process = subprocess.Popen([sys.executable, __file__, "--sink", str(socket)], cwd=ROOT)
    try:
        patience = time.monotonic() + 20
        while not socket.exists() and time.monotonic() < patience:
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


class Microphone:
    """Puts a piece of the recording into a feed whenever the turn has taken the last one."""

    def __init__(self, pcm: bytes, seconds: float) -> None:
        self._feed = Feed()
        self._pcm = pcm
        self._pieces = iter(range(round(seconds * 16_000 / SAMPLES)))

    def __aiter__(self) -> AsyncIterator[AudioChunk]:
        return self

    async def __anext__(self) -> AudioChunk:
        piece = next(self._pieces, None)
        if piece is None:
            raise StopAsyncIteration
        start = piece * SAMPLES * 2 % (len(self._pcm) - SAMPLES * 2)
        self._feed.put(AudioChunk(self._pcm[start : start + SAMPLES * 2]))
        return await anext(self._feed)


async def measure(hub: App, pcm: bytes, seconds: float) -> float:
    """Return the hub's processor time for so much speech, in percent of one core."""
    request = TurnRequest(
        session=Session(id="bench"),
        caller=Caller(("bench",)),
        audio=Microphone(pcm, seconds),
        is_live=True,
        end="asr",
    )
    before = time.process_time()
    turn = await hub.turn(request)
    spent = time.process_time() - before
    heard = turn.utterance.ends if turn.utterance and turn.utterance.ends else 0.0
    if turn.reason != "transcribed" or heard < seconds - 5:
        raise SystemExit(f"heard {heard:.1f} of {seconds:.1f} s: {turn.record()}")
    return spent / seconds * 100


def detector_alone(stream: VadStream, pcm: bytes) -> float:
    """Return what the detector costs on a thread of its own, in percent of one core."""
    size = stream.frame_samples * 2
    frames = [pcm[start : start + size] for start in range(0, len(pcm) - size, size)] * 20
    before = time.process_time()
    for frame in frames:
        stream.process(frame)
    return (time.process_time() - before) / (len(frames) * stream.frame_samples / 16_000) * 100


async def main(seconds: float, rounds: int) -> None:
    """Open the hub, warm up, measure, print."""
    pcm = b"".join([chunk.pcm async for chunk in speech(SPOKEN)])
    with tempfile.TemporaryDirectory() as folder:
        socket = Path(folder) / "sink"
        config = Path(folder) / "config"
        config.mkdir()
        (config / "earnest.yaml").write_text(CONFIG.format(socket=socket))
        with sink(socket):
            async with running(config, data_dir=Path(folder) / "data") as hub:
                await measure(hub, pcm, 10)
                percent = [await measure(hub, pcm, seconds) for _ in range(rounds)]
                with closing(hub.registry.vad("silero").open()) as stream:
                    detector = detector_alone(stream, pcm)
    result = {
        "seconds": seconds,
        "percent_of_a_core": round(statistics.median(percent), 3),
        "of_it_the_detector": round(detector, 3),
        "rounds": [round(value, 3) for value in percent],
        "load": round(os.getloadavg()[0], 2),
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sink", help=argparse.SUPPRESS)
    options = parser.parse_args()
    asyncio.run(serve(options.sink) if options.sink else main(options.seconds, options.rounds))
