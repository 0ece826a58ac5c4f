"""An engine behind its line: what waits, what counts, what is given back."""

import asyncio
from collections.abc import AsyncIterator, Iterable

import pytest

from hub.audio import AudioChunk, AudioFormat
from hub.engines.ahead import Ahead
from hub.engines.limits import EngineLimits
from hub.engines.queue import QueuedAsr, QueuedTts, waited
from hub.errors import EngineBusy, EngineError, EngineTimeout
from hub.stages.asr import Asr
from hub.stages.tts import Tts
from hub.testing.fakes import Heard, ScriptedAsr, ScriptedTts
from hub.values.speech import Hearing

pytestmark = pytest.mark.virtual_time
HEARING = Hearing(language="en")


async def _spoken(seconds: float) -> AsyncIterator[AudioChunk]:
    """Speak at the pace of speech."""
    for _ in range(round(seconds * 10)):
        await asyncio.sleep(0.1)
        yield AudioChunk(bytes(3200))


async def _written(sentences: Iterable[str], pause: float = 0.0) -> AsyncIterator[str]:
    for number, sentence in enumerate(sentences):
        await asyncio.sleep(pause if number else 0)
        yield sentence


def _asr(engine: Asr, **limits: float) -> QueuedAsr:
    return QueuedAsr("whisper", engine, EngineLimits(**limits))  # type: ignore[arg-type]


def _tts(engine: Tts, **limits: float) -> QueuedTts:
    return QueuedTts("voice", engine, EngineLimits(**limits))  # type: ignore[arg-type]


async def _hear(queue: QueuedAsr, seconds: float = 1.0) -> tuple[str, float, float]:
    """Return the words, the seconds in line, and the seconds it took from the start."""
    began = asyncio.get_running_loop().time()
    text = ""
    async with queue.transcribe(_spoken(seconds), HEARING) as transcripts:
        async for transcript in transcripts:
            text = transcript.text
        in_line = waited(transcripts)
    return text, in_line, asyncio.get_running_loop().time() - began


async def _listen(queue: QueuedTts, sentences: Iterable[str], heard: list[float]) -> None:
    """Note how long each chunk is."""
    async with queue.synthesize(_written(sentences)) as sound:
        async for chunk in sound:
            heard.append(chunk.seconds)


async def test_an_utterance_passes_through_with_all_its_audio_and_words() -> None:
    engine = ScriptedAsr([Heard(text="on", partials=("o",), delay=0.5)])
    text, line, seconds = await _hear(_asr(engine))
    assert (text, line, round(seconds, 3)) == ("on", 0.0, 1.5)
    assert len(engine.utterances[0]) == 32_000


async def test_two_who_speak_at_once_both_stream_and_only_the_work_is_one_after_the_other() -> None:
    engine = ScriptedAsr([Heard(text="a", delay=2), Heard(text="b", delay=2)])
    queue = _asr(engine)
    answers = await asyncio.gather(_hear(queue), _hear(queue))
    # both spoke for 1 s side by side; the second waited for the first one's 2 s of work
    assert [(text, round(line), round(total)) for text, line, total in answers] == [
        ("a", 0, 3),
        ("b", 2, 5),
    ]
    assert (queue.line.running, queue.line.waiting) == (0, 0)


async def test_the_deadline_counts_from_the_end_of_the_audio_and_not_in_line() -> None:
    queue = _asr(ScriptedAsr([Heard(text="a", delay=4)]), deadline=5)
    slow = await asyncio.gather(*(_hear(queue, seconds=20) for _ in range(3)))
    assert sorted(round(line) for _, line, _ in slow) == [0, 4, 8]


async def test_an_engine_that_misses_its_deadline_is_told_apart_and_gives_its_place_back() -> None:
    engine = ScriptedAsr([Heard(text="a", delay=60), Heard(text="b")])
    queue = _asr(engine, deadline=5)
    with pytest.raises(EngineTimeout, match="'whisper' gave no transcript within 5 s"):
        await _hear(queue)
    assert (await _hear(queue))[0] == "b"
    assert engine.open == 0


async def test_a_full_line_is_busy_and_not_a_failure_of_the_engine() -> None:
    queue = _asr(ScriptedAsr([Heard(text="a", delay=9)]), waiting=0)
    first = asyncio.create_task(_hear(queue))
    await asyncio.sleep(0.05)
    with pytest.raises(EngineBusy):
        await _hear(queue)
    assert (await first)[0] == "a"


async def test_a_recogniser_that_works_while_one_speaks_is_taken_from_the_start() -> None:
    queue = QueuedAsr("live", ScriptedAsr(["a", "b"]), EngineLimits(while_speaking=True))
    answers = await asyncio.gather(_hear(queue), _hear(queue))
    assert [round(line) for _, line, _ in answers] == [0, 1]


async def test_an_engine_that_fails_or_a_speaker_who_stops_gives_the_place_back() -> None:
    queue = _asr(ScriptedAsr([Heard(error=EngineError("broken")), "fine"]))
    with pytest.raises(EngineError, match="broken"):
        await _hear(queue)

    async def gone() -> AsyncIterator[AudioChunk]:
        yield AudioChunk(bytes(320))
        raise ConnectionError("the satellite left")

    with pytest.raises(ConnectionError):
        async with queue.transcribe(gone(), HEARING) as transcripts:
            await anext(transcripts)
    assert (queue.line.running, queue.line.waiting) == (0, 0)
    assert (await _hear(queue))[0] == "fine"


async def test_speech_is_made_ahead_of_a_slow_player_and_frees_the_engine() -> None:
    queue = _tts(ScriptedTts(), concurrency=1)
    async with queue.synthesize(_written(["one sentence", "another one"])) as sound:
        await anext(sound)
        await asyncio.sleep(0.01)
        assert queue.line.running == 0
        assert sum([chunk.seconds async for chunk in sound]) > 1


async def test_speech_stays_bounded_ahead_of_the_player() -> None:
    engine = ScriptedTts(seconds_per_character=1.0)
    queue = _tts(engine, ahead=2)
    async with queue.synthesize(_written(["twelve chars"])) as sound:
        await asyncio.sleep(5)
        assert queue.line.running == 1
        assert sum([chunk.seconds async for chunk in sound]) == pytest.approx(12, abs=0.01)


async def test_sound_of_absurd_density_does_not_fill_the_memory() -> None:
    dense = AudioFormat(rate=384_000, width=4, channels=16)
    ahead = Ahead(seconds=2)
    filling = asyncio.create_task(_fill(ahead, AudioChunk(bytes(96_000), dense)))
    await asyncio.sleep(5)
    assert not filling.done()
    taken = 0
    while not filling.done():
        taken += len((await ahead.take()).pcm)
        await asyncio.sleep(0)
    assert 9_500_000 - taken < 2 * 192_000 + 96_000


async def _fill(ahead: Ahead, chunk: AudioChunk) -> None:
    for _ in range(99):
        await ahead.put(chunk)


async def test_a_writer_who_thinks_between_two_sentences_misses_no_deadline() -> None:
    queue = _tts(ScriptedTts(delay=1), deadline=5)
    async with queue.synthesize(_written(["one", "two", "three"], pause=60)) as sound:
        assert [chunk async for chunk in sound]


@pytest.mark.parametrize("number", [1, 2])
async def test_a_voice_that_falls_silent_misses_its_deadline(number: int) -> None:
    class Stuck(ScriptedTts):
        async def _sound(self, sentences: AsyncIterator[str]) -> AsyncIterator[AudioChunk]:
            async for sentence in sentences:
                self.sentences.append(sentence)
                if len(self.sentences) == number:
                    await asyncio.sleep(3600)
                yield AudioChunk(bytes(320))

    queue = _tts(Stuck(), deadline=5)
    with pytest.raises(EngineTimeout, match="'voice' gave no sound within 5 s"):
        await _listen(queue, ["one", "two"], [])
    assert queue.line.running == 0


async def test_speech_that_nobody_listens_to_any_more_ends() -> None:
    engine = ScriptedTts(delay=1)
    queue = _tts(engine)
    async with queue.synthesize(_written(["one", "two", "three"])) as sound:
        await anext(sound)
    assert (engine.open, queue.line.running, len(engine.sentences)) == (0, 0, 1)


async def test_what_a_voice_fails_with_comes_after_what_it_has_said() -> None:
    queue = _tts(ScriptedTts(errors={1: EngineError("lost its voice")}))
    heard: list[float] = []
    with pytest.raises(EngineError, match="lost its voice"):
        await _listen(queue, ["one", "two"], heard)
    assert sum(heard) == pytest.approx(0.15, abs=0.001)


async def test_no_sentence_is_no_sound_and_takes_no_place() -> None:
    engine = ScriptedTts()
    async with _tts(engine).synthesize(_written([])) as sound:
        assert [chunk async for chunk in sound] == []
    assert engine.languages == []


def test_a_stream_without_a_line_waited_for_nobody() -> None:
    assert waited(object()) == 0.0
