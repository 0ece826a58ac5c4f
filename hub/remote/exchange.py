"""One request to another process: a task sends, the reader receives, and every wait has a limit."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

from hub.engines.deadline import Deadline
from hub.errors import EngineBusy, EngineError, EngineTimeout, EngineUnavailable, WireError
from hub.printable import printable
from hub.remote.peer import Peer
from hub.remote.wire import Connection, Event, PeerGone, text_of

Send = Callable[[Event], Awaitable[None]]


class Exchange:
    """Opened with `async with`; whatever goes wrong on either way is raised where one receives."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._deadline = Deadline(peer.uri)
        self._ends: float | None = None
        self._failure: BaseException | None = None
        self._sender: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._connection: Connection = await self._peer.take()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._sender:
                self._sender.cancel()
                await asyncio.wait((self._sender,))
        finally:
            self._connection.close()
            self._peer.restock()

    def start(self, sending: Callable[[Send], Awaitable[None]]) -> None:
        """Run `sending(send)` beside the receiver; once it is through, the whole answer is due."""
        self._sender = asyncio.create_task(self._send(sending), name=f"to {self._peer.uri}")

    async def receive(self) -> Event:
        """Return the next event of the answer; raises `EngineError` and its kinds.

        An `error` event is an `EngineError` with the server's own words.
        """
        try:
            event = await self._deadline.keep(self._connection.read())
        except EngineTimeout as error:
            self._peer.lost(str(error))
            raise
        except PeerGone as error:
            raise self._gone(str(error)) from error
        except WireError as error:
            raise EngineError(str(error)) from error
        if event is None:
            raise self._gone(f"{self._peer.uri} closed the connection before it had answered")
        if event.type == "error":
            raise _told(event)
        return event

    def expect(self, seconds: float, what: str) -> None:
        """Let the next event be due in `seconds`, and never later than the whole answer."""
        total = self._peer.limits.total
        left = math.inf if self._ends is None else self._ends - asyncio.get_running_loop().time()
        if left < seconds:
            self._deadline.start(max(0.0, left), "did not finish its answer", total)
        else:
            self._deadline.start(seconds, what)

    def came(self) -> None:
        """Take note that a piece came: once all is sent, the next is due; until then nothing is."""
        if self._ends is None:
            self._deadline.stop()
        else:
            self.expect(self._peer.limits.gap, "gave no more of its answer")

    async def _send(self, sending: Callable[[Send], Awaitable[None]]) -> None:
        try:
            await sending(self._write)
            limits = self._peer.limits
            self._ends = asyncio.get_running_loop().time() + limits.total
            self._deadline.start(min(limits.first, limits.total), "gave no answer")
        except PeerGone as error:
            # What it said before it closed can still be read, and says more than this.
            self._failure = EngineUnavailable(str(error))
            self.expect(self._peer.limits.gap, "gave no answer")
        except Exception as error:  # noqa: BLE001  the receiver raises it
            self._fail(error)
        except BaseException:
            self._fail(EngineError(f"the request to {self._peer.uri} was given up"))
            raise

    async def _write(self, event: Event) -> None:
        """Send an event and let the others run: audio that lies ready would keep them waiting."""
        await self._connection.write(event)
        await asyncio.sleep(0)

    def _fail(self, error: BaseException) -> None:
        self._failure = error
        self._connection.close()

    def _gone(self, why: str) -> BaseException:
        if self._failure is None:
            self._failure = EngineUnavailable(why)
        if isinstance(self._failure, EngineUnavailable):
            self._peer.lost(str(self._failure))
        return self._failure


def _told(event: Event) -> EngineError:
    """Return the server's own words; one that has too many clients is busy, not broken."""
    said = _said(event)
    return EngineBusy(said) if event.data.get("code") == EngineBusy.code else EngineError(said)


def _said(event: Event) -> str:
    try:
        return printable(text_of(event, "")[:500]) or "it failed without saying why"
    except WireError:
        return "it failed without saying why"
