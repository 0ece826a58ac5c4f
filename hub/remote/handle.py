"""`agent` in another process: a Wyoming server that handles what was said and answers in words."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Self

from hub.errors import EngineDeclined, EngineError, WireError
from hub.remote.choice import Choice, Wish, choose
from hub.remote.contexts import Contexts
from hub.remote.exchange import Exchange, Send
from hub.remote.peer import Peer
from hub.remote.wire import Event, text_of
from hub.values.session import Session

_ANY = Wish()
_PIECES = frozenset({"handled-start", "handled-chunk"})
"""What shows that the answer goes on; a server may say other things for ever."""


class RemoteAgent:
    """A conversation partner behind a `Peer`."""

    def __init__(self, peer: Peer, wish: Wish = _ANY) -> None:
        self._peer = peer
        self._wish = wish
        self._contexts = Contexts(peer.limits.conversations, peer.limits.context)

    def answer(self, text: str, session: Session) -> Handling:
        """Answer in pieces as they come; raises `EngineDeclined` for what the server does not handle."""
        return Handling(self._peer, self._wish, self._contexts, text, session)


class Handling:
    """One answer."""

    def __init__(self, peer: Peer, wish: Wish, contexts: Contexts, text: str, session: Session) -> None:
        self._peer = peer
        self._wish = wish
        self._contexts = contexts
        self._text = text
        self._session = session
        self._exchange = Exchange(peer)
        self._length = 0
        self._is_over = False

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._exchange)
            offer = await self._peer.offer()
            choice = choose(offer, "handle", self._wish, self._peer.uri, self._session.language)
            self._exchange.start(partial(self._send, choice))
            stack.pop_all()
        return self

    async def __aexit__(self, *exit_: Any) -> None:
        await self._exchange.__aexit__(*exit_)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        while not self._is_over:
            event = await self._exchange.receive()
            if event.type in _PIECES:
                self._exchange.came()
            self._contexts.keep(self._session, event)
            try:
                piece = self._read(event)
            except WireError as error:
                raise EngineError(str(error)) from error
            if piece is not None:
                return piece
        raise StopAsyncIteration

    async def _send(self, choice: Choice, send: Send) -> None:
        data: dict[str, Any] = {"text": self._text, "context": self._contexts.of(self._session)}
        data |= {"language": choice.language, "name": choice.name}
        await send(Event("transcript", {key: value for key, value in data.items() if value is not None}))

    def _read(self, event: Event) -> str | None:
        """Return the next piece of the answer, empty if it is done without a word, None for anything else.

        Raises `WireError`, and `EngineError` and its kinds.
        """
        if event.type == "handled-chunk":
            return self._bounded(text_of(event, self._peer.uri))
        if event.type == "handled":
            self._is_over = True
            # After pieces it is all of them once more, for clients that take none.
            return None if self._length else self._bounded(_words(event, self._peer.uri))
        if event.type == "handled-stop":
            self._is_over = True
        elif event.type in ("not-handled", "not-recognized"):
            raise EngineDeclined(_words(event, self._peer.uri))
        elif event.type == "intent":
            raise EngineError(
                f"{self._peer.uri} answers with intents: name it under `intents:` of the pipeline"
            )
        return None

    def _bounded(self, text: str) -> str:
        self._length += len(text)
        if self._length > self._peer.limits.text:
            raise WireError(f"{self._peer.uri} sent more than {self._peer.limits.text} characters")
        return text


def _words(event: Event, peer: str) -> str:
    """Return what the server says to people; empty for a server that did it without a word."""
    return text_of(event, peer) if event.data.get("text") is not None else ""
