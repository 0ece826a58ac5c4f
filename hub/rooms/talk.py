"""A talk at one satellite: turn after turn, until nobody wants anything more."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

from hub.audio import AudioChunk
from hub.errors import EarnestError
from hub.events import InterruptionDismissed, SpeechEnded, TurnEvent, TurnInterrupted
from hub.pipeline.chime import chime
from hub.pipeline.context import TurnRequest
from hub.pipeline.turn import Turn
from hub.rooms.config import EVENT
from hub.rooms.course import Course, Start
from hub.rooms.errand import Errand, talking
from hub.rooms.inbox import Heard, News, Spoke, Stuck
from hub.rooms.indicator import Use
from hub.rooms.waits import first
from hub.stages.satellite import Pressed, Released, StopPressed
from hub.stages.speaker import PausingSpeaker
from hub.values.ids import new_id
from hub.values.session import Session
from hub.values.tool import Caller

if TYPE_CHECKING:
    from hub.rooms.station import Station

_log = logging.getLogger(__name__)
_SILENT = ("no_speech", "failed", "cancelled")
"""Reasons of turns after which nobody is asked back."""


class Talk:
    """From whoever began it to the rest after it. Whatever ends `run` ends its turns."""

    def __init__(self, station: Station) -> None:
        self.ended_by = "ended"
        self._station = station
        self._session = new_id()
        self._running: list[Course] = []
        self._broken_by: str | None = None
        self._errand: Errand | None = None
        """What the hub began this talk for."""
        reply = station.config.reply
        self._mouth: PausingSpeaker | None = None
        if reply is None and station.link and station.link.speaker:
            self._mouth = station.voice
        elif reply is not None and reply != EVENT:
            self._mouth = station.shared.voice(reply)

    async def run(self, start: Start) -> None:
        """Run the turn that this begins and those that follow from it."""
        try:
            await self._follow(await self._begin(start))
        finally:
            await self._let_go()

    async def run_errand(self, errand: Errand) -> None:
        """Say what somebody wants said, then listen if it is meant so."""
        self._errand, self._mouth = errand, self._station.voice
        try:
            await self._follow(self._say(errand))
        finally:
            await self._let_go()
            errand.broken(self.ended_by)

    async def _follow(self, course: Course | None) -> None:
        while course:
            course = await self._through(course)

    async def _let_go(self) -> None:
        for left in tuple(self._running):
            await self._end(left, "gone")

    def break_off(self, by: str) -> None:
        """End the turn that listens, at once; what is said meanwhile goes on."""
        for course in self._running:
            if course.task and not course.is_heard:
                self._broken_by = by
                course.task.cancel()

    async def _begin(self, start: Start) -> Course:
        """Show that somebody is listened to, and only then listen."""
        station = self._station
        station.indicator.step("listening", start.reason)
        await station.indicator.opened()
        held = ExitStack()
        sound = held.enter_context(station.ear.listen(Use.WORDS, since=start.position))
        course = Course(start, sound, held, self._tell)
        return self._run(course, self._request(course))

    def _run(self, course: Course, request: TurnRequest, before: AudioChunk | None = None) -> Course:
        """Run the turn, after a sound if there is one; what it calls knows in whose talk it is."""
        token = talking.set(talking.get() | {self._station.name})
        try:
            course.task = asyncio.ensure_future(self._turn(request, before))
        finally:
            talking.reset(token)
        self._running.append(course)
        return course

    async def _turn(self, request: TurnRequest, before: AudioChunk | None) -> Turn:
        if before and request.speaker:
            await request.speaker.play(_only(before))
        return await self._station.lent.turn(request)

    def _say(self, errand: Errand) -> Course:
        """Begin the turn that says what is to be said."""
        start = Start(reason=errand.kind, position=0, pipeline=self._station.config.pipeline)
        course = Course(start, None, ExitStack(), self._tell)
        request = TurnRequest(
            session=self._as_session(),
            caller=Caller((f"satellite:{self._station.name}",)),
            text=errand.message,
            start="tts",
            end="tts",
            pipeline=start.pipeline,
            speaker=self._mouth,
            listener=course.listen,
        )
        return self._run(course, request, chime() if errand.preannounce else None)

    def _as_session(self) -> Session:
        station = self._station
        return Session(
            id=self._session,
            language=station.lent.language(),
            satellite=station.name,
            area=station.config.area,
        )

    def _request(self, course: Course) -> TurnRequest:
        station, start = self._station, course.start
        is_answer = self._errand is not None and self._errand.wants_answer
        return TurnRequest(
            session=self._as_session(),
            caller=Caller((f"voice:{station.name}",)),
            audio=course.sound,
            is_live=True,
            start="vad",
            end="asr" if is_answer else "tts" if self._mouth else "agent",
            wake=start.engine,
            woken=start.woken,
            patience=start.patience,
            pipeline=start.pipeline,
            speaker=self._mouth,
            listener=course.listen,
        )

    def _tell(self, event: TurnEvent) -> None:
        """Let the indicator and the satellite follow the turn."""
        station = self._station
        if isinstance(event, SpeechEnded) and station.indicator.doing == "listening":
            station.indicator.step("thinking", event.reason)
        if station.link:
            try:
                station.link.tell(event)
            except Exception:  # noqa: BLE001  a satellite's display must not cost the room its turn
                _log.exception("satellite '%s' did not take %s", station.name, event.wire_name)

    async def _through(self, course: Course) -> Course | None:
        """See the turn to its end; returns the one that follows it or breaks into it."""
        assert course.task
        inbox = self._station.inbox
        while True:
            await first(course.task, inbox.filled())
            if course.task.done():
                return await self._after(course)
            if item := inbox.take():
                following = await self._react(course, item)
                if following or course not in self._running:
                    return following

    async def _react(self, course: Course, item: News) -> Course | None:
        """Do what somebody wants in mid-turn; returns the turn that takes the place of this one."""
        if isinstance(item, Released):
            is_its_own = course.start.reason in ("button", "wake_word") and course.start.engine is None
            if is_its_own and course.sound:
                course.sound.end()
        elif isinstance(item, StopPressed):
            await self._end(course, "stop")
        elif isinstance(item, Stuck):
            await self._unstick(course, item)
        elif isinstance(item, Spoke):
            if course.is_heard and self._station.voice.is_playing:
                return await self._hear_out(course, item)
        elif course.is_heard:
            return await self._called(course, item)
        return None

    async def _unstick(self, course: Course, item: Stuck) -> None:
        if item.indication == self._station.indicator.doing:
            self._station.report_stuck(f"longer than {item.seconds:g} s (limits.{item.indication})")
            await self._end(course, "stuck")

    async def _called(self, course: Course, item: Heard | Pressed) -> Course | None:
        """Be silent at the wake word or the button, and turn to whoever it was, if this satellite answers."""
        is_word = isinstance(item, Heard)
        if is_word and self._station.barge_in == "none":
            return None
        self._pause()
        start = await self._station.start_of(item)
        if start is None:
            self._resume()
            return None
        by = "wake-word" if is_word else "button"
        await self._end(course, by)
        if self._errand:
            self._errand.broken(by)
        return await self._begin(start)

    async def _hear_out(self, old: Course, spoke: Spoke) -> Course | None:
        """Be silent and listen: words, or speech that does not stop, end the reply; all else resumes it."""
        station, limit = self._station, self._station.lent.limits().interruption
        self._pause()
        start = await station.start_of(spoke)
        if start is None:
            self._resume()
            return None
        new = await self._begin(_interrupting(start, limit))
        deadline: float | None = asyncio.get_running_loop().time() + limit
        while True:
            verdict = self._verdict(old, new, deadline)
            if verdict == "stop":
                self._broken_into(old)
                await self._end(old, "speech")
                return new
            if verdict == "resume":
                await self._dismiss(old, new)
                return None
            if verdict == "go on":
                deadline = None
                self._resume()
            await self._any(old, new, deadline)
            if await self._is_stopped(old, new):
                return None

    def _broken_into(self, old: Course) -> None:
        """Let an errand know that somebody speaks: the answer to a question, or the end of all else."""
        assert old.task
        errand = self._errand
        if errand is None or old.sound is not None:
            return
        if old.task.done() and not old.task.cancelled() and not old.task.exception():
            errand.said(old.task.result())
        elif not errand.wants_answer:
            errand.broken("speech")

    def _verdict(self, old: Course, new: Course, deadline: float | None) -> str:
        """Return whether to `stop` the reply, `resume` it, `go on` until words come, or `wait`."""
        assert old.task
        assert new.task
        if new.has_words or old.task.done():
            return "stop"
        if new.task.done():
            return "resume"
        if deadline is None or asyncio.get_running_loop().time() < deadline:
            return "wait"
        if new.is_speaking:
            return "stop"
        return "go on" if new.is_heard and new.has_begun else "resume"

    async def _any(self, old: Course, new: Course, deadline: float | None) -> None:
        """Wait until something may decide between the two."""
        assert old.task
        assert new.task
        new.changed.clear()
        left = None if deadline is None else max(deadline - asyncio.get_running_loop().time(), 0.0)
        await first(old.task, new.task, new.changed.wait(), self._station.inbox.filled(), limit=left)

    async def _is_stopped(self, old: Course, new: Course) -> bool:
        """Look at who wants silence for good meanwhile."""
        while item := self._station.inbox.take():
            if isinstance(item, StopPressed) or (
                isinstance(item, Stuck) and item.indication == self._station.indicator.doing
            ):
                by = "stop" if isinstance(item, StopPressed) else "stuck"
                await self._end(new, by)
                await self._end(old, by)
                return True
        return False

    async def _dismiss(self, old: Course, new: Course) -> None:
        """It was no words: go on where the reply was."""
        self._running.remove(new)
        await new.end(self._station.lent.limits().room_stop)
        turn = str(old.record.get("turn", ""))
        self._station.lent.bus.publish(InterruptionDismissed(satellite=self._station.name, turn=turn))
        self._resume()

    def _pause(self) -> None:
        if self._mouth:
            self._mouth.pause()

    def _resume(self) -> None:
        if self._mouth:
            self._mouth.resume()
        indicator = self._station.indicator
        if indicator.doing in ("listening", "thinking") and self._station.voice.is_playing:
            indicator.step("speaking", "resumed")

    async def _end(self, course: Course, by: str) -> None:
        """End a turn, whatever it does; what its tools do goes on."""
        station = self._station
        self._running.remove(course)
        if not await course.end(station.lent.limits().room_stop):
            station.report_stuck("a turn does not end although it was cancelled")
        self.ended_by = by
        self._told(course, by)

    async def _after(self, course: Course) -> Course | None:
        """Let go of a turn that is over; returns the one that it asks for."""
        self._running.remove(course)
        course.close()
        assert course.task
        if course.task.cancelled():
            self.ended_by = self._broken_by or "cancelled"
            self._told(course, self.ended_by)
            return None
        if error := course.task.exception():
            if not isinstance(error, EarnestError):
                raise error
            _log.warning("satellite '%s': %s", self._station.name, error)
            self.ended_by = str(error)
            return None
        turn = course.task.result()
        self.ended_by = turn.reason
        if self._errand and not self._errand.over.done():
            return await self._after_errand(course, turn, self._errand)
        return await self._begin(self._follow_up(course)) if self._asks_back(turn) else None

    async def _after_errand(self, course: Course, turn: Turn, errand: Errand) -> Course | None:
        """Listen once it was said; ask again where the answer was none."""
        if course.sound is not None:
            return self._say(errand) if errand.answered(turn) else None
        if not errand.said(turn):
            return None
        if self._station.indicator.is_muted:
            self.ended_by = "mute"
            return None
        return await self._begin(self._follow_up(course, errand.patience))

    def _asks_back(self, turn: Turn) -> bool:
        """Whether the microphone opens again without a wake word."""
        station = self._station
        how = station.config.follow_up
        if how == "never" or turn.reason in _SILENT or not turn.spoken:
            return False
        if station.mode == "push_to_talk" or station.indicator.is_muted or self._mouth is not station.voice:
            return False
        is_question = turn.reason == "awaiting_confirmation" or turn.spoken.rstrip().endswith(("?", "？"))  # noqa: RUF001
        return how == "always" or is_question

    def _follow_up(self, course: Course, patience: float | None = None) -> Start:
        station = self._station
        return Start(
            reason="follow_up",
            position=station.ear.position,
            pipeline=course.start.pipeline,
            patience=station.config.follow_up_wait if patience is None else patience,
        )

    def _told(self, course: Course, by: str) -> None:
        turn, spoken = str(course.record.get("turn", "")), course.record.get("spoken")
        said = None if spoken is None else str(spoken)
        name = self._station.name
        self._station.lent.bus.publish(TurnInterrupted(satellite=name, turn=turn, by=by, spoken=said))


def _interrupting(start: Start, patience: float) -> Start:
    return Start(
        reason="interruption", position=start.position, pipeline=start.pipeline, patience=max(patience, 0.5)
    )


async def _only(chunk: AudioChunk) -> AsyncIterator[AudioChunk]:
    yield chunk
