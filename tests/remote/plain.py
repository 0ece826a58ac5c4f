"""A client as anybody may have one: the reference library and nothing of ours."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it imports audioop, which 3.13 has no more
    from wyoming.asr import Transcribe
    from wyoming.audio import AudioChunk, AudioStart, AudioStop
    from wyoming.client import AsyncClient
    from wyoming.event import Event
    from wyoming.info import Describe, Info
    from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeVoice
    from wyoming.wake import Detect


__all__ = [
    "AsyncClient",
    "Event",
    "heard",
    "info",
    "pcm",
    "send_audio",
    "spoken",
    "spoken_in_pieces",
    "until",
]


async def info(uri: str) -> Info:
    """Return what the server says of itself."""
    async with AsyncClient.from_uri(uri) as client:
        await client.write_event(Describe().event())
        event = await client.read_event()
        assert event
        assert Info.is_type(event.type)
        return Info.from_event(event)


async def send_audio(
    client: AsyncClient, pcm: bytes, rate: int = 16_000, width: int = 2, channels: int = 1
) -> None:
    """Send an utterance in chunks of 100 ms."""
    form: dict[str, Any] = {"rate": rate, "width": width, "channels": channels}
    await client.write_event(AudioStart(**form).event())
    size = rate // 10 * width * channels
    for start in range(0, len(pcm), size):
        await client.write_event(AudioChunk(**form, audio=pcm[start : start + size]).event())
    await client.write_event(AudioStop().event())


async def heard(client: AsyncClient, pcm: bytes, *, terms: Iterable[str] = (), **form: int) -> list[Event]:
    """Have an utterance transcribed and return what comes back until `transcript` or `error`."""
    asked = Transcribe(language="en", transcript_terms=list(terms))
    await client.write_event(asked.event())
    await send_audio(client, pcm, **form)
    return await until(client, "transcript", "error")


async def listened(
    client: AsyncClient, seconds: float, *words: str, answers: int = 1, **form: int
) -> list[Event]:
    """Have silence searched for wake words, all if none is named; return so many events of the answer."""
    await client.write_event(Detect(names=list(words) or None).event())
    size = form.get("rate", 16_000) * form.get("width", 2) * form.get("channels", 1)
    await send_audio(client, bytes(int(seconds * 10) * (size // 10)), **form)
    events = [await client.read_event() for _ in range(answers)]
    return [event for event in events if event]


async def until(client: AsyncClient, *kinds: str) -> list[Event]:
    """Return the events until one of these kinds."""
    events: list[Event] = []
    while not events or events[-1].type not in kinds:
        event = await client.read_event()
        assert event, f"closed after {[e.type for e in events]}"
        events.append(event)
    return events


def pcm(events: Iterable[Event]) -> bytes:
    """Return the sound in the events."""
    return b"".join(AudioChunk.from_event(e).audio for e in events if AudioChunk.is_type(e.type))


async def spoken(client: AsyncClient, text: str, voice: str | None = None) -> list[Event]:
    """Have a text spoken whole."""
    named = SynthesizeVoice(name=voice) if voice else None
    await client.write_event(Synthesize(text=text, voice=named).event())
    return await until(client, "audio-stop", "error")


async def spoken_in_pieces(client: AsyncClient, pieces: Iterable[str]) -> list[Event]:
    """Have a text spoken as it is written, with the whole of it for old servers, as Home Assistant does."""
    pieces = list(pieces)
    await client.write_event(SynthesizeStart().event())
    for piece in pieces:
        await client.write_event(SynthesizeChunk(text=piece).event())
    await client.write_event(Synthesize(text="".join(pieces)).event())
    await client.write_event(SynthesizeStop().event())
    return await until(client, "synthesize-stopped", "error")
