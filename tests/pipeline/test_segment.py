from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.pipeline.segment import Ended, SegmentConfig, Segmenter, Started

SAMPLES = 512
FRAME = SAMPLES / 16_000
LIMIT = settings(max_examples=100, deadline=None)


@dataclass
class Run:
    """What a segmenter made of a sequence of probabilities; frame n holds the number n."""

    audio: list[int] = field(default_factory=list)
    started: Started | None = None
    ended: Ended | None = None
    frames: int = 0
    """Frames that were fed until the end."""


def run(probabilities: list[float], config: SegmentConfig, *, is_live: bool = True) -> Run:
    segmenter = Segmenter(config, SAMPLES, is_live=is_live)
    seen = Run()
    for number, probability in enumerate(probabilities):
        step = segmenter.push(number.to_bytes(4, "big"), probability)
        seen.frames += seen.ended is None
        seen.audio += [int.from_bytes(frame, "big") for frame in step.audio]
        assert not (step.started and seen.started)
        assert not (step.ended and seen.ended)
        seen.started = seen.started or step.started
        seen.ended = seen.ended or step.ended
    step = segmenter.finish()
    assert not (step.ended and seen.ended)
    seen.ended = seen.ended or step.ended
    return seen


def parts(*pairs: tuple[float, float]) -> list[float]:
    return [p for p, seconds in pairs for _ in range(round(seconds / FRAME))]


def near(seconds: float, by: float) -> Any:
    return pytest.approx(seconds, abs=by)


def test_speech_ends_by_silence() -> None:
    seen = run(parts((0, 1), (0.9, 1), (0, 2)), SegmentConfig())
    assert seen.started == Started(near(1, FRAME))
    assert seen.ended == Ended(near(2, FRAME), "silence")
    assert seen.frames * FRAME == near(2.7, 2 * FRAME)
    assert seen.audio[0] * FRAME == near(0.5, 2 * FRAME)


def test_a_pause_that_is_shorter_than_the_silence_does_not_end_it() -> None:
    seen = run(parts((0.9, 1), (0, 0.5), (0.9, 1), (0, 1)), SegmentConfig())
    assert seen.ended == Ended(near(2.5, FRAME), "silence")


def test_a_breath_between_both_thresholds_goes_on_as_speech() -> None:
    seen = run(parts((0.9, 0.5), (0.4, 2), (0, 1)), SegmentConfig())
    assert seen.ended == Ended(near(2.5, 2 * FRAME), "silence")


def test_noise_between_both_thresholds_does_not_keep_a_silence_from_ending() -> None:
    seen = run(parts((0.9, 0.5), (0, 0.1), (0.4, 5)), SegmentConfig())
    assert seen.ended == Ended(near(0.5, 2 * FRAME), "silence")


def test_a_click_is_no_speech() -> None:
    seen = run(parts((0, 1), (0.9, 0.064), (0, 6)), SegmentConfig())
    assert seen.started is None
    assert seen.audio == []
    assert seen.ended is not None
    assert seen.ended.reason == "no-speech"


def test_nobody_speaks() -> None:
    seen = run(parts((0, 10)), SegmentConfig())
    assert seen.ended == Ended(0, "no-speech")
    assert seen.frames * FRAME == near(5, FRAME)


def test_a_recording_is_searched_to_its_end() -> None:
    seen = run(parts((0, 10), (0.9, 1), (0, 2)), SegmentConfig(), is_live=False)
    assert seen.ended == Ended(near(11, 2 * FRAME), "silence")


def test_a_recording_without_speech_ends_so() -> None:
    assert run(parts((0, 10)), SegmentConfig(), is_live=False).ended == Ended(0, "no-speech")


def test_endless_speech_ends_by_timeout_which_is_no_silence() -> None:
    seen = run(parts((0.9, 20)), SegmentConfig())
    assert seen.ended == Ended(near(15, FRAME), "timeout")


def test_the_audio_ends_in_mid_speech() -> None:
    segmenter = Segmenter(SegmentConfig(), SAMPLES)
    for _ in range(20):
        segmenter.push(b"frame", 0.9)
    step = segmenter.finish(b"rest")
    assert step.audio == (b"rest",)
    assert step.ended == Ended(20 * FRAME, "end-of-audio")
    assert segmenter.finish() == segmenter.push(b"more", 0.9)


def test_warm_up_is_no_silence() -> None:
    seen = run(parts((-1, 1.9), (0, 4.9), (0.9, 1), (0, 1)), SegmentConfig())
    assert seen.ended is not None
    assert seen.ended.reason == "silence"


def test_a_detector_that_is_lost_in_speech_does_not_end_it_before_its_warm_up_is_over() -> None:
    seen = run(parts((0.9, 1), (-1, 1.5), (0.9, 1), (0, 1)), SegmentConfig())
    assert seen.ended == Ended(near(3.5, 2 * FRAME), "silence")


@pytest.mark.parametrize("answer", [-1.0, float("nan")])
def test_a_detector_that_never_answers_ends_as_no_speech(answer: float) -> None:
    seen = run(parts((answer, 10)), SegmentConfig())
    assert seen.ended is not None
    assert seen.ended.reason == "no-speech"
    assert seen.frames * FRAME <= 5 + 2 * FRAME


def test_the_pre_roll_is_what_there_is() -> None:
    assert run(parts((0, 0.2), (0.9, 1), (0, 1)), SegmentConfig()).audio[0] == 0


def test_without_pre_roll_the_first_sound_is_the_first_heard() -> None:
    seen = run(parts((0, 1), (0.9, 1), (0, 1)), SegmentConfig(pre_roll=0))
    assert seen.started is not None
    assert seen.audio[0] == round(seen.started.offset / FRAME)


probability = st.one_of(
    st.floats(-1, 1), st.sampled_from([0.0, 0.34, 0.35, 0.49, 0.5, 1.0, -1.0, float("nan"), float("inf")])
)
spells = st.lists(st.tuples(probability, st.integers(1, 60)), max_size=30)
configs = st.builds(
    SegmentConfig,
    threshold=st.floats(0, 1),
    keep_threshold=st.floats(0, 1),
    pre_roll=st.floats(0, 5),
    min_speech=st.floats(0, 5),
    silence=st.floats(0.05, 3),
    max_utterance=st.floats(0.5, 20),
    no_speech_timeout=st.floats(0.5, 10),
    warm_up=st.floats(0, 5),
)


@LIMIT
@given(spells, configs, st.booleans())
def test_the_utterance_is_one_slice_with_nothing_lost_or_doubled(
    spells: list[tuple[float, int]], config: SegmentConfig, is_live: bool
) -> None:
    seen = run([p for p, frames in spells for _ in range(frames)], config, is_live=is_live)
    assert seen.ended is not None
    assert bool(seen.audio) == (seen.started is not None)
    if seen.audio:
        assert seen.started is not None
        assert seen.audio == list(range(seen.audio[0], seen.frames))
        pre_roll = round(config.pre_roll / FRAME)
        assert seen.audio[0] == max(round(seen.started.offset / FRAME) - pre_roll, 0)
    assert (seen.ended.reason == "no-speech") == (not seen.audio)
    assert 0 <= seen.ended.offset <= seen.frames * FRAME + 1e-9


@LIMIT
@given(st.lists(probability, min_size=1, max_size=20), configs)
def test_every_live_turn_ends_under_any_probabilities(cycle: list[float], config: SegmentConfig) -> None:
    waits = config.no_speech_timeout + config.warm_up + 4 * config.min_speech + config.max_utterance
    frames = round(waits / FRAME) + 20
    probabilities = (cycle * (frames // len(cycle) + 1))[:frames]
    seen = run([*probabilities, 0.0], config)
    assert seen.frames <= frames
