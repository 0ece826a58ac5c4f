"""Words into sound and sound into words, for tests of engines."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import numpy as np
import soxr

from hub.audio import SPEECH, AudioChunk
from hub.stages.asr import Asr
from hub.stages.tts import Tts
from hub.values.speech import Hearing, Transcript
from hub.wav import speech

ENGLISH = Hearing(language="en")


async def each(items: Iterable[str]) -> AsyncIterator[str]:
    """Give the sentences one by one."""
    for item in items:
        yield item


async def frames(pcm: bytes) -> AsyncIterator[AudioChunk]:
    """Give 16 kHz sound in pieces of 32 ms, as fast as they are taken."""
    for start in range(0, len(pcm), 1024):
        yield AudioChunk(pcm[start : start + 1024])


async def say(tts: Tts, *sentences: str) -> bytes:
    """Return the sentences as 16 kHz sound."""
    async with tts.synthesize(each(sentences), "en") as sound:
        chunks = [chunk async for chunk in sound]
    return to_speech(b"".join(chunk.pcm for chunk in chunks), chunks[0].format.rate)


def to_speech(pcm: bytes, rate: int) -> bytes:
    """Resample 16-bit mono to 16 kHz."""
    samples: bytes = soxr.resample(np.frombuffer(pcm, np.int16), rate, SPEECH.rate).tobytes()
    return samples


async def hear(asr: Asr, pcm: bytes, hearing: Hearing = ENGLISH) -> Transcript:
    """Return the final transcript of 16 kHz sound."""
    async with asr.transcribe(frames(pcm), hearing) as transcripts:
        return [transcript async for transcript in transcripts][-1]


def words(text: str) -> str:
    """Return the text without case and punctuation."""
    return re.sub(r"[^a-z0-9 ]", "", text.lower()).strip()


async def recording(path: Path) -> bytes:
    """Return a recording as 16 kHz sound."""
    return b"".join([chunk.pcm async for chunk in speech(path)])
