import asyncio
from collections.abc import AsyncIterator

import pytest

from hub.audio import AudioChunk
from hub.engines.limits import EngineLimits
from hub.engines.queue import QueuedTts
from hub.errors import EngineError, EngineUnavailable
from hub.events import ReplyAudio, SpeechFinished, SpeechRequested, TurnFailed
from hub.pipeline.chime import NOTES, chime, regret
from hub.testing import Heard, RecordingSpeaker, ScriptedAgent, ScriptedAsr, ScriptedTts, tone
from tests.pipeline.rig import Rig, acting, parts_of, recording, telling

pytestmark = pytest.mark.virtual_time
STORY = ["One. ", "Two. ", "Three. ", "Four."]


async def test_an_answer_is_spoken_and_played() -> None:
    tts, speaker = ScriptedTts(delay=0.2), RecordingSpeaker()
    rig = Rig({"tts": tts}, sentences={"on": acting(reply="It is on.")})
    turn = await rig.run(text="on", speaker=speaker)
    assert turn.reason == "acted"
    assert tts.sentences == ["It is on."]
    assert speaker.finished == 1
    assert speaker.seconds == pytest.approx(0.45, abs=0.001)
    assert parts_of(turn) == {"tts": 200, "playback": 450}
    assert rig.names == ["run-start", "intent-start", "intent-end", "tts-start", "tts-end", "run-end"]
    asked = next(event for event in rig.seen if isinstance(event, SpeechRequested))
    assert (asked.engine, asked.text) == ("tts", "It is on.")


async def test_only_the_turns_own_caller_gets_the_sound() -> None:
    rig = Rig({"tts": ScriptedTts()}, sentences={"on": acting(reply="It is on.")})
    await rig.run(text="on")
    heard = [event.chunk for event in rig.told if isinstance(event, ReplyAudio)]
    assert sum(chunk.seconds for chunk in heard) == pytest.approx(0.45, abs=0.001)
    assert not any(isinstance(event, ReplyAudio) for event in rig.seen)
    finished = next(event for event in rig.seen if isinstance(event, SpeechFinished))
    assert finished.seconds == pytest.approx(0.45, abs=0.001)


async def test_the_first_sentence_is_heard_while_the_agent_still_thinks() -> None:
    agent, speaker = ScriptedAgent([STORY], delay=2), RecordingSpeaker()
    tts = ScriptedTts(delay=0.1)
    rig = Rig({"agent": agent, "tts": tts})
    before = asyncio.get_running_loop().time()
    turn = await rig.run(text="tell me", speaker=speaker)
    assert tts.sentences == ["One.", "Two.", "Three.", "Four."]
    assert speaker.started[0] - before == pytest.approx(4.1, abs=0.01)
    assert parts_of(turn) == {"agent": 4000, "tts": 100, "playback": 4650}
    assert (turn.reason, turn.reply) == ("answered", "One. Two. Three. Four.")


async def test_text_becomes_speech() -> None:
    tts, speaker = ScriptedTts(), RecordingSpeaker()
    rig = Rig({"tts": tts})
    turn = await rig.run(text="**Dinner** is ready. Come!", start="tts", speaker=speaker)
    assert (turn.reason, turn.reply) == ("said", "**Dinner** is ready. Come!")
    assert tts.sentences == ["Dinner is ready.", "Come!"]
    assert speaker.finished == 1
    assert rig.names == ["run-start", "tts-start", "tts-end", "run-end"]


async def test_to_say_something_a_voice_is_needed() -> None:
    turn = await Rig().run(text="hello", start="tts")
    assert turn.reason == "failed"
    assert turn.failures[0].message == "pipeline 'default' has no tts"


async def test_without_a_voice_an_answer_is_text() -> None:
    turn = await Rig(sentences={"on": acting()}).run(text="on", speaker=RecordingSpeaker())
    assert (turn.reason, turn.reply, turn.failures) == ("acted", "Turned on the lamp.", ())


async def test_a_pipeline_that_replies_in_text_does_not_speak() -> None:
    tts = ScriptedTts()
    rig = Rig({"tts": tts}, sentences={"on": acting()})
    turn = await rig.run(rig.pipeline(reply="text"), text="on")
    assert (turn.reply, tts.sentences) == ("Turned on the lamp.", [])


async def test_a_turn_that_ends_at_intents_does_not_speak() -> None:
    tts = ScriptedTts()
    await Rig({"tts": tts}, sentences={"on": acting()}).run(text="on", end="intents")
    assert tts.sentences == []


async def test_a_sound_instead_of_words_for_what_was_done() -> None:
    tts, speaker = ScriptedTts(), RecordingSpeaker()
    rig = Rig({"tts": tts}, sentences={"on": acting(), "what time is it": telling("Noon.")})
    pipeline = rig.pipeline(reply="sound")
    done = await rig.run(pipeline, text="on", speaker=speaker)
    assert tts.sentences == []
    assert speaker.chunks == [chime()]
    assert parts_of(done) == {"playback": 220}
    await rig.run(pipeline, text="what time is it", speaker=speaker)
    assert tts.sentences == ["Noon."]


@pytest.mark.parametrize(("sound", "seconds"), [(chime(), 0.11 * len(NOTES)), (regret(), 0.4)])
def test_a_sound_of_the_hub_starts_and_ends_without_a_click(sound: AudioChunk, seconds: float) -> None:
    assert sound.seconds == pytest.approx(seconds, abs=0.001)
    assert sound.pcm[:2] == b"\0\0"
    assert abs(int.from_bytes(sound.pcm[-2:], "little", signed=True)) < 50


@pytest.mark.parametrize("problem", [EngineUnavailable("crashed"), ValueError("a bug")])
async def test_the_next_voice_says_everything_when_the_first_said_nothing(problem: Exception) -> None:
    broken, whole, speaker = ScriptedTts(errors={0: problem}), ScriptedTts(), RecordingSpeaker()
    rig = Rig({"broken": broken, "tts": whole, "agent": ScriptedAgent([STORY], delay=1)})
    turn = await rig.run(rig.pipeline(tts=("broken", "gone", "tts")), text="tell me", speaker=speaker)
    assert whole.sentences == ["One.", "Two.", "Three.", "Four."]
    assert turn.engines["tts"] == "tts"
    assert {failure.engine for failure in turn.failures} == {"broken", "gone"}
    assert not any(isinstance(event, TurnFailed) for event in rig.seen)
    assert speaker.finished == 1


async def test_the_next_voice_goes_on_with_what_nobody_has_heard() -> None:
    broken, other, speaker = ScriptedTts(errors={1: EngineError("lost")}), ScriptedTts(), RecordingSpeaker()
    rig = Rig({"tts": broken, "other": other}, sentences={"tell": telling("One. Two. Three.")})
    turn = await rig.run(rig.pipeline(tts=("tts", "other")), text="tell", speaker=speaker)
    assert other.sentences == ["Two.", "Three."]
    assert speaker.finished == 1
    assert (turn.reason, turn.engines["tts"]) == ("answered", "other")
    assert [(f.stage, f.engine, f.message) for f in turn.failures] == [("tts", "tts", "lost")]


async def test_where_nobody_knows_what_was_heard_nothing_is_said_twice() -> None:
    broken = ScriptedTts(errors={1: EngineError("lost")}, is_exact=False)
    other, speaker = ScriptedTts(), RecordingSpeaker()
    rig = Rig({"tts": broken, "other": other}, sentences={"tell": telling("One. Two. Three.")})
    turn = await rig.run(rig.pipeline(tts=("tts", "other")), text="tell", speaker=speaker)
    assert other.sentences == []
    assert turn.reason == "answered"
    assert [(failure.stage, failure.message) for failure in turn.failures] == [("tts", "lost")]
    assert speaker.chunks[-1].pcm[-8_000:] == regret().pcm[-8_000:]


async def test_a_voice_that_is_down_is_noticed_by_a_sound() -> None:
    rig, speaker = Rig({"tts": ScriptedTts(errors={0: EngineError("lost")})}), RecordingSpeaker()
    turn = await rig.run(text="hello", start="tts", speaker=speaker)
    assert speaker.chunks == [regret()]
    assert (turn.reason, turn.reply) == ("failed", "hello")
    assert parts_of(turn) == {"playback": 400}


async def test_ears_and_voice_down_are_a_sound_and_a_text() -> None:
    engines = {"asr": ScriptedAsr([Heard(error=EngineUnavailable("off"))])}
    rig, speaker = Rig(engines), RecordingSpeaker()
    turn = await rig.run(rig.pipeline(tts=("gone",)), audio=recording(tone(1)), speaker=speaker)
    assert turn.reply == "I can't hear you right now: my speech recognition isn't there."
    assert speaker.chunks == [regret()]
    assert [(failure.stage, failure.engine) for failure in turn.failures] == [("asr", "asr"), ("tts", "gone")]


async def test_a_voice_that_fails_does_not_undo_what_was_done() -> None:
    rig = Rig({"tts": ScriptedTts(errors={0: EngineError("lost")})}, sentences={"on": acting()})
    turn = await rig.run(text="on")
    assert (turn.reason, turn.reply) == ("acted", "Turned on the lamp.")
    assert [event.stage for event in rig.seen if isinstance(event, TurnFailed)] == ["tts"]


async def test_a_voice_that_fails_is_a_failure_when_it_was_all_that_was_asked() -> None:
    rig = Rig({"tts": ScriptedTts(errors={0: EngineError("lost")})})
    assert (await rig.run(text="hello", start="tts")).reason == "failed"


async def test_a_voice_that_hangs_is_given_up() -> None:
    tts = ScriptedTts(delay=9_999)
    turn = await Rig({"tts": tts}, sentences={"on": acting()}).run(text="on")
    assert turn.failures[0].code == "engine-timeout"
    assert parts_of(turn) == {"tts": 90_000}
    assert tts.open == 0


async def test_a_voice_that_makes_no_sound_is_told() -> None:
    rig = Rig({"tts": ScriptedTts(seconds_per_character=0)}, sentences={"on": acting()})
    turn = await rig.run(text="on")
    assert turn.failures[0].message == "'tts' made no sound"


async def test_a_speaker_that_fails_is_told() -> None:
    speaker = RecordingSpeaker(error=OSError("no device"))
    turn = await Rig({"tts": ScriptedTts()}, sentences={"on": acting()}).run(text="on", speaker=speaker)
    assert (turn.reason, turn.failures[0].stage) == ("acted", "playback")


async def test_a_speaker_that_never_says_it_is_done_is_given_up() -> None:
    class Stuck:
        played = 0.0

        async def play(self, audio: AsyncIterator[AudioChunk]) -> None:
            async for _ in audio:
                pass
            await asyncio.Event().wait()

    rig = Rig({"tts": ScriptedTts()}, sentences={"on": acting(reply="It is on.")})
    turn = await rig.run(text="on", speaker=Stuck())
    assert "limits.playback" in turn.failures[0].message
    assert parts_of(turn) == {"playback": 10_450}


async def test_standing_in_a_voices_line_has_its_own_owner() -> None:
    tts = QueuedTts("voice", ScriptedTts(delay=2), EngineLimits(concurrency=1))
    rig = Rig({"tts": tts}, sentences={"on": acting(reply="On.")})
    first, second = await asyncio.gather(rig.run(text="on"), rig.run(text="on"))
    assert parts_of(first) == {"tts": 2000}
    assert parts_of(second) == {"tts_wait": 2000, "tts": 2000}


async def test_a_turn_cancelled_while_it_speaks_is_silent_at_once() -> None:
    tts, speaker = ScriptedTts(), RecordingSpeaker()
    rig = Rig({"tts": tts}, sentences={"tell": telling("A long story without end. " * 20)})
    running = asyncio.create_task(rig.run(text="tell", speaker=speaker))
    await asyncio.sleep(3)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (tts.open, speaker.finished) == (0, 0)
    assert speaker.seconds == pytest.approx(3, abs=0.2)
    assert rig.names[-1] == "run-end"


async def test_an_agent_that_breaks_off_says_so_after_what_it_said() -> None:
    class Breaking(ScriptedAgent):
        async def _pieces(self, answer):  # type: ignore[no-untyped-def]
            yield "The first part. "
            raise EngineError("the line broke")

    tts = ScriptedTts()
    turn = await Rig({"agent": Breaking(), "tts": tts}).run(text="tell")
    assert turn.reason == "failed"
    assert tts.sentences == ["The first part.", "My assistant isn't working right now."]
