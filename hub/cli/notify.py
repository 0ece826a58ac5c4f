"""Telling systemd how the hub is, as sd_notify(3) words it: datagrams to `$NOTIFY_SOCKET`."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Mapping
from contextlib import suppress

READY = "READY=1"
STOPPING = "STOPPING=1"
_ALIVE = "WATCHDOG=1"


def tell(*lines: str, environ: Mapping[str, str] = os.environ) -> None:
    """Send lines like `READY=1`; does nothing where nobody asked for them, or nobody listens."""
    address = environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
        sender.setblocking(False)
        sender.sendto("\n".join(lines).encode(), address.replace("@", "\0", 1))


def reloading() -> None:
    """Say that the configuration is read anew; `READY` ends it."""
    tell("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")


async def keep_alive(environ: Mapping[str, str] = os.environ) -> None:
    """Say again and again that the loop turns, twice in the time that systemd waits for it."""
    asked = environ.get("WATCHDOG_USEC", "")
    mine = str(os.getpid())
    if not asked.isdecimal() or not int(asked) or environ.get("WATCHDOG_PID", mine) != mine:
        return
    while True:
        tell(_ALIVE, environ=environ)
        await asyncio.sleep(int(asked) / 2_000_000)
