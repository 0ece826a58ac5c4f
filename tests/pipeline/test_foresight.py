import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.engines.queue import QueuedAsr
from hub.events import Transcribed, TranscriptChanged
from hub.pipeline.segment import SegmentConfig
from hub.testing import Heard, ScriptedAsr, ScriptedRecognizer, ScriptedVad, microphone
from hub.testing.clock import VirtualLoop
from hub.values.intent import Match, Miss
from hub.values.session import Session
from tests.pipeline.rig import Rig, acting, parts_of

pytestmark = pytest.mark.virtual_time
OFF = SegmentConfig(early_end=False, speculate=False)


@dataclass(slots=True)
class Quick(ScriptedRecognizer):
    """Understands its sentences, and may be asked at a pause."""

    async def glance(self, text: str, session: Session) -> Match | Miss | None:
        """Return what the script says."""
        return await self.recognize(text, session)


def spoken(*parts: tuple[float, float], heard: Sequence[Heard | str]) -> tuple[Rig, ScriptedAsr]:
    """Return a house in which speech comes in these parts, and its recogniser."""
    asr = ScriptedAsr(heard)
    home = Quick({"lamp": acting(), "lamp in hall": acting(), "lamp to": acting()})
    vad = ScriptedVad.spoken(*parts, (0.0, 9.0))
    return Rig({"vad": vad, "asr": QueuedAsr("asr", asr), "home": home}), asr


async def heard(rig: Rig, segment: SegmentConfig | None = None):  # type: ignore[no-untyped-def]
    pipeline = rig.pipeline(segment=segment or SegmentConfig())
    return await rig.run(pipeline, audio=microphone((440, 20.0)), is_live=True)


async def test_a_complete_command_ends_at_a_short_pause_with_its_words_ready() -> None:
    rig, asr = spoken((0.9, 1.0), heard=["wrong", Heard(text="lamp", delay=0.05)])
    turn = await heard(rig)
    assert (turn.reason, turn.transcript) == ("acted", "lamp")
    assert turn.utterance is not None
    assert turn.utterance.ended_by == "early"
    parts = parts_of(turn)
    assert 300 <= parts.pop("end_of_turn") <= 400
    assert list(parts) == ["capture"]
    assert [(one.revision, one.text, one.extent, one.fate) for one in turn.glimpses] == [
        (1, "lamp", "complete", "used")
    ]
    assert turn.record()["glimpses"][0]["fate"] == "used"
    assert asr.open == 0


async def test_with_both_switched_off_the_full_silence_is_waited() -> None:
    rig, _ = spoken((0.9, 1.0), heard=["lamp"])
    turn = await heard(rig, OFF)
    assert turn.utterance is not None
    assert turn.utterance.ended_by == "silence"
    assert 700 <= parts_of(turn)["end_of_turn"] <= 800
    assert [one.fate for one in turn.glimpses] == ["off"]


async def test_words_that_ask_for_more_wait_longer() -> None:
    rig, _ = spoken((0.9, 1.0), (0.0, 1.0), (0.9, 0.5), heard=["", "lamp to", "lamp"])
    turn = await heard(rig)
    assert (turn.transcript, len(rig.calls)) == ("lamp", 1)
    assert [(one.extent, one.fate) for one in turn.glimpses] == [("open", "dropped"), ("complete", "used")]


async def test_speech_that_goes_on_drops_the_revision_and_its_request() -> None:
    first = Heard(text="lamp", delay=60.0)
    rig, asr = spoken((0.9, 1.0), (0.0, 0.4), (0.9, 0.5), heard=["", first, "lamp in hall"])
    turn = await heard(rig)
    assert turn.transcript == "lamp in hall"
    assert [(one.revision, one.text, one.fate) for one in turn.glimpses] == [
        (1, None, "dropped"),
        (2, "lamp in hall", "used"),
    ]
    told = [event for event in rig.seen if isinstance(event, TranscriptChanged)]
    assert [(event.revision, event.text) for event in told] == [(2, "lamp in hall")]
    assert len([event for event in rig.seen if isinstance(event, Transcribed)]) == 1
    assert (len(rig.calls), asr.open) == (1, 0)


async def test_a_recogniser_with_other_work_is_left_alone() -> None:
    rig, asr = spoken((0.9, 1.0), heard=["lamp"])
    queued = rig.engines_by_name["asr"]
    await queued.line.enter()
    asyncio.get_running_loop().call_later(1.5, queued.line.leave)
    turn = await heard(rig)
    assert turn.utterance is not None
    assert (turn.transcript, turn.utterance.ended_by) == ("lamp", "silence")
    assert [one.fate for one in turn.glimpses] == ["busy"]
    assert len(asr.hearings) == 1


async def test_a_failure_at_a_pause_costs_only_the_head_start() -> None:
    rig, _ = spoken((0.9, 1.0), heard=["lamp", Heard(error=RuntimeError("broken"))])
    turn = await heard(rig)
    assert (turn.reason, turn.transcript, turn.failures) == ("acted", "lamp", ())
    assert [one.fate for one in turn.glimpses] == ["failed"]


async def test_words_that_are_not_there_in_time_are_waited_for_not_asked_for_twice() -> None:
    rig, asr = spoken((0.9, 1.0), heard=["wrong", Heard(text="lamp", delay=1.0)])
    turn = await heard(rig)
    assert turn.utterance is not None
    assert (turn.transcript, turn.utterance.ended_by) == ("lamp", "silence")
    assert 400 <= parts_of(turn)["asr"] <= 550
    assert len(asr.hearings) == 2


async def test_only_so_many_pauses_are_looked_at() -> None:
    pauses = [(0.9, 0.5), (0.0, 0.4)] * 9
    rig, asr = spoken(*pauses, heard=["lamp"] + [Heard(text="no", delay=5.0)] * 9)
    turn = await heard(rig, SegmentConfig(revisions=3))
    assert (turn.transcript, len(turn.glimpses), len(asr.hearings)) == ("lamp", 3, 4)


@pytest.mark.parametrize(("ending", "wait"), [("eager", 500), ("normal", 700), ("patient", 1200)])
async def test_the_setting_says_how_long_silence_is(ending: str, wait: int) -> None:
    rig, _ = spoken((0.9, 1.0), heard=["", "who knows"])
    turn = await heard(rig, SegmentConfig(ending=ending))  # type: ignore[arg-type]
    assert wait <= parts_of(turn)["end_of_turn"] <= wait + 100


async def test_a_number_set_by_hand_holds_over_the_setting() -> None:
    rig, _ = spoken((0.9, 1.0), heard=["", "who knows"])
    turn = await heard(rig, SegmentConfig(ending="patient", silence=0.6))
    assert 550 <= parts_of(turn)["end_of_turn"] <= 700


_PART = st.tuples(st.sampled_from((0.0, 0.9, 0.4)), st.floats(0.05, 1.5))
_LINE = st.builds(
    Heard, text=st.sampled_from(("lamp", "lamp to", "lamp in hall", "no", "")), delay=st.floats(0.0, 1.0)
)


@settings(max_examples=60, deadline=None)
@given(parts=st.lists(_PART, min_size=1, max_size=10), lines=st.lists(_LINE, min_size=1, max_size=8))
def test_no_revision_but_the_last_one_ever_does_anything(
    parts: list[tuple[float, float]], lines: list[Heard]
) -> None:
    async def one_turn() -> None:
        rig, asr = spoken(*parts, heard=lines)
        turn = await heard(rig)
        understood = turn.transcript in ("lamp", "lamp in hall", "lamp to")
        assert len(rig.calls) == (1 if understood else 0)
        assert all(call.text == turn.transcript for call, _ in rig.calls)
        assert len([event for event in rig.seen if isinstance(event, Transcribed)]) <= 1
        assert sum(one.fate == "used" for one in turn.glimpses) <= 1
        assert all(one.fate != "begun" for one in turn.glimpses if turn.reason != "no_speech")
        parts_of(turn)
        assert asr.open == 0
        assert len(asyncio.all_tasks()) == 1

    loop = VirtualLoop()
    try:
        loop.run_until_complete(one_turn())
    finally:
        loop.close()
