"""A satellite's life from its connection to its loss: what goes on at the same time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import closing
from functools import partial
from typing import Any

from hub.errors import EarnestError, EngineUnavailable
from hub.rooms.inbox import Spoke
from hub.rooms.indicator import Use
from hub.rooms.speech import begins
from hub.rooms.station import Station
from hub.rooms.waits import unless
from hub.rooms.wake import watch
from hub.stages.microphone import Microphone
from hub.stages.satellite import MuteSwitched, Satellite, SatelliteNews, Woken
from hub.values.speech import Detection

_log = logging.getLogger(__name__)


async def live(station: Station, link: Satellite) -> str:
    """Hear, answer and show for as long as the satellite is connected; returns why it no longer is."""
    station.connect(link)
    try:
        reason = await _all_of(station, link)
    except BaseException:
        station.disconnect(*station.farewell)
        raise
    station.disconnect(reason)
    return reason


async def _all_of(station: Station, link: Satellite) -> str:
    parts: list[Coroutine[Any, Any, None]] = [station.attend(), _take_news(station, link)]
    if link.microphone:
        parts += [_hear(station, link.microphone), _wake(station), _await_speech(station)]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(part, name=f"satellite {station.name}") for part in parts]
            reason = await link.closed()
            station.farewell = (reason, "unavailable")  # whoever takes it back now has no better one
            for task in tasks:
                task.cancel()
    except* Exception as errors:  # noqa: BLE001  one room's fault is its own
        error = errors.exceptions[0]
        _log.error("satellite '%s' failed", station.name, exc_info=error)
        reason = f"{type(error).__name__}: {error}"
    return reason


async def _take_news(station: Station, link: Satellite) -> None:
    """Take what the satellite tells, in order; one that has nothing more to tell stays silent."""
    async with link.news() as news:
        async for item in news:
            _take(station, item)


def _take(station: Station, item: SatelliteNews) -> None:
    if isinstance(item, MuteSwitched):
        station.mute(item.is_muted, "its own switch")
    elif isinstance(item, Woken):
        known = {"level": item.level, "noise": item.noise, "score": item.score}
        station.heard(item.word, None, station.ear.position, **known)
    else:
        station.inbox.put(item)


async def _hear(station: Station, microphone: Microphone) -> None:
    """Read the microphone whenever somebody may listen to it."""
    opened = partial(station.trouble, "microphone", None)
    is_steady = station.config.wake.engine is not None
    retry = _Retry(station)
    while True:
        await station.wants_sound.on()
        gap = station.lent.limits().microphone_gap if is_steady else None
        try:
            await unless(station.wants_sound.off, station.ear.read(microphone, opened, gap))
            reason = "the microphone ended"
        except EarnestError as error:
            reason = str(error)
        except Exception as error:  # noqa: BLE001  whatever a microphone does, the room lives on
            _log.debug("the microphone of '%s' failed", station.name, exc_info=error)
            reason = f"the microphone failed: {type(error).__name__}: {error}"
        if station.wants_sound.is_on():
            station.trouble("microphone", reason)
            await retry.pause()
            if not station.wants_sound.is_on():
                opened()  # nobody wants it now; whoever does next will see


async def _wake(station: Station) -> None:
    """Look for wake words in the sound, if the hub is to do that."""
    engine = station.config.wake.engine
    if engine is None:
        return
    retry = _Retry(station)
    while True:
        await station.wants_wake.on()
        try:
            await unless(station.wants_wake.off, _watch(station, engine))
        except EarnestError as error:
            station.trouble("wake", str(error))
            await retry.pause()
        else:
            station.trouble("wake", None)


async def _watch(station: Station, engine: str) -> None:
    """Hear until the gate or the microphone closes."""
    detector = station.lent.engines.wake(engine)
    words = tuple(station.config.wake.words) or detector.words

    def tell(detection: Detection, sample: int) -> None:
        station.heard(detection.word, engine, sample)

    def is_current() -> bool:
        return station.lent.engines.wake(engine) is detector

    with closing(detector.open(words)) as stream, station.ear.listen(Use.WAKE) as sound:
        station.trouble("wake", None)
        await watch(station.shared.desk(engine), stream, sound, tell, station.shed, is_current)


async def _await_speech(station: Station) -> None:
    """Look for speech where none needs a wake word: when it is always listened, and in mid-reply."""
    retry = _Retry(station)
    while True:
        await station.wants_words.on()
        try:
            await unless(station.wants_words.off, _speech(station))
        except EarnestError as error:
            _log.warning("satellite '%s' does not notice speech: %s", station.name, error)
            await retry.pause()


async def _speech(station: Station) -> None:
    pipeline = station.lent.pipeline(station.config.pipeline)
    if pipeline is None or pipeline.vad is None:
        raise EngineUnavailable(f"pipeline '{station.config.pipeline}' has no vad")
    vad = station.lent.engines.vad(pipeline.vad)
    with station.ear.listen(Use.DETECT) as sound:
        position = await begins(vad, pipeline.segment, sound)
    if position is not None:
        station.inbox.put(Spoke(position))
        await station.wants_words.off()


class _Retry:
    """Growing pauses after failures that follow each other closely."""

    def __init__(self, station: Station) -> None:
        self._limits = station.lent.limits
        self._next = self._limits().rouse_first
        self._last = asyncio.get_running_loop().time()

    async def pause(self) -> None:
        """Wait a little, each time longer, unless all went well for a while."""
        limits, now = self._limits(), asyncio.get_running_loop().time()
        if now - self._last > 2 * limits.rouse_longest:
            self._next = limits.rouse_first
        await asyncio.sleep(self._next)
        self._next = min(self._next * 2, limits.rouse_longest)
        self._last = asyncio.get_running_loop().time()
