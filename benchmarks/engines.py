"""What it costs that engines live in other processes, and what the detectors in the hub take.

    python benchmarks/engines.py [--rounds 10]

Prints JSON. Each utterance and each sentence goes through the bare library in this process and through
the worker, in alternating order, all within one run: `overhead_ms` is the median of the differences,
`ratio` the quotient of the medians. The utterance is given at once and, `as_from_a_microphone`, at the
pace of speech, where the time counts from its end. Both use the same options and two threads. `rss_mb`
is the resident memory of a worker after its work, and what a detector adds to the hub, with its library.
On a machine that has other work the differences are its noise: `worker.py` measures the way alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from hub.audio import AudioChunk  # noqa: E402
from hub.engines.queue import QueuedAsr, QueuedTts  # noqa: E402
from hub.remote.engine import Voice  # noqa: E402
from hub.values.speech import Hearing  # noqa: E402
from hub.wav import speech  # noqa: E402
from integrations import faster_whisper, microwakeword, piper, silero_vad  # noqa: E402
from tests.remote.contexts import context  # noqa: E402

SPOKEN = ROOT / "tests" / "cases" / "audio" / "rhasspy3" / "play_the_beatles.wav"
_SILERO = """
from integrations.silero_vad import packaged_model
from integrations.silero_vad.detector import SileroVad
vad = SileroVad.load(packaged_model()).open()
vad.process(bytes(1024))
"""
_WAKE = """
from integrations.microwakeword.detector import MicroWake, shipped_models
wake = MicroWake(shipped_models(), {}, 2.0)
stream = wake.open(wake.words)
stream.process(bytes(960))
"""
SENTENCE = "The kitchen lights are on now."
HEARING = Hearing(language="en")


async def each(*items: Any) -> AsyncIterator[Any]:
    """Give the items one by one."""
    for item in items:
        yield item


def pieces(pcm: bytes) -> list[AudioChunk]:
    """Cut sound into pieces of 32 ms."""
    return [AudioChunk(pcm[start : start + 1024]) for start in range(0, len(pcm), 1024)]


async def paced(chunks: list[AudioChunk], ended: list[float]) -> AsyncIterator[AudioChunk]:
    """Give sound at the pace of a microphone, and note when its last piece was given."""
    began = time.perf_counter()
    for number, chunk in enumerate(chunks, 1):
        await asyncio.sleep(max(0.0, began + number * chunk.seconds - time.perf_counter()))
        if number == len(chunks):
            ended.append(time.perf_counter())
        yield chunk


async def seconds(work: Callable[[], Awaitable[float | None]]) -> float:
    """Return how long the work takes, from its start or from the moment that it returns."""
    began = time.perf_counter()
    began = await work() or began
    return time.perf_counter() - began


async def compared(
    bare: Callable[[], object], served: Callable[[], Awaitable[float | None]], rounds: int
) -> dict[str, float]:
    """Return both in milliseconds, and what the worker adds."""

    async def in_thread() -> None:
        await asyncio.to_thread(bare)

    alone, through = [], []
    for number in range(rounds + 1):
        if number % 2:
            one, other = await seconds(in_thread), await seconds(served)
        else:
            other, one = await seconds(served), await seconds(in_thread)
        if number:  # the first warms up
            alone.append(one * 1000)
            through.append(other * 1000)
    differences = [served - bare for bare, served in zip(alone, through, strict=True)]
    return {
        "bare_ms": round(statistics.median(alone), 1),
        "worker_ms": round(statistics.median(through), 1),
        "overhead_ms": round(statistics.median(differences), 1),
        "ratio": round(statistics.median(through) / statistics.median(alone), 3),
    }


async def hearing(folder: Path, rounds: int) -> dict[str, Any]:
    """Measure Whisper."""
    from dataclasses import asdict

    from integrations.faster_whisper.worker import open_engine

    options = faster_whisper.Options()
    _, model = await faster_whisper.model_folder(options, context(folder, [], "whisper"))
    pcm = b"".join([chunk.pcm async for chunk in speech(SPOKEN)])
    engine = open_engine({**asdict(options), "folder": str(model)})
    hear = engine.hear
    assert hear
    async with faster_whisper.setup(options, context(folder, [], "whisper")) as provides:
        assert provides.asr
        asr = QueuedAsr("whisper", provides.asr)

        async def served() -> None:
            async with asr.transcribe(each(*pieces(pcm)), HEARING) as transcripts:
                assert [transcript async for transcript in transcripts]

        async def streamed() -> float:
            ended: list[float] = []
            async with asr.transcribe(paced(pieces(pcm), ended), HEARING) as transcripts:
                assert [transcript async for transcript in transcripts]
            return ended[0]

        found = await compared(lambda: list(hear(pcm, HEARING)), served, rounds)
        live = await compared(lambda: list(hear(pcm, HEARING)), streamed, rounds)
        return {**found, "as_from_a_microphone": live, "rss_mb": worker_memory("faster_whisper")}


async def speaking(folder: Path, rounds: int) -> dict[str, Any]:
    """Measure Piper; `first_ms` is when the first sound of one sentence is there."""
    from dataclasses import asdict

    from integrations.piper.worker import open_engine

    options = piper.Options(noise_scale=0, noise_w=0)
    engine = open_engine(
        {**asdict(options), "file": str(await piper.voice_file(options, context(folder, [], "voice")))}
    )
    speak = engine.speak
    assert speak
    async with piper.setup(options, context(folder, [], "voice")) as provides:
        assert provides.tts
        tts = QueuedTts("voice", provides.tts)

        async def served() -> None:
            async with tts.synthesize(each(SENTENCE), "en") as sound:
                assert [chunk async for chunk in sound]

        async def first() -> None:
            async with tts.synthesize(each(SENTENCE), "en") as sound:
                await anext(sound)

        found = await compared(lambda: list(speak(SENTENCE, Voice())), served, rounds)
        begun = statistics.median([await seconds(first) for _ in range(rounds)])
        return {**found, "first_ms": round(begun * 1000, 1), "rss_mb": worker_memory("piper")}


def worker_memory(name: str) -> float:
    """Return the resident megabytes of the integration's worker."""
    for child in psutil.Process().children():
        if f"integrations/{name}/worker.py" in " ".join(child.cmdline()):
            return round(float(child.memory_info().rss) / 1e6, 1)
    raise RuntimeError(f"the worker of {name} is not there")


async def listening(folder: Path) -> dict[str, Any]:
    """Measure the detectors that run in the hub, on the same two minutes of speech."""
    pcm = b"".join([chunk.pcm async for chunk in speech(SPOKEN)])
    pcm *= 120 * 32_000 // len(pcm)
    async with silero_vad.setup(silero_vad.Options(), context(folder, [])) as provides:
        assert provides.vad
        with closing(provides.vad.open()) as stream:
            silero = detector(stream, pcm)
        silero["rss_mb"] = added_memory(_SILERO)
    async with microwakeword.setup(microwakeword.Options(), context(folder, [])) as provides:
        assert provides.wake
        with closing(provides.wake.open(("okay_nabu",))) as stream:
            one = detector(stream, pcm)
        with closing(provides.wake.open(provides.wake.words)) as stream:
            four = detector(stream, pcm)
        one["rss_mb"] = added_memory(_WAKE)
    return {"silero_vad": silero, "microwakeword_one_word": one, "microwakeword_four_words": four}


def detector(stream: Any, pcm: bytes) -> dict[str, Any]:
    """Return what a stream takes for a frame, and of a core when it listens all the time."""
    size = stream.frame_samples * 2
    frames = [pcm[start : start + size] for start in range(0, len(pcm) - size + 1, size)]
    began = time.process_time()
    for frame in frames:
        stream.process(frame)
    took = time.process_time() - began
    return {
        "frame_ms": round(size / 32, 1),
        "work_ms": round(took / len(frames) * 1000, 3),
        "percent_of_a_core": round(took / (len(pcm) / 32_000) * 100, 2),
    }


def added_memory(code: str) -> float:
    """Return the megabytes that `code` adds to a fresh interpreter that holds numpy."""
    script = (
        "import numpy, psutil\n"
        "memory = lambda: psutil.Process().memory_info().rss / 1e6\n"
        f"before = memory()\n{code}\nprint(memory() - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return round(float(done.stdout), 1)


async def main() -> None:
    """Measure one after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = {
            "detectors": await listening(folder),
            "faster_whisper": await hearing(folder, rounds),
            "piper": await speaking(folder, rounds),
        }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    asyncio.run(main())
