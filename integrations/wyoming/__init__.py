"""Any Wyoming server: recognisers, voices, wake words, voice activity, intents, answers, satellites."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, fields
from typing import Annotated, Literal

import voluptuous as vol

from hub import (
    Address,
    ChildLimits,
    EngineError,
    IntegrationContext,
    IntegrationError,
    Offer,
    Peer,
    Provides,
    RemoteLimits,
    Supervisor,
    WireLimits,
    Wish,
    address,
    command,
)

from .device import Device, SatelliteLimits
from .owner import owned
from .stages import Shown, Stages

_SECONDS = vol.Range(min=0.1, max=3600)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings under `integrations.<name>` in the YAML."""

    uri: Address | None = None
    """`tcp://host:port` or `unix:///path`. Not set: that of the socket that `command:` gets."""
    command: tuple[str, ...] = ()
    """Starts the server and keeps it running; `{uri}` stands for where it is to listen."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What the command finds in its environment besides the path, the home folder and the language."""
    program: str | None = None
    """Of a server with several; not set: the first that fits."""
    model: str | None = None
    """Of a server with several (recognisers, wake words, intents, agents); not set: its own choice."""
    voice: str | None = None
    """Of a server with several; not set: the server's own choice, by language."""
    speaker: str | None = None
    """Of a voice with several."""
    language: str | None = None
    """Chooses a model that knows it, and is asked for; not set: that of the turn."""
    vad: bool = False
    """Whether the server tells when a voice starts and stops; Wyoming's description has no word for it."""
    request: Literal["recognize", "transcript"] = "recognize"
    """The event by which a server for intents takes a sentence; some know only what Home Assistant
    sends, `transcript`."""
    connect: Annotated[float, _SECONDS] = 5.0
    """Seconds until a connection stands."""
    describe: Annotated[float, _SECONDS] = 10.0
    """Seconds until the server has said what it offers."""
    first: Annotated[float, _SECONDS] = 30.0
    """Seconds from the end of the audio, or from a sentence, until something comes back."""
    gap: Annotated[float, _SECONDS] = 15.0
    """Seconds between two pieces of an answer."""
    total: Annotated[float, _SECONDS] = 120.0
    """Seconds from the last that was sent until the whole answer is there."""
    ahead: Annotated[float, _SECONDS] = 2.0
    """Seconds of audio that may wait until a detector takes it."""
    stall: Annotated[float, _SECONDS] = 5.0
    """Seconds until a detector that has so much waiting takes some of it."""
    verdict: Annotated[float, _SECONDS] = 10.0
    """Seconds from the end of the audio until a detector has said whether it found anything."""
    check: Annotated[float, _SECONDS] = 30.0
    """Seconds between two looks whether the server is there and what it offers."""
    text: Annotated[int, vol.Range(min=100, max=10_000_000)] = 20_000
    """Most characters of a transcript or an answer."""
    phrases: Annotated[int, vol.Range(min=0, max=10_000)] = 200
    """Most names and phrases of the house that are sent along with an utterance."""
    conversations: Annotated[int, vol.Range(min=0, max=100_000)] = 200
    """Conversations of which what the server wants to be told again is remembered."""
    context: Annotated[int, vol.Range(min=0, max=10_000_000)] = 16 * 1024
    """Most bytes of that."""
    satellite: SatelliteLimits = field(default_factory=SatelliteLimits)
    """How long each wait for a satellite may be."""
    wire: WireLimits = field(default_factory=WireLimits)
    """What one connection may send, and how long it may dawdle."""
    server: ChildLimits = field(default_factory=ChildLimits)
    """What a server that was started by `command:` may do."""

    def __post_init__(self) -> None:
        """Refuse what leads to no server."""
        if not self.command and self.uri is None:
            raise ValueError("needs the `uri:` of a server, or a `command:` that starts one")
        if self.command and self.uri is None and not any("{uri}" in word for word in self.command):
            raise ValueError("the command needs {uri}, where the server is told its address, or a `uri:`")

    @property
    def limits(self) -> RemoteLimits:
        """The limits of its requests."""
        return RemoteLimits(**{each.name: getattr(self, each.name) for each in fields(RemoteLimits)})

    def wish(self, kind: str) -> Wish:
        """Return what is wanted of the server's programs of this kind."""
        model = self.voice if kind == "tts" else self.model
        return Wish(program=self.program, model=model, language=self.language)


@asynccontextmanager
async def setup(options: Options, context: IntegrationContext) -> AsyncIterator[Provides]:
    """Ask the server what it offers, and provide that for as long as it does."""
    async with AsyncExitStack() as stack:
        uri = stack.enter_context(address(context, options.uri))
        report = None if options.command else context.report  # one who is started is reported as such
        peer = await stack.enter_async_context(Peer(uri, options.limits, report))
        supervisor: Supervisor | None = None
        if options.command:
            supervisor = await stack.enter_async_context(
                command(
                    context, options.command, peer, environment=options.environment, limits=options.server
                )
            )
        shown = Shown(options, context, Stages(options, context, peer, supervisor))
        stack.callback(shown.close)
        try:
            offer = await peer.offer()
            if device := Device.read(offer.raw):
                await stack.enter_async_context(owned(device, uri, options, context))
                yield Provides()
                return
            shown.update(offer, uri)
        except EngineError as error:
            raise IntegrationError(str(error)) from error

        def offered(offer: Offer) -> None:
            """Follow the server; one that has nothing left for us is in trouble."""
            try:
                shown.update(offer, uri)
            except EngineError as error:
                context.report(str(error))

        peer.follow(offered)
        watching = asyncio.create_task(peer.watch(options.check), name=f"watch over {uri}")
        try:
            yield Provides()
        finally:
            watching.cancel()
            await asyncio.wait((watching,))
