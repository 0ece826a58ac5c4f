"""Stages of a supervised worker: what it was at when it crashed is asked once more."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Generic, Self, TypeVar

from hub.audio import AudioChunk
from hub.engines.replay import Replay
from hub.errors import EngineTimeout, EngineUnavailable
from hub.remote.sound import joined
from hub.stages.agent import Agent
from hub.stages.asr import Asr
from hub.stages.intents import IntentRecognizer
from hub.stages.stream import Stream
from hub.stages.tts import Tts
from hub.supervisor import Supervisor
from hub.values.intent import Match, Miss
from hub.values.session import Session
from hub.values.speech import Hearing, Transcript

_In = TypeVar("_In")
_Out = TypeVar("_Out")


class SteadyAsr:
    """A recogniser whose worker may crash: the utterance is then sent again from its start."""

    def __init__(self, asr: Asr, supervisor: Supervisor) -> None:
        self._asr = asr
        self._supervisor = supervisor

    def transcribe(self, audio: AsyncIterator[AudioChunk], hearing: Hearing) -> Stream[Transcript]:
        """Hear one utterance."""
        return Steady(
            self._supervisor, audio, lambda again: self._asr.transcribe(again, hearing), join=joined
        )


class SteadyTts:
    """A voice whose worker may crash: what nobody has heard any of is then asked again."""

    def __init__(self, tts: Tts, supervisor: Supervisor) -> None:
        self._tts = tts
        self._supervisor = supervisor

    def synthesize(self, sentences: AsyncIterator[str], language: str | None = None) -> Stream[AudioChunk]:
        """Speak the sentences."""
        return Steady(
            self._supervisor, sentences, lambda again: self._tts.synthesize(again, language), repeats=False
        )


class SteadyAgent:
    """An agent whose process may crash: it is waited for, but nothing is asked twice, for it may act."""

    def __init__(self, agent: Agent, supervisor: Supervisor) -> None:
        self._agent = agent
        self._supervisor = supervisor

    def answer(self, text: str, session: Session) -> Stream[str]:
        """Answer what was said."""
        return Steady(
            self._supervisor, _none(), lambda _: self._agent.answer(text, session), repeats=False, again=False
        )


class SteadyIntents:
    """A recogniser of intents whose process may crash: the sentence is then asked once more."""

    def __init__(self, intents: IntentRecognizer, supervisor: Supervisor) -> None:
        self._intents = intents
        self._supervisor = supervisor

    async def recognize(self, text: str, session: Session) -> Match | Miss:
        """Return what `text` means here, or why it is not understood."""
        with self._supervisor.asked():
            return await self._answered(text, session)

    async def _answered(self, text: str, session: Session) -> Match | Miss:
        await self._supervisor.ready()
        start = self._supervisor.starts
        try:
            return await self._ask(text, session)
        except EngineUnavailable:
            await self._supervisor.again(start)
        start = self._supervisor.starts
        try:
            return await self._ask(text, session)
        except EngineUnavailable as error:
            raise await _failed(self._supervisor, start, error) from error

    async def _ask(self, text: str, session: Session) -> Match | Miss:
        try:
            answer = await self._intents.recognize(text, session)
        except EngineTimeout as error:
            raise _hung(self._supervisor, error) from error
        self._supervisor.worked()
        return answer


def _hung(supervisor: Supervisor, error: EngineTimeout) -> EngineTimeout:
    """End the worker, which has hung, and return what the person may be told."""
    reason = f"it {error.what}" if error.what else str(error)
    supervisor.kill(reason)
    return EngineTimeout(f"'{supervisor.name}' hung: {reason}")


async def _failed(supervisor: Supervisor, start: int, error: EngineUnavailable) -> EngineUnavailable:
    """Return why the worker crashed in this run of it, or what it did instead."""
    if reason := await supervisor.why_ended(start):
        return EngineUnavailable(f"'{supervisor.name}' crashed: {reason}")
    return EngineUnavailable(f"'{supervisor.name}' failed: {error}")


async def _none() -> AsyncIterator[str]:
    return
    yield


class Steady(Generic[_In, _Out]):
    """One request. With `again` it is asked anew after a crash; with `repeats` also when part of its
    answer has come."""

    def __init__(
        self,
        supervisor: Supervisor,
        items: AsyncIterator[_In],
        ask: Callable[[AsyncIterator[_In]], Stream[_Out]],
        *,
        repeats: bool = True,
        again: bool = True,
        join: Callable[[Sequence[_In]], tuple[_In, int]] = lambda items: (items[0], 1),
    ) -> None:
        self._supervisor = supervisor
        self._replay = Replay(items, join)
        self._ask = ask
        self._may_ask_again = again
        self._repeats = repeats
        self._stack = AsyncExitStack()
        self._attempt = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._stack.enter_context(self._supervisor.asked())
        await self._stack.enter_async_context(self._replay)
        try:
            await self._open()
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> _Out:
        while True:
            try:
                item = await anext(self._answer)
            except EngineTimeout as error:
                raise _hung(self._supervisor, error) from error
            except EngineUnavailable as error:
                await self._open_again(error)
            else:
                self._supervisor.worked()
                self._may_ask_again = self._may_ask_again and self._repeats
                return item

    async def _open(self) -> None:
        await self._supervisor.ready()
        self._start = self._supervisor.starts
        try:
            await self._ask_once()
        except EngineUnavailable as error:
            await self._open_again(error)

    async def _open_again(self, error: EngineUnavailable) -> None:
        """Wait until a crashed worker is back, and ask once more; raises why it failed if it may not."""
        if not self._may_ask_again:
            raise await _failed(self._supervisor, self._start, error) from error
        self._may_ask_again = False
        await self._attempt.aclose()
        await self._supervisor.again(self._start)
        self._start = self._supervisor.starts
        try:
            await self._ask_once()
        except EngineUnavailable as again:
            raise await _failed(self._supervisor, self._start, again) from again

    async def _ask_once(self) -> None:
        self._answer = await self._attempt.enter_async_context(self._ask(self._replay.play()))

    async def _close(self) -> None:
        try:
            await self._attempt.aclose()
        finally:
            await self._stack.aclose()
