"""Speech recognition and voices of any Wyoming server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

import voluptuous as vol

from hub import (
    EngineError,
    IntegrationContext,
    IntegrationError,
    Peer,
    Provides,
    RemoteAsr,
    RemoteLimits,
    RemoteTts,
)

_SECONDS = vol.Range(min=0.1, max=3600)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings under `integrations.<name>` in the YAML."""

    uri: str
    """`tcp://host:port` or `unix:///path`."""
    model: str | None = None
    """Of a recogniser with several; not set: the server's own choice."""
    voice: str | None = None
    """Of a server with several; not set: the server's own choice, by language."""
    speaker: str | None = None
    """Of a voice with several."""
    connect: Annotated[float, _SECONDS] = 5.0
    """Seconds until a connection stands."""
    describe: Annotated[float, _SECONDS] = 10.0
    """Seconds until the server has said what it offers."""
    first: Annotated[float, _SECONDS] = 30.0
    """Seconds from the end of the audio, or from a sentence, until something comes back."""
    gap: Annotated[float, _SECONDS] = 15.0
    """Seconds between two pieces of an answer."""
    total: Annotated[float, _SECONDS] = 120.0
    """Seconds from the last that was sent until the whole answer is there."""
    check: Annotated[float, _SECONDS] = 30.0
    """Seconds between two looks at a server that was not there."""


@asynccontextmanager
async def setup(options: Options, context: IntegrationContext) -> AsyncIterator[Provides]:
    """Ask the server what it offers, and provide that."""
    limits = RemoteLimits(
        connect=options.connect,
        describe=options.describe,
        first=options.first,
        gap=options.gap,
        total=options.total,
    )
    async with Peer(options.uri, limits, context.report) as peer:
        try:
            offer = await peer.offer()
        except EngineError as error:
            raise IntegrationError(str(error)) from error
        if not (offer.asr or offer.tts):
            raise IntegrationError(f"{options.uri} offers neither speech recognition nor a voice")
        watching = asyncio.create_task(peer.watch(options.check), name=f"watch over {options.uri}")
        try:
            yield Provides(
                asr=RemoteAsr(peer, options.model) if offer.asr else None,
                tts=RemoteTts(peer, options.voice, options.speaker) if offer.tts else None,
            )
        finally:
            watching.cancel()
            await asyncio.wait((watching,))
