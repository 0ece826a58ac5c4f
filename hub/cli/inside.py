"""A hub inside this process, for the one call of a verb that found none running."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path

from hub.cli.folders import Folders

_CLOSE_SECONDS = 15.0
"""How long the hub may take to close before the process ends without it."""


class _Life:
    """The hub's thread: started, answering at `path`, told to end."""

    def __init__(self, where: Folders, path: Path) -> None:
        self._where = where
        self._path = path
        self._ready: Future[None] = Future()
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="hub", daemon=True)

    def start(self) -> None:
        """Return when the hub answers; raises what kept it from starting."""
        self._thread.start()
        self._ready.result()

    def end(self) -> None:
        """Close the hub, within a bound."""
        with suppress(RuntimeError):  # a start that failed has closed its loop already
            self._loop.call_soon_threadsafe(self._cancel)
        self._thread.join(_CLOSE_SECONDS)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            try:
                runner.run(self._live())
            except asyncio.CancelledError:
                self._settle(InterruptedError("the hub was told to end while it started"))
            except BaseException as error:  # noqa: BLE001  it is raised where the verb waits
                self._settle(error)

    async def _live(self) -> None:
        from hub.cli.serving import serving

        self._task = asyncio.current_task()
        async with serving(self._where, self._path):
            self._ready.set_result(None)
            await asyncio.get_running_loop().create_future()

    def _cancel(self) -> None:
        if self._task:
            self._task.cancel()

    def _settle(self, error: BaseException) -> None:
        if not self._ready.done():
            self._ready.set_exception(error)


@contextmanager
def inside(where: Folders) -> Iterator[Path]:
    """Run a hub for these folders while the block is open; gives the path of its private socket."""
    with tempfile.TemporaryDirectory(prefix="earnest-") as folder:
        life = _Life(where, Path(folder) / "earnest.sock")
        try:
            life.start()
            yield life._path
        finally:
            life.end()
