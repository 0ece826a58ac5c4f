"""Who is asked first: what marks an engine down, what does not, and how it comes back."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from hub.audio import AudioChunk
from hub.engines.limits import EngineLimits
from hub.engines.queue import QueuedAsr, QueuedTts
from hub.errors import EngineBusy, EngineError, EngineTimeout, EngineUnavailable
from hub.stages.asr import Asr
from hub.testing.fakes import Heard, ScriptedAsr, ScriptedTts
from hub.values.speech import Hearing

pytestmark = pytest.mark.virtual_time
BROKEN = Heard(error=EngineError("out of memory"))
AWAY = Heard(error=EngineUnavailable("connection refused"), early=True)


async def _spoken(seconds: float = 0.2) -> AsyncIterator[AudioChunk]:
    for _ in range(round(seconds * 10)):
        await asyncio.sleep(0.1)
        yield AudioChunk(bytes(3200))


async def _said(*sentences: str) -> AsyncIterator[str]:
    for sentence in sentences:
        yield sentence


def _asr(*script: Heard | str, **limits: float) -> QueuedAsr:
    return QueuedAsr("gpu", ScriptedAsr(script), EngineLimits(**limits))  # type: ignore[arg-type]


async def _hear(queue: QueuedAsr) -> str:
    async with queue.transcribe(_spoken(), Hearing()) as transcripts:
        return [transcript.text async for transcript in transcripts][-1]


async def _fail(queue: QueuedAsr, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(EngineError):
            await _hear(queue)


def _why(queue: QueuedAsr | QueuedTts) -> str | None:
    return queue.standing.why_down


def _may_be_tried(queue: QueuedAsr) -> bool:
    return queue.may_be_tried


def _left(queue: QueuedAsr | QueuedTts) -> float:
    due = queue.standing.due
    assert due is not None
    return due - asyncio.get_running_loop().time()


async def test_one_failure_marks_an_engine_down_for_its_cool_down() -> None:
    queue = _asr(BROKEN, "on")
    await _fail(queue)
    assert _why(queue) == "out of memory"
    assert _left(queue) == pytest.approx(30)
    assert not _may_be_tried(queue)
    await asyncio.sleep(30)
    assert _may_be_tried(queue)
    assert _why(queue) == "out of memory"


async def test_the_cool_down_grows_with_failures_in_a_row_up_to_its_longest() -> None:
    queue = _asr(BROKEN, cool_down=10, cool_down_longest=35)
    seen = []
    for _ in range(4):
        await _fail(queue)
        seen.append(round(_left(queue)))
    assert seen == [10, 20, 35, 35]


async def test_an_answer_makes_it_the_first_choice_again_and_forgets_the_row() -> None:
    queue = _asr(BROKEN, BROKEN, "on", BROKEN)
    await _fail(queue, 2)
    assert _left(queue) == pytest.approx(60)
    assert await _hear(queue) == "on"
    assert _why(queue) is None
    await _fail(queue)
    assert _left(queue) == pytest.approx(30)


async def test_a_missed_deadline_marks_down_and_is_counted_as_one() -> None:
    queue = _asr(Heard(text="late", delay=60), deadline=5)
    with pytest.raises(EngineTimeout):
        await _hear(queue)
    assert _why(queue) == "'gpu' gave no transcript within 5 s"
    counts = {"requests": 1, "failures": 1, "timeouts": 1, "busy": 0, "running": 0, "waiting": 0}
    assert queue.facts() == {**counts, "last_reason": _why(queue)}


async def test_an_engine_that_does_not_even_begin_misses_its_deadline() -> None:
    class Hanging(ScriptedAsr):
        def transcribe(self, audio: object, hearing: object):  # type: ignore[no-untyped-def]
            return self

        async def __aenter__(self) -> None:
            await asyncio.Event().wait()

        async def __aexit__(self, *_: object) -> None:
            """Nothing was opened."""

    queue = QueuedAsr("gpu", Hanging(), EngineLimits(deadline=5))
    with pytest.raises(EngineTimeout, match="'gpu' did not begin within 5 s"):
        await _hear(queue)
    assert _why(queue)


async def test_busy_is_not_down() -> None:
    queue = _asr(Heard(text="a", delay=20), patience=3, waiting=1)
    first = asyncio.create_task(_hear(queue))
    await asyncio.sleep(0.3)
    waiting = asyncio.create_task(_hear(queue))
    await asyncio.sleep(0.3)
    with pytest.raises(EngineBusy):
        await _hear(queue)
    with pytest.raises(EngineBusy, match="busy for 3 s"):
        await waiting
    assert await first == "a"
    assert _why(queue) is None
    assert (queue.facts()["busy"], queue.facts()["failures"]) == (2, 0)


async def test_busy_is_not_down_even_if_the_engine_words_it_as_its_own_failure() -> None:
    class Wrapping:
        def __init__(self) -> None:
            self.inner = ScriptedAsr([Heard(text="a", delay=20)])

        def transcribe(self, audio, hearing):  # type: ignore[no-untyped-def]
            async def wrapped() -> AsyncIterator[AudioChunk]:
                try:
                    async for chunk in audio:
                        yield chunk
                except Exception as error:
                    raise EngineError("the request broke off") from error

            return self.inner.transcribe(wrapped(), hearing)

    engine: Asr = Wrapping()
    queue = QueuedAsr("gpu", engine, EngineLimits(waiting=0))
    first = asyncio.create_task(_hear(queue))
    await asyncio.sleep(0.3)
    with pytest.raises(EngineBusy):
        await _hear(queue)
    assert _why(queue) is None
    assert await first == "a"


async def test_a_caller_who_leaves_or_whose_audio_breaks_marks_nobody_down() -> None:
    async def breaking() -> AsyncIterator[AudioChunk]:
        yield AudioChunk(bytes(320))
        raise ConnectionError("the satellite left")

    queue = _asr(Heard(text="a", delay=20))
    leaving = asyncio.create_task(_hear(queue))
    await asyncio.sleep(1)
    leaving.cancel()
    await asyncio.wait((leaving,))
    with pytest.raises(ConnectionError):
        async with queue.transcribe(breaking(), Hearing()) as transcripts:
            await anext(transcripts)
    assert _why(queue) is None
    assert queue.line.running == 0


async def test_failures_of_requests_that_were_under_way_already_count_for_one() -> None:
    queue = _asr(Heard(error=EngineError("lost"), delay=1), concurrency=4)
    await asyncio.gather(*(_fail(queue) for _ in range(4)))
    assert queue.facts()["failures"] == 4
    assert _left(queue) == pytest.approx(30, abs=0.1)


async def test_a_rehearsal_brings_an_engine_back_and_nobody_waits_for_it() -> None:
    queue = _asr(BROKEN, BROKEN, Heard(text="on", delay=3))
    await _fail(queue)
    await asyncio.sleep(31)
    queue.rehearse(_spoken(), Hearing())
    assert not queue.may_be_tried
    await asyncio.sleep(1)
    assert _why(queue)
    assert _left(queue) == pytest.approx(60, abs=1)
    await asyncio.sleep(60)
    queue.rehearse(_spoken(), Hearing())
    await asyncio.sleep(2)
    assert _why(queue)
    await asyncio.sleep(2)
    assert _why(queue) is None


async def test_a_rehearsal_that_finds_the_engine_busy_says_nothing() -> None:
    queue = _asr(BROKEN, Heard(text="a", delay=50), "b", patience=5, deadline=60)
    await _fail(queue)
    await asyncio.sleep(31)
    real = asyncio.create_task(_hear(queue))
    await asyncio.sleep(0.5)
    queue.rehearse(_spoken(), Hearing())
    await asyncio.sleep(10)
    assert queue.may_be_tried
    await real
    assert _why(queue) is None


async def test_the_instances_own_word_is_believed_once_for_an_engine_that_was_away() -> None:
    queue = _asr(AWAY)
    queue.standing.told("the server is gone")
    await _fail(queue)
    queue.standing.told(None)
    assert _why(queue) is None
    await _fail(queue)
    queue.standing.told("the server is gone")
    queue.standing.told(None)
    assert _why(queue) == "connection refused"
    assert _left(queue) == pytest.approx(60)


async def test_the_instances_word_does_not_help_an_engine_that_hangs() -> None:
    queue = _asr(Heard(text="late", delay=60), deadline=5)
    await _fail(queue)
    queue.standing.told("the server is gone")
    queue.standing.told(None)
    assert _why(queue)


async def test_trouble_that_the_instance_tells_of_needs_no_cool_down() -> None:
    queue = _asr("on")
    queue.standing.told("its worker is restarting")
    assert _why(queue) == "its worker is restarting"
    queue.standing.told(None)
    assert _why(queue) is None


@pytest.mark.parametrize(
    ("voice", "why"),
    [
        (ScriptedTts(errors={0: ValueError("a bug")}), "ValueError: a bug"),
        (ScriptedTts(seconds_per_character=0), "'voice' made no sound"),
        (ScriptedTts(delay=99), "'voice' gave no sound within 5 s"),
        (ScriptedTts(errors={1: EngineError("lost")}), "lost"),
    ],
)
async def test_a_voice_that_fails_is_marked_down(voice: ScriptedTts, why: str) -> None:
    queue = QueuedTts("voice", voice, EngineLimits(deadline=5))
    with pytest.raises(Exception, match=why.removeprefix("ValueError: ")):
        async with queue.synthesize(_said("One.", "Two.")) as chunks:
            assert not [chunk async for chunk in chunks if not chunk.pcm]
    assert _why(queue) == why
    assert queue.line.running == 0


async def test_a_voice_comes_back_by_a_rehearsal() -> None:
    queue = QueuedTts("voice", ScriptedTts(errors={0: EngineError("lost")}), EngineLimits())
    queue.rehearse("One.", "en")
    await asyncio.sleep(1)
    assert _why(queue) == "lost"
    queue.rehearse("One.", "en")
    await asyncio.sleep(1)
    assert _why(queue) is None


async def test_a_slow_player_makes_no_engine_late() -> None:
    voice = ScriptedTts(seconds_per_character=40, chunk_seconds=40)
    queue = QueuedTts("voice", voice, EngineLimits(deadline=5, ahead=1))
    async with queue.synthesize(_said("abc", "def")) as chunks:
        async for chunk in chunks:
            await asyncio.sleep(chunk.seconds)
    assert _why(queue) is None


async def test_closing_lets_requests_end_for_a_while_and_then_ends_them() -> None:
    queue = _asr(Heard(text="quick", delay=1), Heard(text="slow", delay=50), concurrency=4)
    quick, slow = asyncio.create_task(_hear(queue)), asyncio.create_task(_hear(queue))
    await asyncio.sleep(0.3)
    began = asyncio.get_running_loop().time()
    await queue.close(2.0)
    assert asyncio.get_running_loop().time() - began == pytest.approx(2)
    assert await quick == "quick"
    with pytest.raises(EngineUnavailable, match="'gpu' was closed"):
        await slow
    with pytest.raises(EngineUnavailable, match="'gpu' was closed"):
        await _hear(queue)
    assert _why(queue) is None


async def test_closing_ends_whoever_waits_in_line_and_a_rehearsal() -> None:
    queue = _asr(Heard(text="slow", delay=50))
    tasks = [asyncio.create_task(_hear(queue)) for _ in range(3)]
    await asyncio.sleep(0.5)
    queue.rehearse(_spoken(), Hearing())
    await queue.close()
    for task in tasks:
        with pytest.raises(EngineUnavailable):
            await task
    assert (queue.line.running, queue.line.waiting) == (0, 0)
