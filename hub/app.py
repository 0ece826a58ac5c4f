"""The composition root: opens everything in order, runs turns, reloads, closes; it alone sees everything."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from hub import domains, phrases
from hub.bus import Bus
from hub.clock import Clock
from hub.config.root import Loaded, load_root
from hub.config.words import near
from hub.door.audit import Audit, open_audit
from hub.door.policy import Policy
from hub.door.toolbox import Toolbox
from hub.errors import IntegrationError
from hub.events import Event, HubStarted, HubStopping, StateChanged
from hub.house import Given, House
from hub.integration import IntegrationContext, OwnStates, Paths
from hub.intents.commands import Commands
from hub.intents.home import HomeIntents
from hub.intents.named import NamedIntents
from hub.intents.repair import Repair
from hub.intents.vocabulary import Vocabulary
from hub.lock import locked, whole
from hub.models.shelf import Shelf, folder_of
from hub.models.store import Models
from hub.pipeline.context import TurnContext, TurnInvalid, TurnRequest
from hub.pipeline.resolve import Pipeline, pipelines
from hub.pipeline.turn import Turn, run_turn
from hub.private import keep_private
from hub.registry import Offer, Registry, Report, Tell
from hub.rooms.ledger import Ledger, open_ledger
from hub.rooms.lent import Lent
from hub.rooms.rooms import SATELLITES, Rooms
from hub.stages.intents import IntentRecognizer
from hub.stages.satellite import Satellite
from hub.states import States
from hub.store import Store, open_store
from hub.supervisor.remains import RECORDS, clear
from hub.values.house import Locale
from hub.values.thing import State
from hub.values.tool import Caller

_log = logging.getLogger(__name__)
_AT_START = ("hub", "audit", "ledger", "limits", "api")
"""Keys that are read when the hub starts."""


class App:
    """A running hub. What a reload replaces is looked up at each use."""

    def __init__(
        self,
        loaded: Loaded,
        paths: Paths,
        clock: Clock,
        audit: Audit,
        states: Iterable[State],
        given: Mapping[str, Given],
        ledger: Ledger,
    ) -> None:
        root = self.config = loaded.root
        self.paths = paths
        self.clock = clock
        self.bus = Bus()
        self.states = States(self.bus, clock, states)
        self.house = House(
            self.bus, self.states, loaded.floors, loaded.areas, given=given, declared=root.things
        )
        self.toolbox = Toolbox(
            house=self.house,
            bus=self.bus,
            audit=audit,
            policy=Policy(root.policies, self.house),
            limits=root.limits.door,
        )
        self._home = HomeIntents(self.house, self.states, clock, root.hub, paths.cache)
        self._commands = self._made_of(loaded)
        self._recognizers: dict[str, IntentRecognizer] = {
            "commands": self._commands,
            "home": self._home,
        }
        self._named = NamedIntents(self._home, lambda: self._commands)
        self.registry = Registry(
            house=self.house,
            states=self.states,
            add_tools=self.toolbox.add,
            context=self._context,
            limits=root.limits.integrations,
            built_in=self._recognizers,
            connect=self._connect,
        )
        self.pipelines: Mapping[str, Pipeline] = pipelines(root.pipelines)
        self._vocabulary = self._words_of(loaded)
        self._repair = Repair(self._vocabulary, root.limits.repair)
        self._loaded = loaded
        self._is_warm = asyncio.Event()
        self._turns: set[asyncio.Task[Turn]] = set()
        self._reloading = asyncio.Lock()
        self._phrases = cache(phrases.load)
        self.rooms = Rooms(root.satellites, self._lent_to_rooms(ledger))

    @property
    def locale(self) -> Locale:
        """How this house speaks and measures."""
        return self.config.hub

    async def turn(self, request: TurnRequest) -> Turn:
        """Run one turn to its end; cancelling the caller ends the turn, never what a tool does."""
        pipeline = self.pipelines.get(request.pipeline)
        if pipeline is None:
            raise TurnInvalid(
                f"there is no pipeline '{request.pipeline}'{near(request.pipeline, self.pipelines)}"
            )
        turn = asyncio.create_task(run_turn(pipeline, request, self._lent()), name=f"turn {request.id}")
        self._turns.add(turn)
        turn.add_done_callback(self._turns.discard)
        try:
            return await asyncio.shield(turn)
        except asyncio.CancelledError:
            turn.cancel()
            await asyncio.wait([turn])
            raise

    async def reload(self) -> None:
        """Read the configuration anew; raises `ConfigError` and changes nothing if it is wrong.

        Conversations go on: a turn keeps the pipeline it began with, and only integrations whose
        entry has changed are opened anew.
        """
        async with self._reloading:
            loaded = await asyncio.to_thread(load_root, self.paths.config)
            commands = self._made_of(loaded)
            await commands.warm()
            before, root = self.config, loaded.root
            self.config = loaded.root
            self.house.declare(loaded.floors, loaded.areas, root.things)
            self.toolbox.judge_by(Policy(root.policies, self.house))
            self._recognizers["commands"] = self._commands = commands
            self._vocabulary = self._words_of(loaded)
            self._repair = Repair(self._vocabulary, root.limits.repair)
            self.pipelines = pipelines(root.pipelines)
            self.rooms.change(root.satellites)
            await self.registry.change(loaded.integrations)
            _log.info("the configuration was read anew")
            for key in _AT_START:
                if getattr(before, key) != getattr(root, key):
                    _log.warning("what has changed under '%s:' holds from the next start on", key)

    async def open(self) -> None:
        """Open the integrations, make understanding ready meanwhile, and say that the hub is ready."""
        await self.registry.start(self._loaded.integrations)
        with suppress(TimeoutError):
            async with asyncio.timeout(self.config.limits.integrations.start_wait):
                await self._is_warm.wait()
        self.bus.publish(HubStarted())

    async def close(self) -> None:
        """Give the turns a moment to end, cancel what is left, close the integrations."""
        self.bus.publish(HubStopping())
        await self.rooms.close()
        wait = self.config.limits.turns.stop
        if self._turns:
            await asyncio.wait(self._turns, timeout=wait)
        for turn in self._turns:
            turn.cancel()
        if self._turns:
            await asyncio.wait(self._turns, timeout=wait)
        await self.registry.close()

    async def keep_warm(self) -> None:
        """Make understanding ready in the background, now and after every change of the house."""
        try:
            await self._commands.warm()
            await self._home.warm()
        finally:
            self._is_warm.set()
        await self._home.keep_warm(self.bus)

    def _made_of(self, loaded: Loaded) -> Commands:
        """Return the recogniser of a configuration's own sentences."""
        return Commands(loaded.root.commands, self.house, self.states, loaded.root.hub)

    def _words_of(self, loaded: Loaded) -> Vocabulary:
        """Return what is said in a house of this configuration."""
        own = phrases.load(loaded.root.hub.language)
        return Vocabulary(self.house, loaded.root.commands, own)

    def _lent(self) -> TurnContext:
        """Return what a turn may use."""
        return TurnContext(
            engines=self.registry,
            call=self.toolbox.call,
            bus=self.bus,
            phrases=self._phrases,
            vocabulary=self._vocabulary.phrases,
            places=self._places,
            repair=self._repair,
            weigh=self.toolbox.weigh,
            limits=self.config.limits.turns,
        )

    def _places(self) -> tuple[str, ...]:
        areas, floors = self.house.areas.values(), self.house.floors.values()
        return (*(area.name for area in areas), *(floor.name for floor in floors))

    def _lent_to_rooms(self, ledger: Ledger) -> Lent:
        """Return what the rooms may use."""
        return Lent(
            turn=self.turn,
            engines=self.registry,
            pipeline=lambda name: self.pipelines.get(name),
            language=lambda: self.locale.language,
            bus=self.bus,
            states=self.states,
            ledger=ledger,
            limits=lambda: self.config.limits.rooms,
            bring=partial(self.house.bring, SATELLITES),
        )

    def _connect(self, instance: str, satellites: Iterable[Satellite]) -> AbstractContextManager[None]:
        """Let the rooms use what an integration has connected."""
        return self.rooms.connect(instance, satellites)

    def _context(self, name: str, offer: Offer, report: Report, health: Tell) -> IntegrationContext:
        """Return what the hub gives the instance called `name`."""
        caller = Caller((f"integration:{name}",))
        return IntegrationContext(
            name=name,
            offer=offer,
            resolve=partial(self._named.resolve, name),
            events=self.bus,
            states=OwnStates(self.states.get, self.states.last, partial(self._set_own, name)),
            call=partial(self.toolbox.call, caller=caller),
            report=report,
            health=health,
            models=self._models(),
            paths=self.paths,
            locale=self.locale,
            clock=self.clock,
            log=logging.getLogger(f"integrations.{name}"),
        )

    def _models(self) -> Models:
        """Return the models of engines, as the configuration is now."""
        config = self.config
        shelf = Shelf(folder_of(config.models, self.paths.config, self.paths.cache))
        spoken = (config.hub.language, *(one.language for one in config.pipelines.values() if one.language))
        return Models(shelf, config.models, tuple(dict.fromkeys(spoken)))

    def _set_own(
        self, name: str, entity_id: str, state: str, attributes: Mapping[str, Any] | None = None
    ) -> State:
        """Set the state of a thing that this instance brought."""
        if self.house.owner(entity_id) != name:
            raise IntegrationError(f"'{name}' did not bring {entity_id} and cannot set its state")
        return self.states.set(entity_id, state, attributes)


@asynccontextmanager
async def running(config_dir: Path, *, data_dir: Path) -> AsyncIterator[App]:
    """Run the hub of a configuration folder while the block is open.

    Raises `ConfigError` with every problem, `DataInUse` when another hub has the data folder,
    `HouseHalfRestored`, and `StoreError` when that folder cannot be written.
    """
    keep_private()
    whole(data_dir)
    loaded = await asyncio.to_thread(load_root, config_dir)
    limits = loaded.root.limits
    async with AsyncExitStack() as stack:
        stack.enter_context(locked(data_dir))
        paths = stack.enter_context(_folders(config_dir, data_dir))
        await asyncio.to_thread(clear, data_dir / RECORDS)
        store = await stack.enter_async_context(open_store(data_dir / "earnest.db", limits.store))
        clock = Clock(ZoneInfo(loaded.root.hub.time_zone))
        audit = await stack.enter_async_context(open_audit(loaded.root.audit, data_dir, clock))
        ledger = await stack.enter_async_context(open_ledger(loaded.root.ledger, data_dir / "ledger", clock))
        app = App(loaded, paths, clock, audit, await store.states(), await store.given(), ledger)
        stack.enter_context(app.bus.follow(partial(_keep, store, app.house), StateChanged))
        await stack.enter_async_context(app.toolbox)
        stack.enter_context(app.toolbox.add(domains.tools(app.house, store.give, limits.door.thing_timeout)))
        warm = asyncio.create_task(app.keep_warm(), name="warm-up")
        stack.push_async_callback(_end, warm)
        stack.push_async_callback(app.close)
        await app.open()
        yield app


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


def _keep(store: Store, house: House, event: Event) -> None:
    """Keep a thing's last state for the next start; an indicator's is true for its moment only."""
    owner = house.owner(event.entity_id) if isinstance(event, StateChanged) else None
    if isinstance(event, StateChanged) and event.new and owner not in (None, SATELLITES):
        store.keep(event.new)


@contextmanager
def _folders(config: Path, data: Path) -> Iterator[Paths]:
    """Make the folders; sockets of this run lie in a fresh one with a short path, and go with it."""
    cache = data / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="earnest-") as run:
        yield Paths(config=config.absolute(), data=data.absolute(), cache=cache.absolute(), run=Path(run))
