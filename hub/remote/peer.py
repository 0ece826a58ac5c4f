"""A Wyoming server somewhere else: what it offers, and a connection for each request."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from hub.engines.deadline import Deadline
from hub.errors import EngineError, EngineUnavailable, WireError
from hub.remote.limits import RemoteLimits
from hub.remote.offer import Offer
from hub.remote.wire import Connection, Event, PeerGone, dial

_log = logging.getLogger(__name__)
_DEFAULT = RemoteLimits()


class Peer:
    """Gives each request a connection of its own, for some servers close after one and some mix up
    two; keeps one spare open so that no request waits for it."""

    def __init__(
        self, uri: str, limits: RemoteLimits = _DEFAULT, report: Callable[[str | None], None] | None = None
    ) -> None:
        """`report(reason)` is called when the server is gone, `report(None)` when it is back."""
        self.uri = uri
        self.limits = limits
        self._report = report
        self._offered: Callable[[Offer], None] | None = None
        self._is_gone = False
        self._offer: Offer | None = None
        self._last_offer: Offer | None = None
        self._spare: Connection | None = None
        self._dialling: asyncio.Task[None] | None = None
        self._held: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._held:
            task.cancel()
        if self._held:
            await asyncio.wait(self._held)
        if self._spare:
            self._spare.close()
            self._spare = None
        if self._dialling:
            self._dialling.cancel()
            await asyncio.wait((self._dialling,))

    @property
    def last_offer(self) -> Offer | None:
        """What the server offered when it was last asked; None: it never answered."""
        return self._last_offer

    def follow(self, offered: Callable[[Offer], None]) -> None:
        """Call `offered(offer)` from now on each time the server has said what it offers."""
        self._offered = offered

    def hold(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Run `work` as a task that ends with the peer at the latest."""
        task = asyncio.create_task(work, name=name)
        self._held.add(task)
        task.add_done_callback(self._held.discard)
        return task

    async def offer(self) -> Offer:
        """Return what the server offers; raises `EngineUnavailable` and its kinds."""
        if self._offer is None:
            connection, self._offer = await self._ask()
            self._keep(connection)
        return self._offer

    async def take(self) -> Connection:
        """Return a connection for one request, which closes it; raises as `offer`."""
        spare, self._spare = self._spare, None
        if spare and self._offer and spare.is_open:
            return spare
        if spare:
            self._drop(spare)
        if self._offer is None:
            connection, self._offer = await self._ask()
            return connection
        return await self._dial()

    def restock(self) -> None:
        """Open the next spare connection in the background."""
        if self._offer and not self._spare and not self._dialling:
            self._dialling = asyncio.create_task(self._open_spare(), name=f"spare to {self.uri}")

    def forget(self) -> None:
        """Ask anew what the server offers before the next request: it may be another one by then."""
        self._offer = None

    def lost(self, reason: str) -> None:
        """Take note that the server is gone; whoever comes back is asked anew what it offers."""
        self.forget()
        self._is_gone = True
        if self._report:
            self._report(reason)

    async def watch(self, seconds: float) -> None:
        """Look every `seconds` whether a server that was lost is back, and make the spare connection
        anew: one whose other end vanished without a word looks open for ever. Never returns."""
        while True:
            await asyncio.sleep(seconds)
            with suppress(EngineError):
                await self.look()

    async def look(self) -> None:
        """Find out whether the server is there, and what it offers if that may have changed.

        Raises `EngineUnavailable` and its kinds.
        """
        await self.reach()
        if self._is_gone or self._offer is None:
            await self.offer()

    async def reach(self) -> None:
        """Make the spare connection anew; raises `EngineUnavailable` when that cannot be done.

        A connection is accepted by the server's machine even while the server is busy; an answer is not.
        """
        fresh = await self._dial()
        spare, self._spare = self._spare, None
        if spare:
            self._drop(spare)
        self._keep(fresh)

    async def ping(self) -> None:
        """Return when the server has answered; raises `EngineUnavailable` and its kinds."""
        connection = await self._dial()
        try:
            await self._answer(connection, Event("ping", {"text": None}), "pong")
        finally:
            connection.close()

    async def _ask(self) -> tuple[Connection, Offer]:
        connection = await self._dial()
        try:
            info = await self._answer(connection, Event("describe"), "info")
        except BaseException:
            connection.close()
            raise
        self._is_gone = False
        if self._report:
            self._report(None)
        self._last_offer = offer = Offer.read(info)
        if self._offered:
            self._offered(offer)
        return connection, offer

    async def _answer(self, connection: Connection, question: Event, kind: str) -> Event:
        deadline = Deadline(self.uri)
        deadline.start(self.limits.describe, f"did not answer {question.type}")
        try:
            await connection.write(question)
            while event := await deadline.keep(connection.read()):
                if event.type == kind:
                    return event
        except PeerGone as error:
            raise EngineUnavailable(str(error)) from error
        except WireError as error:
            raise EngineError(str(error)) from error
        raise EngineUnavailable(f"{self.uri} closed the connection without answering {question.type}")

    async def _dial(self) -> Connection:
        try:
            return await dial(self.uri, self.limits.connect, self.limits.wire)
        except WireError as error:
            self.lost(str(error))
            raise EngineUnavailable(str(error)) from error

    def _drop(self, spare: Connection) -> None:
        """Close a connection that lay idle; a server that closed it itself may be another one by now."""
        if not spare.is_open:
            self.forget()
        spare.close()

    def _keep(self, connection: Connection) -> None:
        if self._spare or not connection.is_open:
            connection.close()
        else:
            self._spare = connection

    async def _open_spare(self) -> None:
        try:
            self._keep(await self._dial())
        except EngineUnavailable as error:
            _log.debug("no spare connection: %s", error)
        finally:
            self._dialling = None
