"""Turns that wait for a wake word, on a clock that jumps: scripted engines, real segmenter."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from hub.audio import SPEECH, AudioChunk, AudioFormat
from hub.errors import EngineUnavailable
from hub.events import ListeningStarted, SpeechStarted, WakeWordAwaited, WakeWordDetected
from hub.pipeline.context import TurnLimits
from hub.pipeline.segment import SegmentConfig
from hub.pipeline.waking import quietest
from hub.testing import (
    RecordingSpeaker,
    ScriptedAsr,
    ScriptedTts,
    ScriptedVad,
    ScriptedWake,
    microphone,
    tone,
)
from tests.pipeline.rig import Rig, acting, parts_of, recording

pytestmark = pytest.mark.virtual_time

SPOKEN = ((0, 1.0), (440, 0.9), (0, 0.5), (440, 1.0), (0, 2.0))
"""Silence, the wake word, a pause, the command, silence: of the microphone and of the recordings."""


def waking(at: float = 2.0, vad: ScriptedVad | None = None, **more: Any) -> Rig:
    """Return a house whose wake word is told `at` seconds, and whose detector then hears the command."""
    hears = vad or ScriptedVad.spoken((0.0, 0.6), (0.9, 1.0), (0.0, 60.0))
    engines = {
        "words": ScriptedWake(((at, "okay_nabu"),), late=more.pop("late", 0.0)),
        "vad": hears,
        "asr": ScriptedAsr(["on"]),
        "tts": ScriptedTts(),
    }
    return Rig(engines, {"on": acting()}, **more)


def pcm_of(*parts: tuple[int, float]) -> bytes:
    return b"".join(tone(seconds, hertz=hertz) for hertz, seconds in parts)


async def test_a_turn_may_start_at_its_wake_word() -> None:
    rig = waking()
    speaker = RecordingSpeaker()
    turn = await rig.run(audio=microphone(*SPOKEN), is_live=True, wake="words", speaker=speaker)
    assert (turn.reason, turn.transcript, len(rig.calls)) == ("acted", "on", 1)
    assert turn.record()["wake"] == {"word": "okay_nabu", "offset": 2.01}
    assert turn.engines == {"wake": "words", "vad": "vad", "asr": "asr", "tts": "tts"}
    assert rig.names[:6] == [
        "run-start",
        "wake_word-start",
        "wake_word-end",
        "stt-start",
        "stt-vad-start",
        "stt-vad-end",
    ]
    (awaited,) = (event for event in rig.seen if isinstance(event, WakeWordAwaited))
    assert (awaited.engine, awaited.words) == ("words", ("okay_nabu", "hey_jarvis"))
    (detected,) = (event for event in rig.seen if isinstance(event, WakeWordDetected))
    assert (detected.engine, detected.word, detected.offset) == ("words", "okay_nabu", 2.01)


async def test_the_time_until_the_wake_word_is_its_own() -> None:
    turn = await waking().run(audio=microphone(*SPOKEN), is_live=True, wake="words")
    parts = parts_of(turn)
    assert parts["wake"] == pytest.approx(2048, abs=70)
    assert parts["capture"] == pytest.approx(1450, abs=100)
    assert parts["end_of_turn"] == pytest.approx(700, abs=70)


async def test_nothing_before_the_wake_word_goes_to_the_recogniser() -> None:
    rig = waking()
    await rig.run(audio=microphone(*SPOKEN), is_live=True, wake="words")
    (heard,) = rig.engines_by_name["asr"].utterances
    assert SPEECH.seconds(len(heard)) == pytest.approx(0.5 + 1.0 + 0.7, abs=0.1)
    (stream,) = rig.engines_by_name["words"].streams
    assert stream.is_closed
    assert stream.samples <= 2.1 * 16_000


async def test_offsets_count_from_the_start_of_the_audio() -> None:
    turn = await waking().run(audio=recording(pcm_of(*SPOKEN)), wake="words")
    assert turn.utterance
    assert turn.utterance.begins == pytest.approx(1.9 + 0.6, abs=0.05)
    assert turn.utterance.ends == pytest.approx(1.9 + 1.6, abs=0.05)


@pytest.mark.parametrize("is_live", [True, False])
async def test_a_command_right_after_the_word_is_heard_from_its_start(is_live: bool) -> None:
    """The detector hears speech from the first moment on: the command, or the end of the word."""
    rig = waking(vad=ScriptedVad.spoken((0.9, 1.5), (0.0, 60.0)))
    audio = microphone(*SPOKEN) if is_live else recording(pcm_of(*SPOKEN))
    turn = await rig.run(audio=audio, is_live=is_live, wake="words")
    (heard,) = rig.engines_by_name["asr"].utterances
    assert heard == pcm_of(*SPOKEN)[(begin := round(1.9 * 16_000) * 2) : begin + len(heard)]
    assert turn.reason == "acted"


async def test_the_end_of_the_word_alone_is_no_command() -> None:
    """A user who waits a moment after the word is waited for."""
    vad = ScriptedVad.spoken((0.9, 0.3), (0.0, 1.5), (0.9, 1.0), (0.0, 60.0))
    rig = waking(vad=vad)
    turn = await rig.run(audio=microphone((0, 10.0)), is_live=True, wake="words")
    assert turn.utterance
    assert turn.utterance.begins == pytest.approx(2.01 - 0.25 + 1.8, abs=0.05)
    assert (turn.reason, len(rig.engines_by_name["asr"].hearings)) == ("acted", 1)


def test_the_quietest_moment_is_the_first_of_equals() -> None:
    loud, soft = tone(0.1), tone(0.03, level=0.01)
    assert len(loud) <= quietest(loud + soft + loud) <= len(loud) + 320
    assert quietest(loud + bytes(3200) + loud) == len(loud)
    assert (quietest(b""), quietest(bytes(100))) == (0, 0)


async def test_both_margins_are_options() -> None:
    rig = waking(vad=ScriptedVad.spoken((0.9, 1.5), (0.0, 60.0)))
    pipeline = rig.pipeline(segment=SegmentConfig(before_wake=0.0, after_wake=0.0, pre_roll=0.0))
    await rig.run(pipeline, audio=recording(pcm_of(*SPOKEN)), wake="words")
    (heard,) = rig.engines_by_name["asr"].utterances
    assert heard == pcm_of(*SPOKEN)[(begin := round(2.01 * 16_000) * 2) : begin + len(heard)]


@pytest.mark.parametrize("is_live", [True, False])
async def test_a_word_that_is_told_late_loses_nothing(is_live: bool) -> None:
    rig = waking(late=1.0)
    audio = microphone(*SPOKEN) if is_live else recording(pcm_of(*SPOKEN))
    turn = await rig.run(audio=audio, is_live=is_live, wake="words")
    (heard,) = rig.engines_by_name["asr"].utterances
    assert SPEECH.seconds(len(heard)) == pytest.approx(0.5 + 1.0 + 0.7, abs=0.1)
    assert (turn.reason, turn.record()["wake"]["offset"]) == ("acted", 2.01)


async def test_a_word_that_is_told_when_the_recording_is_over_is_taken() -> None:
    turn = await waking(late=60.0).run(audio=recording(pcm_of(*SPOKEN)), wake="words")
    assert (turn.reason, turn.transcript) == ("acted", "on")


async def test_what_a_late_word_no_longer_finds_is_lost_and_no_more() -> None:
    rig = waking(late=2.0, limits=TurnLimits(wake_late=0.5))
    turn = await rig.run(audio=microphone(*SPOKEN, (0, 3.0)), is_live=True, wake="words")
    assert turn.utterance
    assert turn.utterance.begins >= 3.5


async def test_a_recording_without_the_word_does_nothing() -> None:
    rig = waking(at=60.0)
    turn = await rig.run(audio=recording(pcm_of(*SPOKEN)), wake="words")
    assert (turn.reason, turn.reply, turn.failures) == ("no_wake_word", "", ())
    assert turn.record()["wake"] is None
    assert (rig.calls, rig.engines_by_name["asr"].hearings) == ([], [])
    assert not [event for event in rig.seen if isinstance(event, (ListeningStarted, SpeechStarted))]
    assert rig.engines_by_name["words"].streams[0].is_closed


async def test_a_microphone_is_waited_for_as_long_as_the_limit_says() -> None:
    rig = waking(at=60.0, limits=TurnLimits(wake=5.0))
    turn = await rig.run(audio=microphone((0, 30.0)), is_live=True, wake="words")
    assert turn.reason == "no_wake_word"
    assert turn.timeline["wake"] == pytest.approx(5000, abs=70)


async def test_a_word_and_then_silence_is_no_speech() -> None:
    rig = waking(vad=ScriptedVad())
    turn = await rig.run(audio=microphone((0, 30.0)), is_live=True, wake="words")
    assert (turn.reason, turn.record()["wake"]["word"]) == ("no_speech", "okay_nabu")


async def test_only_the_words_that_are_asked_for_wake() -> None:
    rig = waking()
    turn = await rig.run(audio=recording(pcm_of(*SPOKEN)), wake="words", wake_words=("hey_jarvis",))
    assert turn.reason == "no_wake_word"
    assert rig.engines_by_name["words"].asked == [("hey_jarvis",)]


async def test_without_a_detector_of_speech_the_rest_is_the_command() -> None:
    rig = waking()
    turn = await rig.run(rig.pipeline(vad=None), audio=recording(pcm_of(*SPOKEN)), wake="words")
    (heard,) = rig.engines_by_name["asr"].utterances
    assert heard == pcm_of(*SPOKEN)[round(1.9 * 16_000) * 2 :]
    assert turn.reason == "acted"


async def test_audio_of_any_form_is_taken() -> None:
    form = AudioFormat(rate=48_000, channels=2)

    async def stereo() -> AsyncIterator[AudioChunk]:
        for _ in range(60):
            yield AudioChunk(tone(0.1, form), form)

    turn = await waking().run(audio=stereo(), wake="words")
    assert turn.record()["wake"] == {"word": "okay_nabu", "offset": 2.01}


class _Gone:
    """A detector on a machine that has just left."""

    words = ("okay_nabu",)
    frame_samples = 1280
    is_closed = False

    def open(self, words: Sequence[str]) -> "_Gone":
        return self

    def process(self, frame: bytes) -> None:
        raise EngineUnavailable("tcp://box:10400 closed the connection")

    def finish(self) -> None: ...

    def close(self) -> None:
        self.is_closed = True


async def test_a_detector_that_leaves_is_told_and_closed() -> None:
    rig = waking()
    gone = rig.engines_by_name["words"] = _Gone()
    turn = await rig.run(audio=microphone(*SPOKEN), is_live=True, wake="words")
    (failure,) = turn.failures
    assert (turn.reason, failure.stage, failure.code) == ("failed", "wake", "engine-unavailable")
    assert "tcp://box:10400 closed the connection" in failure.message
    assert turn.reply == "I can't hear you right now: my wake word detection isn't there."
    assert gone.is_closed
    assert rig.calls == []


@pytest.mark.parametrize(
    ("asked", "code", "words"),
    [
        ({"wake": "gone"}, "engine-unavailable", "there is no integration 'gone'"),
        ({"wake": "words", "wake_words": ("computer",)}, "engine-failed", "there is no wake word 'computer'"),
        ({"start": "wake"}, "engine-unavailable", "needs an engine for wake words"),
    ],
)
async def test_an_engine_that_is_not_there_is_told(asked: dict[str, Any], code: str, words: str) -> None:
    turn = await waking().run(audio=recording(pcm_of(*SPOKEN)), **asked)
    assert turn.reason == "failed"
    (failure,) = turn.failures
    assert (failure.stage, failure.code) == ("wake", code)
    assert words in failure.message
    assert turn.reply.startswith("I can't hear you right now: my wake word detection isn't ")


@pytest.mark.parametrize("end", ["wake", "vad"])
async def test_a_turn_cannot_end_before_words(end: Any) -> None:
    turn = await waking().run(audio=recording(b""), wake="words", end=end)
    assert (turn.failures[0].code, turn.failures[0].stage) == ("turn-invalid", "turn")


async def test_a_turn_that_waits_for_a_word_needs_audio() -> None:
    turn = await waking().run(text="on", wake="words")
    assert turn.failures[0].message == "a turn that starts at wake needs audio"
    turn = await waking().run(text="on", wake="words", start="intents")
    assert turn.reason == "acted"


@pytest.mark.parametrize("end", ["asr", "intents", "agent", "tts"])
async def test_it_may_end_at_any_later_stage(end: Any) -> None:
    turn = await waking().run(audio=recording(pcm_of(*SPOKEN)), wake="words", end=end)
    assert turn.reason == ("transcribed" if end == "asr" else "acted")
