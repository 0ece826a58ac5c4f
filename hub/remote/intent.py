"""`intents` in another process, over Wyoming."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

from hub.errors import EngineError, WireError
from hub.remote.choice import Choice, Wish, choose
from hub.remote.contexts import Contexts
from hub.remote.exchange import Exchange, Send
from hub.remote.peer import Peer
from hub.remote.wire import Event, text_of
from hub.values.intent import Match, Miss, NamedIntent
from hub.values.session import Session

Resolve = Callable[[Sequence[NamedIntent], Session], Awaitable[Match | Miss]]
"""`IntegrationContext.resolve`."""
Request = Literal["recognize", "transcript"]
"""The event that a server takes a sentence by; some know only the second, as Home Assistant sends it."""

_ANY = Wish()
_PIECES = frozenset({"intents-start", "intent"})
"""What shows that the answer goes on; a server may say other things for ever."""
_MOST = 100
"""Intents and entities that are read of one answer."""
_LONGEST = 200
"""Characters of the name of an intent or an entity."""


class RemoteIntents:
    """A recogniser of intents behind a `Peer`; `resolve` tells what they do in this house."""

    def __init__(
        self,
        peer: Peer,
        resolve: Resolve,
        wish: Wish = _ANY,
        request: Request = "recognize",
        name: str | None = None,
    ) -> None:
        """`name` is what its answers are known by; None: the peer's address."""
        self._peer = peer
        self._resolve = resolve
        self._wish = wish
        self._request = request
        self._name = name or peer.uri
        self._contexts = Contexts(peer.limits.conversations, peer.limits.context)

    async def recognize(self, text: str, session: Session) -> Match | Miss:
        """Return what the server takes the text for; raises `EngineError` and its kinds."""
        async with Exchange(self._peer) as exchange:
            offer = await self._peer.offer()
            choice = choose(offer, "intent", self._wish, self._peer.uri, session.language)

            async def send(write: Send) -> None:
                await write(self._question(text, session, choice))

            exchange.start(send)
            try:
                found = await self._answer(exchange, session)
            except WireError as error:
                raise EngineError(str(error)) from error
        return found if isinstance(found, (Match, Miss)) else await self._resolve(found, session)

    def _question(self, text: str, session: Session, choice: Choice) -> Event:
        data: dict[str, Any] = {"text": text, "context": self._contexts.of(session)}
        data |= {"language": choice.language, "name": choice.name}
        return Event(self._request, {key: value for key, value in data.items() if value is not None})

    async def _answer(self, exchange: Exchange, session: Session) -> list[NamedIntent] | Match | Miss:
        found: list[NamedIntent] = []
        is_several = False
        while (event := await exchange.receive()).type != "intents-stop" or not is_several:
            if event.type in _PIECES:
                exchange.came()
            self._contexts.keep(session, event)
            if event.type == "intents-start":
                is_several = True
            elif event.type == "intent":
                found.append(self._intent(event))
                if not is_several:
                    break
            elif event.type in ("not-recognized", "not-handled"):
                return Miss(stage=self._name, code="no-match", reason=_reason(event), reply=self._said(event))
            elif event.type == "handled":
                return self._handled(self._said(event) or "")
            if len(found) > _MOST:
                raise EngineError(f"{self._peer.uri} found more than {_MOST} intents in one sentence")
        return found

    def _handled(self, reply: str) -> Match:
        """Return that the server has done itself what the sentence was for."""
        return Match(
            stage=self._name, intent="handled", respond=lambda _: reply, why="the server took care of it"
        )

    def _intent(self, event: Event) -> NamedIntent:
        entities = event.data.get("entities")
        listed = entities[:_MOST] if isinstance(entities, list) else ()
        slots = {
            one["name"][:_LONGEST]: one.get("value")
            for one in listed
            if isinstance(one, dict) and isinstance(one.get("name"), str)
        }
        name = text_of(event, self._peer.uri, "name")[:_LONGEST]
        return NamedIntent(name=name, slots=slots, reply=self._said(event))

    def _said(self, event: Event) -> str | None:
        """Return the server's own words, if it has any."""
        if not isinstance(event.data.get("text"), str):
            return None
        return text_of(event, self._peer.uri)[: self._peer.limits.text].strip() or None


def _reason(event: Event) -> str:
    is_about_meaning = event.type == "not-recognized"
    return "the server does not know what is meant" if is_about_meaning else "the server does not take it"
