"""What survives a restart besides files of its own: last states, and names given while the hub ran."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from voluptuous import Range

from hub.errors import StoreError
from hub.house import Given
from hub.values.thing import State

if TYPE_CHECKING:
    from hub.store.database import Database

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreLimits:
    """Waits of the store, under `limits:`."""

    flush_interval: Annotated[float, Range(min=0.05)] = 2.0
    """Seconds after which changed states are written; what changes often is written once."""
    busy_timeout: Annotated[float, Range(min=0)] = 5.0
    """Seconds to wait for another program that has the file locked."""
    store_wait: Annotated[float, Range(min=0)] = 3.0
    """Seconds the last writing may take when the hub stops."""


class Store:
    """The open store. `keep` never waits; `give` returns when what was given is safe."""

    def __init__(self, database: Database, thread: ThreadPoolExecutor, limits: StoreLimits) -> None:
        self._database = database
        self._thread = thread
        self._limits = limits
        self._changed: dict[str, State] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Future[None] | None = None
        self._trouble: str | None = None

    async def states(self) -> tuple[State, ...]:
        """Return the last states known."""
        return await self._in_thread(self._database.states)

    async def given(self) -> Mapping[str, Given]:
        """Return what was given to things, by their ids."""
        return await self._in_thread(self._database.given)

    async def give(self, thing_id: str, given: Given) -> None:
        """Return when what is given to the thing survives a restart; raises `StoreError`."""
        await self._in_thread(lambda: self._database.give(thing_id, given))

    def keep(self, state: State) -> None:
        """Let the state be there after a restart; only the newest of each entity is written."""
        self._changed[state.entity_id] = state
        self._later()

    async def close(self) -> None:
        """Write what has changed, for as long as there is time."""
        try:
            async with asyncio.timeout(self._limits.store_wait):
                if self._writing:
                    await asyncio.wait([self._writing])
                self._write()
                if self._writing:
                    await asyncio.wait([self._writing])
        except TimeoutError:
            _log.error("the last states were not written within %g s", self._limits.store_wait)
        if self._timer:
            self._timer.cancel()

    def _later(self) -> None:
        if self._timer is None and self._writing is None:
            self._timer = asyncio.get_running_loop().call_later(self._limits.flush_interval, self._write)

    def _write(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._writing or not self._changed:
            return
        states, self._changed = self._changed, {}
        loop = asyncio.get_running_loop()
        self._writing = loop.run_in_executor(self._thread, self._database.write, tuple(states.values()))
        self._writing.add_done_callback(lambda writing: self._written(states, writing))

    def _written(self, states: dict[str, State], writing: asyncio.Future[None]) -> None:
        self._writing = None
        error = None if writing.cancelled() else writing.exception()
        if error:
            self._changed = {**states, **self._changed}
        if error and not self._trouble:
            _log.error("states cannot be written: %s", error)
        elif self._trouble and not error:
            _log.warning("states can be written again")
        self._trouble = str(error) if error else None
        if self._changed:
            self._later()

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


@asynccontextmanager
async def open_store(path: Path, limits: StoreLimits | None = None) -> AsyncIterator[Store]:
    """Keep the store open; a file that cannot be read is moved aside, and a fresh one is begun.

    Raises `StoreError` for a folder that cannot be written and for the file of a newer hub.
    """
    limits = limits or StoreLimits()
    loop = asyncio.get_running_loop()
    thread = ThreadPoolExecutor(1, thread_name_prefix="store")
    try:
        database = await loop.run_in_executor(thread, _database, path, limits.busy_timeout)
        try:
            store = Store(database, thread, limits)
            try:
                yield store
            finally:
                await store.close()
        finally:
            await asyncio.wait([loop.run_in_executor(thread, database.close)], timeout=limits.store_wait)
    finally:
        thread.shutdown(wait=False)


def _database(path: Path, busy_timeout: float) -> Database:
    """Open the database; SQLAlchemy is imported here, in the store's thread, and nowhere else."""
    database: Database = importlib.import_module("hub.store.database").open_database(path, busy_timeout)
    return database


__all__ = ["Store", "StoreError", "StoreLimits", "open_store"]
