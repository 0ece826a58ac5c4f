"""The hub as the owner of a satellite: connects it, and again whenever it was lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from wyoming.event import Event

from hub import IntegrationContext, Provides, WireError, dial

from .device import Device
from .satellite import WyomingSatellite

if TYPE_CHECKING:
    from . import Options


class _Taken(WireError):
    """It serves another hub."""


@asynccontextmanager
async def owned(
    device: Device, uri: str, options: Options, context: IntegrationContext
) -> AsyncIterator[None]:
    """Hold the satellite for as long as the block is open; what goes wrong is reported and tried again."""
    owning = asyncio.create_task(_own(device, uri, options, context), name=f"owner of {uri}")
    try:
        yield
    finally:
        owning.cancel()
        await asyncio.wait((owning,))


async def _own(device: Device, uri: str, options: Options, context: IntegrationContext) -> None:
    limits = options.satellite
    pause = limits.retry
    clock = asyncio.get_running_loop().time
    while True:
        began = clock()
        try:
            reason = await _one_connection(device, uri, options, context)
        except WireError as error:
            reason = str(error)
        context.report(reason)
        if clock() - began > 2 * limits.retry_longest:
            pause = limits.retry
        await asyncio.sleep(pause)
        pause = min(2 * pause, limits.retry_longest)


async def _one_connection(device: Device, uri: str, options: Options, context: IntegrationContext) -> str:
    """Own the satellite until the connection is lost; returns why."""
    connection = await dial(uri, options.connect, options.wire)
    try:
        await connection.write(Event("run-satellite"))
        await connection.write(Event("describe"))
        try:
            async with asyncio.timeout(options.describe):
                device = await _described(connection.read, device, uri)
        except TimeoutError:
            raise WireError(f"{uri} did not say what it is for {options.describe:g} s") from None
        satellite = WyomingSatellite(device, connection, options.satellite)
        running = asyncio.ensure_future(satellite.run())
        context.report(None)
        try:
            with context.offer(Provides(satellites=(satellite,))):
                return await asyncio.shield(running)
        finally:
            running.cancel()
            await asyncio.wait((running,))
    finally:
        connection.close()


async def _described(read: Callable[[], Awaitable[Event | None]], device: Device, uri: str) -> Device:
    """Return what it says of itself; one that ends the connection at once serves another hub."""
    while event := await read():
        if event.type == "info":
            return Device.read(event.data) or device
    raise _Taken(f"the satellite at {uri} serves another hub, or takes none: it closed the connection")
