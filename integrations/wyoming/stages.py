"""What a Wyoming server offers, as stages of the hub."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from hub import (
    Agent,
    Asr,
    EngineUnavailable,
    IntegrationContext,
    IntentRecognizer,
    Offer,
    Peer,
    Provides,
    RemoteAgent,
    RemoteAsr,
    RemoteIntents,
    RemoteTts,
    RemoteVad,
    RemoteWake,
    SteadyAgent,
    SteadyAsr,
    SteadyIntents,
    SteadyTts,
    Supervisor,
    Tts,
    choose,
)

if TYPE_CHECKING:
    from . import Options


async def _at_once() -> None:
    return


class Stages:
    """The stages of one server; with a `supervisor` they wait for a server that is started again."""

    def __init__(
        self, options: Options, context: IntegrationContext, peer: Peer, supervisor: Supervisor | None
    ) -> None:
        self._options = options
        self._context = context
        self._peer = peer
        self._supervisor = supervisor
        self._ready: Callable[[], Awaitable[None]] = supervisor.ready if supervisor else _at_once

    def of(self, kind: str) -> Provides:
        """Return the stage for this kind of programs, in the slot where a pipeline names it."""
        match kind:
            case "asr":
                return Provides(asr=self._asr())
            case "tts":
                return Provides(tts=self._tts())
            case "wake":
                return Provides(wake=RemoteWake(self._peer, self._ready, self._options.wish("wake")))
            case "vad":
                return Provides(vad=RemoteVad(self._peer, self._ready))
            case "intent":
                return Provides(intents=self._intents())
            case _:
                return Provides(agent=self._agent())

    def _asr(self) -> Asr:
        asr = RemoteAsr(self._peer, self._options.wish("asr"))
        return SteadyAsr(asr, self._supervisor) if self._supervisor else asr

    def _tts(self) -> Tts:
        tts = RemoteTts(self._peer, self._options.wish("tts"), self._options.speaker)
        return SteadyTts(tts, self._supervisor) if self._supervisor else tts

    def _intents(self) -> IntentRecognizer:
        intents = RemoteIntents(
            self._peer,
            self._context.resolve,
            self._options.wish("intent"),
            self._options.request,
            self._context.name,
        )
        return SteadyIntents(intents, self._supervisor) if self._supervisor else intents

    def _agent(self) -> Agent:
        agent = RemoteAgent(self._peer, self._options.wish("handle"))
        return SteadyAgent(agent, self._supervisor) if self._supervisor else agent


class Shown:
    """What the instance provides at the moment, which changes with what the server says of itself."""

    def __init__(self, options: Options, context: IntegrationContext, stages: Stages) -> None:
        self._options = options
        self._context = context
        self._stages = stages
        self._provided: dict[str, ExitStack] = {}

    def update(self, offer: Offer, uri: str) -> None:
        """Provide what the server offers now, and what it offers no more no longer.

        Raises `EngineUnavailable` when nothing of it is of use, with what there is.
        """
        kinds, why = self._fitting(offer, uri)
        for kind in self._provided.keys() - kinds:
            self._provided.pop(kind).close()
        for kind in kinds - self._provided.keys():
            stack = self._provided[kind] = ExitStack()
            stack.enter_context(self._context.offer(self._stages.of(kind)))
        if not kinds:
            raise EngineUnavailable(why)

    def close(self) -> None:
        """Provide nothing any more."""
        while self._provided:
            self._provided.popitem()[1].close()

    def _fitting(self, offer: Offer, uri: str) -> tuple[set[str], str]:
        """Return the kinds that have what the options name, and why there are none.

        A kind that does not know the name is left out; one that some kind should know and none does
        leaves out all.
        """
        kinds, wrong = set(), []
        for kind in offer.kinds:
            try:
                choose(offer, kind, self._options.wish(kind), uri)
                kinds.add(kind)
            except EngineUnavailable as error:
                wrong.append(str(error))
        is_lost = bool(self._options.voice and "tts" not in kinds)
        if is_lost or (self._options.model and not kinds - {"tts"}):
            kinds.clear()
        if self._options.vad:
            kinds.add("vad")
        return kinds, "; ".join(wrong) or f"{uri} offers nothing that a pipeline could use"
