import asyncio
from collections.abc import AsyncIterator

import pytest

from hub.audio import AudioChunk, AudioFormat
from hub.engines.limits import EngineLimits
from hub.engines.queue import QueuedAsr
from hub.errors import AudioError, EngineBusy, EngineError, EngineUnavailable
from hub.events import (
    EnginePassedOver,
    ListeningStarted,
    SpeechEnded,
    SpeechStarted,
    Transcribed,
    TranscriptChanged,
    TurnFailed,
)
from hub.pipeline.progress import Utterance
from hub.pipeline.turn import TurnLimits
from hub.testing import Heard, ScriptedAsr, ScriptedTts, ScriptedVad, microphone, tone
from hub.wav import header, speech
from tests.pipeline.rig import Rig, acting, parts_of, recording

pytestmark = pytest.mark.virtual_time
SPOKEN = ((0.0, 1.0), (0.9, 1.0), (0.0, 9.0))
"""A second of silence, a second of speech, silence."""
HEARD = ((0, 1.0), (440, 1.0), (0, 9.0))
"""The same as sound."""


def voiced(asr: object, **more: object) -> Rig:
    return Rig({"vad": ScriptedVad.spoken(*SPOKEN), "asr": asr, **more}, sentences={"on": acting()})


async def test_a_microphone_is_heard_until_the_speaker_is_silent() -> None:
    asr = ScriptedAsr([Heard(text="on", delay=0.4, confidence=0.9)])
    rig = voiced(asr)
    turn = await rig.run(audio=microphone(*HEARD), is_live=True)
    assert (turn.reason, turn.transcript) == ("acted", "on")
    assert rig.names == [
        "run-start",
        "stt-start",
        "stt-vad-start",
        "stt-vad-end",
        "stt-end",
        "intent-start",
        "intent-end",
        "run-end",
    ]
    started = next(event for event in rig.seen if isinstance(event, SpeechStarted))
    ended = next(event for event in rig.seen if isinstance(event, SpeechEnded))
    assert started.offset == pytest.approx(1.0, abs=0.04)
    assert ended.offset == pytest.approx(2.0, abs=0.04)
    assert ended.reason == "silence"
    heard = next(event for event in rig.seen if isinstance(event, Transcribed))
    assert (heard.engine, heard.confidence) == ("asr", 0.9)
    assert (turn.engines, turn.confidence) == ({"vad": "vad", "asr": "asr"}, 0.9)
    assert turn.utterance == Utterance(begins=started.offset, ends=ended.offset, ended_by="silence")
    parts = parts_of(turn)
    assert parts.pop("end_of_turn") == pytest.approx(700, abs=70)
    assert parts.pop("capture") == pytest.approx(2000, abs=70)
    assert parts == {"asr": 400}


async def test_the_recogniser_hears_one_slice_with_the_pre_roll() -> None:
    asr = ScriptedAsr(["on"])
    await voiced(asr).run(audio=microphone(*HEARD), is_live=True)
    whole = b"".join(tone(seconds, hertz=hertz) for hertz, seconds in HEARD)
    start = whole.find(asr.utterances[0])
    assert start >= 0
    assert start / 32_000 == pytest.approx(0.5, abs=0.04)
    assert (start + len(asr.utterances[0])) / 32_000 == pytest.approx(2.7, abs=0.07)


async def test_the_recogniser_works_while_the_person_speaks() -> None:
    rig = voiced(ScriptedAsr([Heard(text="on", partials=("turn", "turn on", "turn on the"))]))
    await rig.run(audio=microphone(*HEARD), is_live=True)
    ended = next(event for event in rig.seen if isinstance(event, SpeechEnded))
    partials = [event for event in rig.seen if isinstance(event, TranscriptChanged)]
    assert [event.text for event in partials] == ["turn", "turn on", "turn on the"]
    assert all(event.at < ended.at for event in partials)


async def test_the_recogniser_is_told_the_names_of_the_house() -> None:
    asr = ScriptedAsr(["on"])
    rig = voiced(asr)
    rig.vocabulary = ("kitchen lamp",)
    await rig.run(audio=microphone(*HEARD), is_live=True)
    assert (asr.hearings[0].phrases, asr.hearings[0].language) == (("kitchen lamp",), "en")


async def test_an_end_by_timeout_is_in_the_record() -> None:
    rig = Rig({"vad": ScriptedVad([0.9]), "asr": ScriptedAsr(["on"])}, sentences={"on": acting()})
    turn = await rig.run(audio=microphone((440, 30.0)), is_live=True)
    assert turn.record()["utterance"] == {"begins": 0.0, "ends": 15.008, "ended_by": "timeout"}


async def test_when_nobody_speaks_nobody_is_asked() -> None:
    asr = ScriptedAsr(["on"])
    rig = Rig({"vad": ScriptedVad([0.0]), "asr": asr})
    turn = await rig.run(audio=microphone((0, 30.0)), is_live=True)
    assert (turn.reason, turn.reply, asr.hearings) == ("no_speech", "", [])
    assert parts_of(turn)["capture"] == pytest.approx(5000, abs=70)
    assert rig.names == ["run-start", "stt-start", "stt-vad-end", "run-end"]


@pytest.mark.parametrize("text", ["", "  ", " . ", "..."])
async def test_words_that_are_none_are_no_speech(text: str) -> None:
    rig = voiced(ScriptedAsr([text]))
    turn = await rig.run(audio=microphone(*HEARD), is_live=True)
    assert (turn.reason, turn.reply) == ("no_speech", "")
    assert "intent-start" not in rig.names


async def test_a_recording_without_a_detector_is_one_utterance() -> None:
    asr = ScriptedAsr(["on"])
    pcm = tone(1.5)
    turn = await Rig({"asr": asr}, sentences={"on": acting()}).run(audio=recording(pcm))
    assert turn.reason == "acted"
    assert asr.utterances == [pcm]


async def test_a_turn_that_starts_at_asr_takes_all_audio_for_the_utterance() -> None:
    asr = ScriptedAsr(["on"])
    pcm = tone(2.0)
    await voiced(asr).run(audio=recording(pcm), start="asr")
    assert asr.utterances == [pcm]


async def test_a_turn_may_end_at_its_words() -> None:
    rig = voiced(ScriptedAsr(["on"]))
    turn = await rig.run(audio=microphone(*HEARD), is_live=True, end="asr")
    assert (turn.reason, turn.transcript, turn.reply, rig.calls) == ("transcribed", "on", "", [])


async def test_a_wav_file_of_another_kind_is_heard_in_16_khz() -> None:
    asr = ScriptedAsr(["on"])
    form = AudioFormat(44_100, 2, 2)
    await Rig({"asr": asr}).run(audio=speech(header(form) + tone(1.0, form)))
    assert len(asr.utterances[0]) == pytest.approx(32_000, abs=4)


async def test_a_microphone_of_another_kind_is_heard_in_16_khz() -> None:
    form = AudioFormat(48_000, 2, 2)

    async def audio() -> AsyncIterator[AudioChunk]:
        for _ in range(10):
            yield AudioChunk(tone(0.1, form), form)

    asr = ScriptedAsr(["on"])
    await Rig({"asr": asr}).run(audio=audio())
    assert len(asr.utterances[0]) == pytest.approx(32_000, abs=4)


async def test_an_hour_of_audio_is_heard_as_far_as_the_limit() -> None:
    asked = 0

    async def hour() -> AsyncIterator[AudioChunk]:
        nonlocal asked
        for _ in range(3600):
            asked += 1
            yield AudioChunk(bytes(32_000))

    rig = Rig({"asr": ScriptedAsr(["on"])}, limits=TurnLimits(longest_audio=60))
    turn = await rig.run(audio=hour())
    assert asked == 60
    assert next(event.reason for event in rig.seen if isinstance(event, SpeechEnded)) == "timeout"
    assert turn.transcript == "on"


@pytest.mark.parametrize("first", [None, Heard(error=EngineBusy("full")), Heard(error=ValueError("a bug"))])
async def test_the_next_recogniser_hears_the_utterance_from_its_start(first: Heard | None) -> None:
    broken, whole = ScriptedAsr([first or ""]), ScriptedAsr(["on"])
    rig = voiced(whole, **({"broken": broken} if first else {}))
    turn = await rig.run(rig.pipeline(asr=("broken", "asr")), audio=microphone(*HEARD), is_live=True)
    assert (turn.reason, turn.engines["asr"]) == ("acted", "asr")
    assert [(failure.stage, failure.engine) for failure in turn.failures] == [("asr", "broken")]
    assert not any(isinstance(event, TurnFailed) for event in rig.seen)
    passed = next(event for event in rig.seen if isinstance(event, EnginePassedOver))
    assert (passed.engine, passed.message) == ("broken", turn.failures[0].message)
    assert len(whole.utterances[0]) / 32_000 == pytest.approx(2.2, abs=0.1)
    engines = [event.engine for event in rig.seen if isinstance(event, ListeningStarted)]
    assert engines == (["broken", "asr"] if first else ["asr"])


async def test_when_every_recogniser_fails_the_person_is_told() -> None:
    tts = ScriptedTts()
    rig = voiced(ScriptedAsr([Heard(error=EngineError("out of memory"))]), tts=tts)
    turn = await rig.run(audio=microphone(*HEARD), is_live=True)
    honest = "I can't hear you right now: my speech recognition isn't working."
    assert (turn.reason, turn.reply) == ("failed", honest)
    assert [(failure.engine, failure.message) for failure in turn.failures] == [("asr", "out of memory")]
    assert [(event.stage, event.code) for event in rig.seen if isinstance(event, TurnFailed)] == [
        ("asr", "engine-failed")
    ]
    assert tts.sentences == [honest]
    assert rig.names[-1] == "run-end"


async def test_without_any_recogniser_nothing_is_listened_to() -> None:
    rig = Rig({"vad": ScriptedVad()})
    turn = await rig.run(rig.pipeline(asr=("gone",)), audio=microphone(*HEARD), is_live=True)
    assert turn.failures[0].code == "engine-unavailable"
    assert turn.timeline["total"] == 0


async def test_a_recogniser_that_hangs_is_given_up() -> None:
    asr = ScriptedAsr([Heard(text="late", delay=9_999)])
    turn = await voiced(asr).run(audio=microphone(*HEARD), is_live=True)
    honest = "I can't hear you right now: my speech recognition isn't answering."
    assert (turn.reason, turn.reply) == ("failed", honest)
    assert parts_of(turn)["asr"] == 60_000
    assert asr.open == 0


async def test_a_recogniser_that_never_reads_does_not_stop_the_listening() -> None:
    class Deaf:
        def transcribe(self, *_: object) -> object:
            return self

        async def __aenter__(self) -> object:
            return self

        async def __aexit__(self, *_: object) -> None:
            return None

        def __aiter__(self) -> object:
            return self

        async def __anext__(self) -> object:
            return await asyncio.Event().wait()

    rig = voiced(Deaf())
    turn = await rig.run(audio=microphone(*HEARD), is_live=True)
    ended = next(event for event in rig.seen if isinstance(event, SpeechEnded))
    assert ended.at == pytest.approx(2700, abs=70)
    assert turn.failures[0].code == "engine-timeout"


async def test_a_recogniser_that_knows_early_ends_the_listening() -> None:
    class Quick(ScriptedAsr):
        async def _words(self, audio, line):  # type: ignore[no-untyped-def]
            await anext(audio)
            async for transcript in super()._words(_nothing(), line):
                yield transcript

    async def _nothing() -> AsyncIterator[AudioChunk]:
        return
        yield

    turn = await voiced(Quick(["on"])).run(audio=microphone(*HEARD), is_live=True)
    assert turn.reason == "acted"
    assert turn.timeline["total"] == pytest.approx(1100, abs=100)


async def test_a_microphone_that_falls_silent_is_gone() -> None:
    async def dead() -> AsyncIterator[AudioChunk]:
        yield AudioChunk(tone(0.5))
        await asyncio.Event().wait()

    rig = Rig({"vad": ScriptedVad([0.9]), "asr": ScriptedAsr(["on"])}, sentences={"on": acting()})
    turn = await rig.run(audio=dead(), is_live=True)
    assert turn.reason == "failed"
    assert turn.failures[0].code == "audio-unreadable"
    assert "no audio came for 5 s" in turn.failures[0].message
    assert rig.calls == []


async def test_a_microphone_needs_a_detector() -> None:
    turn = await Rig({"asr": ScriptedAsr()}).run(audio=microphone(*HEARD), is_live=True)
    assert turn.failures[0].message == "pipeline 'default' has no vad, which a microphone needs"


async def test_a_detector_that_is_not_there_is_told() -> None:
    rig = Rig({"asr": ScriptedAsr()})
    turn = await rig.run(rig.pipeline(vad="gone"), audio=microphone(*HEARD), is_live=True)
    assert (turn.failures[0].stage, turn.failures[0].code) == ("vad", "engine-unavailable")


async def test_a_detector_that_crashes_is_told() -> None:
    rig = voiced(ScriptedAsr(["on"]))
    broken = rig.engines_by_name["vad"] = _Broken()
    turn = await rig.run(audio=microphone(*HEARD), is_live=True)
    assert broken.is_closed
    assert turn.failures[0].code == "engine-failed"
    assert "voice activity detector failed" in turn.failures[0].message
    assert turn.reply == "I can't hear you right now: my speech detection isn't working."


class _Broken:
    frame_samples = 512
    is_closed = False

    def open(self) -> "_Broken":
        return self

    def process(self, frame: bytes) -> float:
        raise ValueError("a bug")

    def close(self) -> None:
        self.is_closed = True


@pytest.mark.parametrize(
    ("data", "message"), [(b"", "the file is empty"), (b"not audio at all", "no RIFF header")]
)
async def test_a_file_that_is_no_audio_is_told(data: bytes, message: str) -> None:
    turn = await Rig({"asr": ScriptedAsr()}).run(audio=speech(data))
    assert (turn.reason, turn.failures[0].code) == ("failed", "audio-unreadable")
    assert message in turn.failures[0].message
    assert message in turn.reply


async def test_audio_is_closed_when_the_turn_has_heard_enough() -> None:
    closed = False

    async def endless() -> AsyncIterator[AudioChunk]:
        nonlocal closed
        try:
            while True:
                await asyncio.sleep(0.1)
                yield AudioChunk(tone(0.1))
        finally:
            closed = True

    rig = Rig({"vad": ScriptedVad.spoken(*SPOKEN), "asr": ScriptedAsr(["on"])})
    await rig.run(audio=endless(), is_live=True)
    assert closed


async def test_standing_in_an_engines_line_has_its_own_owner() -> None:
    asr = QueuedAsr("whisper", ScriptedAsr([Heard(text="on", delay=2)]), EngineLimits(concurrency=1))
    rig = Rig({"asr": asr}, sentences={"on": acting()})
    first, second = await asyncio.gather(rig.run(audio=recording(tone(1))), rig.run(audio=recording(tone(1))))
    assert parts_of(first) == {"asr": 2000}
    assert parts_of(second) == {"asr_wait": 2000, "asr": 2000}


async def test_a_queue_that_is_full_is_told() -> None:
    slow = ScriptedAsr([Heard(text="on", delay=20)])
    asr = QueuedAsr("whisper", slow, EngineLimits(concurrency=1, waiting=0))
    rig = Rig({"asr": asr}, sentences={"on": acting()})
    _, second = await asyncio.gather(rig.run(audio=recording(tone(1))), rig.run(audio=recording(tone(1))))
    assert (second.reason, second.reply) == ("failed", "I'm busy right now. Please try again in a moment.")


@pytest.mark.parametrize("after", [0.3, 1.5, 2.5, 3.0])
async def test_a_turn_cancelled_at_any_stage_leaves_nothing_open(after: float) -> None:
    asr = ScriptedAsr([Heard(text="on", delay=9)])
    rig = voiced(asr)
    running = asyncio.create_task(rig.run(audio=microphone(*HEARD), is_live=True))
    await asyncio.sleep(after)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert asr.open == 0
    assert rig.names[-1] == "run-end"


async def test_an_error_in_the_audio_stops_the_recogniser() -> None:
    async def breaking() -> AsyncIterator[AudioChunk]:
        yield AudioChunk(tone(0.5))
        raise AudioError("the socket closed")

    asr = ScriptedAsr(["on"])
    turn = await Rig({"asr": asr}).run(audio=breaking())
    assert (turn.failures[0].stage, turn.failures[0].message) == ("vad", "the socket closed")
    assert asr.open == 0


async def test_a_bug_in_the_audio_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async def broken() -> AsyncIterator[AudioChunk]:
        yield AudioChunk(tone(0.5))
        raise ZeroDivisionError

    tts = ScriptedTts()
    turn = await Rig({"asr": ScriptedAsr(["on"]), "tts": tts}).run(audio=broken())
    assert (turn.reason, turn.reply) == ("failed", "Something went wrong.")
    assert tts.sentences == ["Something went wrong."]
    assert "ZeroDivisionError" in caplog.text


async def test_an_unavailable_recogniser_in_the_list_is_passed_over() -> None:
    class Gone(ScriptedAsr):
        def transcribe(self, *_: object) -> object:  # type: ignore[override]
            raise EngineUnavailable("crashed")

    rig = voiced(ScriptedAsr(["on"]), gone=Gone())
    turn = await rig.run(rig.pipeline(asr=("gone", "asr")), audio=microphone(*HEARD), is_live=True)
    assert turn.reason == "acted"
