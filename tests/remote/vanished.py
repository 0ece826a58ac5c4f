"""A server whose machine vanishes; to be run in a network namespace. Prints how that was noticed, as JSON."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys

from hub.errors import EngineError
from hub.remote.limits import RemoteLimits, WireLimits
from hub.remote.peer import Peer
from hub.remote.stages import RemoteAsr
from hub.remote.wire import Connection, Event
from hub.values.speech import Hearing
from tests.remote.scripted import asr, chunks

LIMITS = RemoteLimits(connect=0.5, first=30, wire=WireLimits(silent=1.0, send=30))


def link(state: str) -> None:
    """Put the only link up or down."""
    subprocess.run(["ip", "link", "set", "lo", state], check=True)


async def welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    connection = Connection(reader, writer, "the hub")
    while event := await connection.read():
        if event.type == "describe":
            await connection.write(Event("info", asr()))


async def main() -> dict[str, object]:
    link("up")
    await asyncio.start_server(welcome, "127.0.0.1", 10_300)
    loop = asyncio.get_running_loop()
    report: dict[str, object] = {}
    async with Peer("tcp://127.0.0.1:10300", LIMITS) as peer:
        await peer.offer()
        link("down")
        began = loop.time()
        try:
            async with RemoteAsr(peer).transcribe(chunks(), Hearing()) as transcripts:
                await anext(transcripts)
        except EngineError as error:
            report |= {"error": type(error).__name__, "text": str(error), "seconds": loop.time() - began}
        try:
            await peer.look()
        except EngineError as error:
            report["look"] = type(error).__name__
    return report


async def tell() -> None:
    """Leave at once when all is told: the server's own connections would hang too."""
    sys.stdout.write(json.dumps(await main()))
    sys.stdout.flush()
    os._exit(0)


asyncio.run(tell())
