"""Audio in Wyoming events, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hub.audio import AudioChunk, AudioFormat
from hub.errors import WireError
from hub.remote.wire import Event

_MOST_RATE = 384_000
_MOST_CHANNELS = 16
_JOINED = 32_000
"""Bytes of sound that lies ready and is sent as one: a second of speech."""
_FLIP = bytes(value ^ 0x80 for value in range(256))
"""Wyoming carries 8-bit samples unsigned, as WAV does; the hub's are signed."""


def audio_start(form: AudioFormat) -> Event:
    """Return the event before the first chunk."""
    return Event("audio-start", _fields(form))


def audio_chunk(chunk: AudioChunk, stamp: int | None = None) -> Event:
    """Return the event that carries the chunk; `stamp` comes back with what is found in it."""
    pcm = chunk.pcm.translate(_FLIP) if chunk.format.width == 1 else chunk.pcm
    data = _fields(chunk.format) | {"timestamp": stamp}
    if chunk.sentence is not None:
        data["sentence"] = chunk.sentence  # our addition, which others skip
    return Event("audio-chunk", data, pcm)


def audio_stop() -> Event:
    """Return the event after the last chunk."""
    return Event("audio-stop", {"timestamp": None})


def format_of(event: Event, peer: str) -> AudioFormat:
    """Return the format that the event names; raises `WireError` if no sound can have it."""
    rate, width, channels = (_whole(event, key, peer) for key in ("rate", "width", "channels"))
    if rate > _MOST_RATE or width > 4 or channels > _MOST_CHANNELS:
        raise WireError(f"{peer} sent audio of {rate} Hz, {width} bytes, {channels} channels")
    return AudioFormat(rate, width, channels)


def chunk_of(event: Event, peer: str) -> AudioChunk:
    """Return the chunk that the event carries; raises `WireError` if it ends inside a sample."""
    form = format_of(event, peer)
    pcm = event.payload or b""
    if len(pcm) % form.frame_bytes:
        raise WireError(f"{peer} sent a chunk that ends in the middle of a sample")
    number = event.data.get("sentence")
    is_number = isinstance(number, int) and not isinstance(number, bool) and number >= 0
    return AudioChunk(pcm.translate(_FLIP) if form.width == 1 else pcm, form, number if is_number else None)


def joined(chunks: Sequence[AudioChunk]) -> tuple[AudioChunk, int]:
    """Return the first chunks as one, and how many they are: those of one format, up to `_JOINED` bytes."""
    size, taken = len(chunks[0].pcm), 1
    for chunk in chunks[1:]:
        size += len(chunk.pcm)
        if chunk.format != chunks[0].format or size > _JOINED:
            break
        taken += 1
    if taken == 1:
        return chunks[0], 1
    return replace(chunks[0], pcm=b"".join(chunk.pcm for chunk in chunks[:taken])), taken


def _fields(form: AudioFormat) -> dict[str, Any]:
    return {"rate": form.rate, "width": form.width, "channels": form.channels, "timestamp": None}


def _whole(event: Event, key: str, peer: str) -> int:
    value = event.data.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise WireError(f"{peer} sent {event.type} without a proper {key}")
    return value
