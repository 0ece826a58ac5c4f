"""`earnest run`: start the hub and keep it running."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hub.cli import exits, notify
from hub.cli.folders import Folders, folders
from hub.cli.init import furnished
from hub.cli.leaving import leave_within
from hub.cli.selfcheck import readable, self_check
from hub.errors import EarnestError

if TYPE_CHECKING:
    from hub.cli.serving import Served

_log = logging.getLogger("hub")
_LEVELS = ("debug", "info", "warning", "error")
_STOPS = (signal.SIGTERM, signal.SIGINT)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the log and the self-check."""
    parser.add_argument("--log", choices=_LEVELS, default="info", help="what goes to standard error")
    parser.add_argument(
        "--self-check",
        metavar="WAV",
        nargs="?",
        const="",
        help="hear this recording, or the shipped one, once the hub runs, show the turn, and go on",
    )
    parser.add_argument(
        "--init", action="store_true", help="lay out the starter house first where the folder is empty"
    )


def run(options: argparse.Namespace) -> int:
    """Run until SIGTERM or Ctrl-C (0); SIGHUP reloads. 2 wrong configuration or folder in use."""
    gc.disable()  # what a start makes stays: looking for garbage in it costs a seventh of the start
    where = furnished(folders(options), options.init)
    recording = None if options.self_check is None else readable(options.self_check)
    log = logging.StreamHandler(sys.stderr)
    log.setFormatter(_Lines("%(asctime)s %(levelname)-7s %(name)s: %(message)s"))
    logging.basicConfig(level=options.log.upper(), handlers=(log,))
    with suppress(asyncio.CancelledError):
        asyncio.run(_live(where, recording))
    return exits.DONE


class _Lines(logging.Formatter):
    """Lines of the log without what would move a cursor, whoever sent it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        lines = super().format(record).split("\n")
        return "\n".join("".join(filter(str.isprintable, line)) for line in lines)


async def _live(where: Folders, recording: Path | None) -> None:
    from hub.cli.serving import serving

    with _Signals() as signals:
        async with serving(where) as served, asyncio.TaskGroup() as tasks:
            gc.freeze()
            gc.enable()
            signals.started(lambda: tasks.create_task(_reload(served)))
            greeting = tasks.create_task(_greet(served, recording))
            pulse = tasks.create_task(notify.keep_alive())
            await signals.stop.wait()
            notify.tell(notify.STOPPING)
            greeting.cancel()
            pulse.cancel()
        print("Earnest has stopped.", flush=True)
        leave_within(served.hub.config.limits.integrations.leave_timeout, exits.DONE)


async def _greet(served: Served, recording: Path | None) -> None:
    """Say that the hub is ready, and show with the recording that it hears."""
    hub = served.hub
    notify.tell(notify.READY, f"STATUS={hub.locale.name}, {len(hub.house.things)} things")
    print(f"Earnest is ready: {hub.locale.name}, {len(hub.house.things)} things.", flush=True)
    if recording:
        await asyncio.to_thread(self_check, served.socket, recording)
    print(f"It answers at {served.socket}; `earnest ask …` talks to it, Ctrl-C stops it.", flush=True)


async def _reload(served: Served) -> None:
    """Read the configuration anew; if it is wrong the hub goes on as it was."""
    notify.reloading()
    try:
        await served.hub.reload()
    except EarnestError as error:
        _log.error("the configuration was not read anew, nothing changed:\n%s", error)
    finally:
        notify.tell(notify.READY)


class _Signals:
    """SIGTERM and SIGINT end the hub, during its start too; SIGHUP reloads."""

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._starting = asyncio.current_task()

    def __enter__(self) -> _Signals:
        for number in _STOPS:
            self._loop.add_signal_handler(number, self._told_to_stop)
        self._loop.add_signal_handler(signal.SIGHUP, lambda: None)
        return self

    def started(self, reload: Callable[[], object]) -> None:
        """From now on a signal ends what runs instead of the start."""
        self._starting = None
        self._loop.add_signal_handler(signal.SIGHUP, reload)

    def _told_to_stop(self) -> None:
        self.stop.set()
        if self._starting:
            self._starting.cancel()

    def __exit__(self, *failed: object) -> None:
        for number in (*_STOPS, signal.SIGHUP):
            self._loop.remove_signal_handler(number)
