"""A station: the hub's side of one satellite, from rest to rest."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from hub.audio import SPEECH
from hub.events import SatelliteStuck, WakeWordYielded
from hub.pipeline.context import Wake
from hub.pipeline.waking import begin as quietest_moment
from hub.rooms.arbiter import Claim, loudness
from hub.rooms.config import Mode, SatelliteConfig
from hub.rooms.course import Start
from hub.rooms.ear import Ear
from hub.rooms.errand import Errands
from hub.rooms.inbox import Heard, Inbox, News, Spoke, Stuck, Switch
from hub.rooms.indicator import Indicator, Shown
from hub.rooms.lent import Lent, Shared
from hub.rooms.talk import Talk
from hub.rooms.voice import Voice
from hub.rooms.waits import first
from hub.rooms.watchdog import Watchdog
from hub.stages.satellite import Indication, Pressed, Satellite

_log = logging.getLogger(__name__)
_What = TypeVar("_What")
_TAKEN_BACK: tuple[str, Indication] = ("it was taken back", "unavailable")
_FRESH = 0.5
"""Seconds of sound of a satellite that heard its word itself and began to send only then: all of it is meant,
also what overtook the news of the word."""


class Station:
    """Holds one entry of `satellites:`, connected or not. The event loop's thread only."""

    def __init__(self, name: str, config: SatelliteConfig, lent: Lent, shared: Shared) -> None:
        limits = lent.limits()
        self.name = name
        self.config = config
        self.lent = lent
        self.shared = shared
        self.inbox: Inbox[News] = Inbox()
        self.errands = Errands()
        self.indicator = Indicator(
            name, self._publish, patience=limits.indication, witnesses=shared.witnesses
        )
        self.ear = Ear(self.indicator, kept=limits.heard_before, behind=limits.behind)
        self.voice = Voice(name, self._begin_to_speak)
        self.link: Satellite | None = None
        self.wants_sound = Switch()
        self.wants_words = Switch()
        """Whether somebody's speech, without a wake word, is waited for."""
        self.wants_wake = Switch()
        self.farewell: tuple[str, Indication] = _TAKEN_BACK
        """What its state says when it is ended from outside."""
        self._is_retired = False
        self._mode: Mode = "wake_word" if config.mode == "muted" else config.mode
        self._talk: Talk | None = None
        self._troubles: dict[str, str] = {}
        self._watchdog = Watchdog(self.inbox.put, lent.limits, self._longest_utterance)
        self._lost = 0.0
        self.indicator.mute(config.mode == "muted", "configured")

    @property
    def mode(self) -> Mode:
        """How it listens."""
        return self._mode

    @property
    def is_talking(self) -> bool:
        """Whether a turn is under way."""
        return self._talk is not None

    @property
    def barge_in(self) -> str:
        """What interrupts the hub here: what is configured, as far as the satellite can do it."""
        able = self.link.abilities.barge_in if self.link else "none"
        wanted = self.config.barge_in or able
        order = ("none", "wake_word", "speech")
        return min(able, wanted, key=order.index)

    def mute(self, is_muted: bool, reason: str) -> None:
        """Close the microphone hard, or allow it again; somebody who is just speaking is not answered."""
        if is_muted == self.indicator.is_muted:
            return
        was_listening = self.indicator.doing == "listening"
        self.indicator.mute(is_muted, reason)
        if is_muted and was_listening and self._talk:
            self._talk.break_off("mute")

    def connect(self, link: Satellite) -> None:
        """Take a satellite into use; `hub.rooms.life.live` lives with it."""
        self.link = link
        self.farewell = _TAKEN_BACK
        self._troubles.clear()
        self.inbox.clear()
        self.voice.connect(link.speaker)

    def disconnect(self, reason: str, indication: Indication = "unavailable") -> None:
        """Say that no satellite is there, and why."""
        self.voice.connect(None)
        self.errands.refuse(f"it is gone: {reason}")
        self._watchdog.stop()
        self.indicator.step(indication, reason)
        self.link = None

    def retire(self) -> None:
        """Say nothing to the house any more: the entry is gone, or another station has its name."""
        self._is_retired = True

    def rest(self, reason: str) -> None:
        """Go back to waiting for whoever wants something, or say why that is not possible."""
        trouble = next(iter(self._troubles.values()), None)
        if trouble:
            self.indicator.step("unavailable", trouble)
        elif self._mode == "always_listening":
            self.indicator.step("listening", "always_listening")
        else:
            self.indicator.step("standby", reason)

    def trouble(self, part: str, reason: str | None) -> None:
        """Take note that the microphone or the detector of wake words fails, or works again (None)."""
        before = self._troubles.get(part)
        if reason is None:
            self._troubles.pop(part, None)
        else:
            self._troubles[part] = reason
        if reason != before:
            if reason:
                _log.warning("satellite '%s': %s", self.name, reason)
            else:
                _log.info("satellite '%s' hears again", self.name)
        if reason != before and self._talk is None and self.link and not self.voice.is_playing:
            self.rest("hears again")

    def shed(self, seconds: float) -> None:
        """Take note that the detector of wake words was too slow for so much sound; the state says so."""
        before, self._lost = self._lost, self._lost + seconds
        if before == 0:
            _log.warning("satellite '%s': the machine is too slow to hear all wake words", self.name)
        if int(self._lost) > int(before):
            self._tell_house(self.indicator.shown)

    def heard(self, word: str, engine: str | None, told: int, **known: float | None) -> None:
        """Take a wake word."""
        self.inbox.put(Heard(word=word, engine=engine, told=told, **known))

    async def attend(self) -> None:
        """Answer whoever wants something, one after the other, for ever."""
        self.inbox.clear()
        self.rest("connected")
        while True:
            await first(self.inbox.filled(), self.errands.filled())
            item = self.inbox.take()
            errand = None if item else self.errands.take()
            try:
                if errand:
                    await self._run(Talk.run_errand, errand)
                else:
                    await self._take(item)
            except Exception as error:  # noqa: BLE001  a fault costs one talk, never the room
                _log.exception("satellite '%s' lost its way", self.name)
                self.report_stuck(f"{type(error).__name__}: {error}")
                self.rest("recovered")

    def report_stuck(self, reason: str) -> None:
        """Tell that the satellite was in a state that cannot be."""
        shown = self.indicator.shown
        _log.error("satellite '%s' was stuck in '%s': %s", self.name, shown.doing, reason)
        self.lent.bus.publish(SatelliteStuck(satellite=self.name, indication=shown.doing, reason=reason))

    async def start_of(self, item: News) -> Start | None:
        """Return the turn that this begins, or None: it begins none, or another satellite answers."""
        if self.indicator.is_muted:
            return None
        if isinstance(item, Heard):
            return await self._called(item)
        if isinstance(item, Pressed):
            self.wants_sound.turn(True)
            return Start(reason="button", position=self.ear.position, pipeline=self.config.pipeline)
        if isinstance(item, Spoke):
            return Start(reason="speech", position=self._before(item), pipeline=self.config.pipeline)
        return None

    def pipeline_of(self, word: str) -> str:
        """Return the pipeline that a wake word begins."""
        return self.config.wake.words.get(word, self.config.pipeline)

    def _before(self, spoke: Spoke) -> int:
        pipeline = self.lent.pipeline(self.config.pipeline)
        seconds = pipeline.segment.pre_roll if pipeline else 0.0
        return max(spoke.position - round(seconds * SPEECH.rate), 0)

    async def _take(self, item: News | None) -> None:
        if isinstance(item, Stuck):
            self._unstick(item)
            return
        start = await self.start_of(item) if item else None
        if start:
            await self._run(Talk.run, start)

    async def _run(self, how: Callable[[Talk, _What], Awaitable[None]], what: _What) -> None:
        talk = self._talk = Talk(self)
        try:
            await how(talk, what)
        finally:
            self._talk = None
            self.settle()
        self.rest(talk.ended_by)

    def _unstick(self, item: Stuck) -> None:
        """Bring back what says that it does something while nothing is done."""
        is_idle = self.indicator.doing in ("standby", "off", "unavailable")
        is_open = self.indicator.doing == "listening" and self._mode == "always_listening"
        if is_idle or is_open or self.voice.is_playing:
            return
        self.report_stuck(f"nothing is done, for {item.seconds:g} s")
        self.rest("recovered")

    async def _called(self, heard: Heard) -> Start | None:
        """Return the turn of a wake word, if this satellite is the one to answer."""
        level, noise = heard.level, heard.noise
        if level is None and self.shared.arbiter.rivals() > 1:
            sound = self.ear.since(0, heard.told)
            level, noise = await asyncio.get_running_loop().run_in_executor(None, loudness, sound)
        claim = Claim(satellite=self.name, word=heard.word, level=level, noise=noise, score=heard.score)
        winner = (await self.shared.arbiter.decide(claim)).satellite
        if winner != self.name:
            self.lent.bus.publish(WakeWordYielded(satellite=self.name, word=heard.word, winner=winner))
            return None
        return self._start_at(heard)

    def _start_at(self, heard: Heard) -> Start:
        name = self.pipeline_of(heard.word)
        pipeline = self.lent.pipeline(name)
        position = heard.told
        if heard.engine is None and position - self.ear.first < _FRESH * SPEECH.rate:
            position = self.ear.first
        if heard.engine and pipeline:
            before = round(pipeline.segment.before_wake * SPEECH.rate)
            after = round(pipeline.segment.after_wake * SPEECH.rate)
            first = max(heard.told - before, 0)
            sound = self.ear.since(first, heard.told + after)
            position = first + quietest_moment(sound, 0, len(sound)) // SPEECH.frame_bytes
        told = max(heard.told - position, 0) / SPEECH.rate if heard.engine else 0.0
        return Start(
            reason="wake_word",
            position=position,
            pipeline=name,
            woken=Wake(word=heard.word, offset=round(told, 3)),
            engine=heard.engine,
        )

    async def _begin_to_speak(self) -> Callable[[], None]:
        """Let the indicator say that it speaks; a satellite at rest says so for another's turn only."""
        was_resting = self._talk is None
        if self.indicator.doing not in ("unavailable", "off"):
            self.indicator.step("speaking", "reply")
            await self.indicator.opened()

        def done() -> None:
            is_idle = was_resting and self._talk is None and self.link is not None
            if is_idle and self.indicator.doing in ("speaking", "unavailable"):
                self.rest("played")  # what was amiss may be mended meanwhile

        return done

    def _publish(self, shown: Shown) -> None:
        """Tell the house, the satellite and the ledger; then everybody waits for what fits."""
        if not self._is_retired:
            self._tell_house(shown)
        if self.link:
            try:
                self.link.show(shown.indication, shown.reason)
            except Exception:  # noqa: BLE001  a light that fails must not cost the room its turn
                _log.exception("the light of satellite '%s' failed", self.name)
        if self.link:
            self._watchdog.watch(shown.doing)
        self.settle()

    def _tell_house(self, shown: Shown) -> None:
        link = self.link
        attributes: dict[str, Any] = {
            "reason": shown.reason,
            "mode": self._mode,
            "source": self.config.source,
            "device": link.id if link else self.config.device,
            "name": link.name if link else None,
            "area": self.config.area,
            "barge_in": self.barge_in,
            "abilities": list(link.abilities.names) if link else [],
        }
        if shown.doing != shown.indication:
            attributes["doing"] = shown.doing
        if self._lost >= 1:
            attributes["lost_seconds"] = int(self._lost)
        self.lent.states.set(f"satellite.{self.name}", shown.indication, attributes)
        if self.lent.ledger:
            self.lent.ledger.note(self.name, shown.indication, shown.reason)

    def settle(self) -> None:
        """Let the microphone and the detectors wait for what fits the moment."""
        shown = self.indicator.shown
        is_there = shown.doing != "off" and self.link is not None and not self.indicator.is_muted
        is_pressed = self._mode == "push_to_talk" and self._talk is None
        self.wants_sound.turn(is_there and not is_pressed)
        self.wants_wake.turn(is_there and self._mode == "wake_word" and self.config.wake.engine is not None)
        is_open = self._talk is None and self._mode == "always_listening" and shown.doing == "listening"
        is_interruptible = self.barge_in == "speech" and shown.doing == "speaking"
        self.wants_words.turn(is_there and (is_open or is_interruptible))

    def _longest_utterance(self) -> float:
        """Return how long the pipelines that begin here allow anybody to listen, in seconds."""
        names = {self.config.pipeline, *self.config.wake.words.values()}
        segments = [pipeline.segment for name in names if (pipeline := self.lent.pipeline(name))]
        most, wait = self.config.follow_up_wait, 0.0
        for segment in segments:
            wait = max(wait, max(segment.no_speech_timeout, most) + segment.max_utterance)
        return wait
