"""Chains of engines in whole turns: who is asked, who answers, what is heard, where the time went."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from hub.audio import AudioChunk
from hub.engines.limits import EngineLimits
from hub.engines.queue import QueuedAsr, QueuedTts
from hub.errors import EngineError, EngineUnavailable
from hub.events import ListeningStarted, Transcribed, TranscriptChanged
from hub.pipeline.chime import regret
from hub.pipeline.turn import Turn
from hub.stages.stream import Stream
from hub.testing import Heard, RecordingSpeaker, ScriptedAsr, ScriptedTts, tone
from hub.values.speech import Hearing, Transcript
from tests.pipeline.rig import Rig, acting, parts_of, recording, telling

pytestmark = pytest.mark.virtual_time
HUNG = Heard(text="late", delay=9_999)
BROKEN = Heard(error=EngineError("out of memory"))
SPEECH = b"".join(tone(1.0, hertz=hertz) for hertz in (220, 440, 660))


def _two(first: Any, second: Any, *, slot: str = "asr", **limits: float) -> Rig:
    """Return a rig whose chain is `gpu`, then `local`, each behind its line."""
    queue = QueuedAsr if slot == "asr" else QueuedTts
    engines = {
        "gpu": queue("gpu", first, EngineLimits(**limits)),  # type: ignore[arg-type]
        "local": queue("local", second, EngineLimits()),
    }
    sentences = {"on": acting(), "tell": telling("One. Two. Three.")}
    return Rig(engines, sentences=sentences)


async def _hear(rig: Rig, *chain: str, **asked: Any) -> Turn:
    pipeline = rig.pipeline(asr=chain or ("gpu", "local"))
    return await rig.run(pipeline, audio=asked.pop("audio", None) or recording(SPEECH), **asked)


async def _tell(rig: Rig, speaker: RecordingSpeaker | None = None, **options: Any) -> Turn:
    return await rig.run(rig.pipeline(tts=("gpu", "local"), **options), text="tell", speaker=speaker)


def _passed(turn: Turn) -> list[tuple[str | None, str]]:
    return [(failure.engine, failure.code) for failure in turn.failures]


async def test_a_dead_engine_costs_its_deadline_once_and_not_at_every_sentence() -> None:
    gpu, local = ScriptedAsr([HUNG]), ScriptedAsr(["on"])
    rig = _two(gpu, local, deadline=5)
    first, second = await _hear(rig), await _hear(rig)
    assert (first.reason, first.engines["asr"]) == ("acted", "local")
    assert (parts_of(first), _passed(first)) == ({"asr": 5000}, [("gpu", "engine-timeout")])
    assert (second.engines["asr"], parts_of(second)) == ("local", {})
    assert _passed(second) == [("gpu", "engine-down")]
    why = "'gpu' is down: 'gpu' gave no transcript within 5 s"
    assert second.record()["failures"] == [
        {"stage": "asr", "code": "engine-down", "message": why, "engine": "gpu"}
    ]
    assert len(gpu.hearings) == 1


async def test_after_the_cool_down_one_sentence_is_tried_on_the_side_and_then_it_is_first_again() -> None:
    gpu = ScriptedAsr([BROKEN, Heard(text="on", delay=2)])
    rig = _two(gpu, ScriptedAsr(["on"]), cool_down=10)
    await _hear(rig)
    await asyncio.sleep(10)
    during = await asyncio.gather(*(_hear(rig) for _ in range(3)))
    assert [turn.engines["asr"] for turn in during] == ["local"] * 3
    assert len(gpu.utterances) == 2
    assert gpu.utterances[1] == SPEECH
    assert all(parts_of(turn) == {} for turn in during)
    await asyncio.sleep(3)
    after = await _hear(rig)
    assert (after.engines["asr"], after.failures) == ("gpu", ())


async def test_a_rehearsal_that_fails_lets_nobody_wait_and_comes_again_later() -> None:
    gpu = ScriptedAsr([HUNG])
    rig = _two(gpu, ScriptedAsr(["on"]), deadline=5, cool_down=10)
    turns = []
    for _ in range(30):
        turns.append(await _hear(rig))
        await asyncio.sleep(5)
    assert sum(parts_of(turn).get("asr", 0) for turn in turns) == 5000
    assert 3 <= len(gpu.hearings) <= 5


@pytest.mark.parametrize("after", [0, 1, 2, 3])
async def test_the_next_one_hears_the_utterance_from_its_first_byte_to_its_last(after: int) -> None:
    """It fails after that many of three chunks: before any, in the middle, at the end."""

    class Dying(ScriptedAsr):
        async def _words(self, audio: AsyncIterator[AudioChunk], line: Heard) -> AsyncIterator[Transcript]:
            for number in range(after):
                await anext(audio)
                yield Transcript(text=f"rubbish {number}", final=False)
            raise EngineUnavailable("killed")

    async def paced() -> AsyncIterator[AudioChunk]:
        for start in range(0, len(SPEECH), 32_000):
            await asyncio.sleep(1)
            yield AudioChunk(SPEECH[start : start + 32_000])

    local = ScriptedAsr([Heard(text="on", partials=("o",))])
    rig = _two(Dying(), local)
    turn = await _hear(rig, audio=paced())
    assert local.utterances == [SPEECH]
    assert (turn.transcript, turn.reason) == ("on", "acted")
    final = [event.text for event in rig.seen if isinstance(event, Transcribed)]
    assert final == ["on"]
    order = [event for event in rig.seen if isinstance(event, (ListeningStarted, TranscriptChanged))]
    shown = [getattr(event, "engine", None) or getattr(event, "text", None) for event in order]
    assert shown == ["gpu", *(f"rubbish {number}" for number in range(after)), "local", "o"]


async def test_one_that_is_busy_beyond_its_patience_is_stood_in_for_and_not_marked() -> None:
    gpu, local = ScriptedAsr([Heard(text="on", delay=25), "on"]), ScriptedAsr(["on"])
    rig = _two(gpu, local, patience=3)
    busy, waiting = await asyncio.gather(_hear(rig), _hear(rig))
    assert (busy.engines["asr"], busy.failures) == ("gpu", ())
    assert (waiting.engines["asr"], _passed(waiting)) == ("local", [("gpu", "engine-busy")])
    assert parts_of(waiting) == {"asr_wait": 3000}
    assert (await _hear(rig)).engines["asr"] == "gpu"


async def test_when_all_are_down_they_are_tried_anyway_and_then_there_is_an_honest_sentence() -> None:
    gpu, local = ScriptedAsr([BROKEN, BROKEN, "on"]), ScriptedAsr([Heard(error=EngineUnavailable("gone"))])
    rig = _two(gpu, local)
    first, second, third = [await _hear(rig) for _ in range(3)]
    assert first.reply == second.reply == "I can't hear you right now: my speech recognition isn't there."
    assert _passed(first) == [("gpu", "engine-failed"), ("local", "engine-unavailable")]
    assert _passed(second) == _passed(first)
    assert (third.reason, third.engines["asr"]) == ("acted", "gpu")


async def test_an_instance_that_is_not_open_is_passed_at_once_and_first_again_when_it_opens() -> None:
    rig = _two(ScriptedAsr(["on"]), ScriptedAsr(["on"]))
    gpu = rig.engines_by_name.pop("gpu")
    before = await _hear(rig)
    assert (before.engines["asr"], parts_of(before)) == ("local", {})
    assert _passed(before) == [("gpu", "engine-unavailable")]
    rig.engines_by_name["gpu"] = gpu
    assert (await _hear(rig)).engines["asr"] == "gpu"


async def test_an_engine_removed_in_mid_turn_is_stood_in_for_with_all_the_audio() -> None:
    gpu, local = ScriptedAsr([HUNG]), ScriptedAsr(["on"])
    rig = _two(gpu, local, deadline=100)
    running = asyncio.create_task(_hear(rig))
    await asyncio.sleep(1)
    await rig.engines_by_name["gpu"].close(2.0)
    turn = await running
    assert (turn.reason, local.utterances, gpu.open) == ("acted", [SPEECH], 0)
    assert turn.failures[0].message == "'gpu' was closed"
    assert parts_of(turn) == {"asr": 3000}


async def test_a_voice_removed_in_mid_turn_is_stood_in_for() -> None:
    gpu, local, speaker = ScriptedTts(delay=50), ScriptedTts(), RecordingSpeaker()
    rig = _two(gpu, local, slot="tts", deadline=100)
    running = asyncio.create_task(_tell(rig, speaker))
    await asyncio.sleep(1)
    await rig.engines_by_name["gpu"].close(1.0)
    turn = await running
    assert local.sentences == ["One.", "Two.", "Three."]
    assert (turn.engines["tts"], turn.failures[0].message) == ("local", "'gpu' was closed")
    assert parts_of(turn) == {"tts": 2000, "playback": 700}


@pytest.mark.parametrize("after", [0.5, 4.0, 8.0])
async def test_a_turn_cancelled_in_a_chain_leaves_nothing_open_and_marks_nobody(after: float) -> None:
    gpu, local = ScriptedAsr([HUNG]), ScriptedAsr([HUNG])
    rig = _two(gpu, local, deadline=5)
    running = asyncio.create_task(_hear(rig))
    await asyncio.sleep(after)
    running.cancel()
    await asyncio.wait((running,))
    assert running.cancelled()
    assert (gpu.open, local.open) == (0, 0)
    assert bool(rig.engines_by_name["gpu"].standing.why_down) == (after > 5)
    assert rig.engines_by_name["local"].standing.why_down is None


async def test_a_cancelled_turn_does_not_hold_a_rehearsal_for_ever() -> None:
    async def endless() -> AsyncIterator[AudioChunk]:
        while True:
            await asyncio.sleep(0.1)
            yield AudioChunk(bytes(3200))

    gpu = ScriptedAsr([BROKEN, "on"])
    rig = _two(gpu, ScriptedAsr(["on"]), cool_down=1)
    await _hear(rig)
    await asyncio.sleep(2)
    running = asyncio.create_task(_hear(rig, audio=endless()))
    await asyncio.sleep(2)
    assert gpu.open == 1
    running.cancel()
    await asyncio.wait((running,))
    await asyncio.sleep(1)
    assert gpu.open == 0
    assert rig.engines_by_name["gpu"].standing.why_down is None


async def test_a_dead_voice_costs_its_deadline_once() -> None:
    gpu, local = ScriptedTts(delay=9_999), ScriptedTts()
    rig = _two(gpu, local, slot="tts", deadline=5)
    first, second = await _tell(rig), await _tell(rig)
    assert (first.engines["tts"], parts_of(first)) == ("local", {"tts": 5000})
    assert (second.engines["tts"], parts_of(second), _passed(second)) == (
        "local",
        {},
        [("gpu", "engine-down")],
    )
    assert local.sentences == ["One.", "Two.", "Three."] * 2


async def test_a_voice_comes_back_by_a_sentence_that_nobody_hears() -> None:
    gpu, speaker = ScriptedTts(errors={0: EngineError("lost")}), RecordingSpeaker()
    rig = _two(gpu, ScriptedTts(), slot="tts", cool_down=5)
    await _tell(rig)
    await asyncio.sleep(6)
    assert (await _tell(rig, speaker)).engines["tts"] == "local"
    assert speaker.seconds == pytest.approx(0.7, abs=0.001)
    assert gpu.sentences == ["One.", "One."]
    assert (await _tell(rig)).engines["tts"] == "gpu"


async def test_a_busy_voice_is_stood_in_for_and_its_time_in_line_is_told() -> None:
    gpu, local = ScriptedTts(delay=20), ScriptedTts()
    rig = _two(gpu, local, slot="tts", patience=3, concurrency=1)
    first, second = await asyncio.gather(_tell(rig), _tell(rig))
    assert first.engines["tts"] == "gpu"
    assert (second.engines["tts"], _passed(second)) == ("local", [("gpu", "engine-busy")])
    assert parts_of(second) == {"tts_wait": 3000}
    assert rig.engines_by_name["gpu"].standing.why_down is None


async def test_a_voice_that_dies_between_sentences_loses_and_repeats_none() -> None:
    gpu, local, speaker = ScriptedTts(errors={1: EngineError("lost")}), ScriptedTts(), RecordingSpeaker()
    turn = await _tell(_two(gpu, local, slot="tts"), speaker)
    assert (gpu.sentences, local.sentences) == (["One.", "Two."], ["Two.", "Three."])
    assert len(speaker.plays) == 1
    assert speaker.seconds == pytest.approx(0.2 + 0.158 + 0.5, abs=0.01)
    assert (turn.reason, turn.engines["tts"], _passed(turn)) == (
        "answered",
        "local",
        [("gpu", "engine-failed")],
    )


async def test_a_sentence_that_was_cut_in_the_middle_is_not_said_again() -> None:
    class Cut(ScriptedTts):
        async def _sound(self, sentences: AsyncIterator[str]) -> AsyncIterator[AudioChunk]:
            async for chunk in super()._sound(sentences):
                yield chunk
                if chunk.sentence == 1:
                    raise EngineUnavailable("killed")

    gpu, local, speaker = Cut(), ScriptedTts(), RecordingSpeaker()
    turn = await _tell(_two(gpu, local, slot="tts"), speaker)
    assert local.sentences == ["Three."]
    assert turn.reason == "answered"


async def test_a_voice_that_dies_in_its_last_sentence_is_told_by_sound_when_nobody_can_stand_in() -> None:
    speaker = RecordingSpeaker()
    rig = Rig({"tts": ScriptedTts(errors={2: EngineError("lost")})}, {"tell": telling("One. Two. Three.")})
    turn = await rig.run(text="tell", speaker=speaker)
    assert speaker.chunks[-1].pcm[-8_000:] == regret().pcm[-8_000:]
    assert (turn.reply, _passed(turn)) == ("One. Two. Three.", [("tts", "engine-failed")])


async def test_a_voice_that_was_closed_by_a_bug_does_not_stop_the_next_one() -> None:
    class Clinging(ScriptedTts):
        @asynccontextmanager
        async def synthesize(self, sentences: AsyncIterator[str], language: str | None = None):  # type: ignore[no-untyped-def]
            async with super().synthesize(sentences, language) as chunks:
                yield chunks
            raise ValueError("a bug in closing")

    local = ScriptedTts()
    rig = Rig(
        {"clinging": Clinging(errors={0: EngineError("lost")}), "local": local}, {"tell": telling("One.")}
    )
    turn = await rig.run(rig.pipeline(tts=("clinging", "local")), text="tell")
    assert (local.sentences, turn.engines["tts"]) == (["One."], "local")


async def test_ears_down_are_told_by_the_voice_plainly_and_in_the_record_with_the_reason() -> None:
    local = ScriptedTts()
    rig = Rig({"asr": ScriptedAsr([BROKEN]), "tts": local})
    turn = await rig.run(audio=recording(SPEECH))
    assert local.sentences == ["I can't hear you right now: my speech recognition isn't working."]
    assert turn.failures[0].message == "out of memory"


async def test_a_turn_that_ends_at_its_words_falls_back_too() -> None:
    class Empty:
        def transcribe(self, audio: AsyncIterator[AudioChunk], hearing: Hearing) -> Stream[Transcript]:
            return _nothing()

    rig = _two(Empty(), ScriptedAsr(["on"]))
    turn = await _hear(rig, end="asr")
    assert (turn.reason, turn.transcript) == ("transcribed", "on")
    assert turn.failures[0].message == "'gpu' ended without a transcript"


@asynccontextmanager
async def _nothing() -> AsyncIterator[AsyncIterator[Transcript]]:
    async def none() -> AsyncIterator[Transcript]:
        return
        yield  # makes this function a generator that gives nothing

    yield none()
