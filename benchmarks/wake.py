"""What it costs to listen for wake words: for one microphone, for eight, and how late a word is told.

    python benchmarks/wake.py [--seconds 20]

Prints JSON. Audio is handed over as fast as it is taken; `percent_of_a_core` is processor time for a
second of one microphone, `hub` in the hub's process (all threads), `worker` in openWakeWord's own.
`library` is what openWakeWord's own loop takes, in a process of its own. `rss_mb` is resident memory.
`told_ms` is the time from the end of a word (in the audio) to the moment that told, for recordings whose
last sound ends the word; it is counted in samples, so a busy machine does not change it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from array import array
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from hub.stages.wake import WakeDetector  # noqa: E402
from hub.wav import speech  # noqa: E402
from integrations import microwakeword, openwakeword  # noqa: E402
from tests.remote.contexts import context  # noqa: E402

CLIPS = ROOT / "tests" / "cases" / "audio"
SPOKEN = CLIPS / "rhasspy3" / "play_the_beatles.wav"
WORDS = {"hey_jarvis": "hey_jarvis_2.wav", "hey_mycroft": "hey_mycroft_1.wav", "alexa": "alexa_1.wav"}
LOUD = 500
"""Sample value from which sound is sound."""
_LIBRARY = """
import sys, time, warnings
warnings.simplefilter("ignore")
import numpy, psutil
from openwakeword.model import Model
model = Model(wakeword_models=["hey jarvis"], inference_framework="onnx")
pcm = numpy.frombuffer(sys.stdin.buffer.read(), numpy.int16)
frames = [pcm[start : start + 1280] for start in range(0, len(pcm) - 1279, 1280)]
for frame in frames[:20]: model.predict(frame)
began = time.process_time()
for frame in frames: model.predict(frame)
took = time.process_time() - began
print(took / (len(frames) * 0.08) * 100, psutil.Process().memory_info().rss / 1e6)
"""


async def sound(path: Path) -> bytes:
    """Return a recording as 16 kHz sound."""
    return b"".join([chunk.pcm async for chunk in speech(path)])


def heard(stream: Any, pcm: bytes) -> list[int]:
    """Return the samples at which the stream told a word."""
    size = stream.frame_samples * 2
    found = [stream.process(pcm[start : start + size]) for start in range(0, len(pcm) - size + 1, size)]
    return [detection.samples for detection in (*found, stream.finish()) if detection]


async def streams(detector: WakeDetector, pcm: bytes, count: int, worker: psutil.Process | None) -> Any:
    """Measure `count` microphones that are listened to at the same time."""
    opened = [detector.open(("hey_jarvis",)) for _ in range(count)]
    mine, theirs = time.process_time(), spent(worker)
    await asyncio.gather(*(asyncio.to_thread(heard, stream, pcm) for stream in opened))
    seconds = len(pcm) / 32_000 * count
    for stream in opened:
        stream.close()
    found: dict[str, Any] = {"hub": round((time.process_time() - mine) / seconds * 100, 2)}
    if worker:
        found["worker"] = round((spent(worker) - theirs) / seconds * 100, 2)
        found["rss_mb"] = round(worker.memory_info().rss / 1e6, 1)
    return found


def spent(worker: psutil.Process | None) -> float:
    """Return the processor time of a process so far."""
    times = worker.cpu_times() if worker else None
    return float(times.user + times.system) if times else 0.0


def worker_process() -> psutil.Process:
    """Return openWakeWord's process."""
    for child in psutil.Process().children():
        if "openwakeword/worker.py" in " ".join(child.cmdline()):
            return child
    raise RuntimeError("the worker is not there")


async def told(detector: WakeDetector) -> dict[str, float | None]:
    """Return how many milliseconds after its end each word was told."""
    late: dict[str, float | None] = {}
    for word, clip in WORDS.items():
        pcm = bytes(64_000) + await sound(CLIPS / "pymicro-wakeword" / clip)
        samples = array("h", pcm)
        end = max(place for place, value in enumerate(samples) if abs(value) > LOUD)
        with closing(detector.open((word,))) as stream:
            moments = await asyncio.to_thread(heard, stream, pcm + bytes(64_000))
        late[word] = round((moments[0] - end) / 16, 0) if moments else None
    return late


def library(pcm: bytes) -> dict[str, float]:
    """Measure the loop of the library itself."""
    done = subprocess.run([sys.executable, "-c", _LIBRARY], input=pcm, capture_output=True, check=True)
    percent, memory = map(float, done.stdout.split())
    return {"percent_of_a_core": round(percent, 2), "rss_mb": round(memory, 1)}


async def main(seconds: int) -> None:
    """Measure one after the other."""
    pcm = await sound(SPOKEN)
    pcm = (pcm * (seconds * 32_000 // len(pcm) + 1))[: seconds * 32_000]
    found: dict[str, Any] = {"seconds": seconds}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with microwakeword.setup(microwakeword.Options(), context(folder, [], "micro")) as provides:
            assert provides.wake
            found["microwakeword"] = {str(n): await streams(provides.wake, pcm, n, None) for n in (1, 8)}
            found["microwakeword"]["told_ms"] = await told(provides.wake)
        async with openwakeword.setup(openwakeword.Options(), context(folder, [], "open")) as provides:
            assert provides.wake
            worker = worker_process()
            found["openwakeword"] = {str(n): await streams(provides.wake, pcm, n, worker) for n in (1, 8)}
            found["openwakeword"]["told_ms"] = await told(provides.wake)
    found["library"] = await asyncio.to_thread(library, pcm)
    found["load"] = round(os.getloadavg()[0], 2)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=20)
    asyncio.run(main(parser.parse_args().seconds))
