import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.pipeline.timeline import OWNERS, Owner, Stopwatch


class Now:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_each_millisecond_has_its_owner() -> None:
    now = Now()
    watch = Stopwatch(now)
    for owner, seconds in (("capture", 1.5), ("asr", 0.25), ("hub", 0.001)):
        watch.switch(owner)  # type: ignore[arg-type]
        now.seconds += seconds
    record = watch.record()
    assert (record["capture"], record["asr"], record["hub"]) == (1500, 250, 1)
    assert record["total"] == 1751
    assert set(record) == {*OWNERS, "total"}


def test_a_block_gives_the_time_back_to_the_hub() -> None:
    now = Now()
    watch = Stopwatch(now)
    with watch.owning("intents"):
        now.seconds += 1
    assert watch.owner == "hub"


def test_what_took_the_time_over_inside_a_block_keeps_it() -> None:
    now = Now()
    watch = Stopwatch(now)
    with watch.owning("agent"):
        now.seconds += 1
        watch.switch("playback")
        now.seconds += 2
    now.seconds += 3
    assert (watch.record()["agent"], watch.record()["playback"]) == (1000, 5000)


def test_time_can_be_given_to_whom_it_belonged() -> None:
    now = Now()
    watch = Stopwatch(now)
    watch.switch("capture")
    now.seconds += 3
    watch.move("capture", "end_of_turn", 0.7)
    watch.move("capture", "asr", -5)
    watch.move("end_of_turn", "asr", 99)
    assert watch.record()["capture"] == 2300
    assert watch.record()["asr"] == 700
    assert watch.record()["total"] == 3000


owners = st.sampled_from(OWNERS)
deeds = st.one_of(
    st.tuples(st.just("switch"), owners, owners, st.floats(0, 10)),
    st.tuples(st.just("move"), owners, owners, st.floats(-1, 10)),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(deeds, max_size=40))
def test_the_parts_add_up_to_the_whole(steps: list[tuple[str, Owner, Owner, float]]) -> None:
    now = Now()
    watch = Stopwatch(now)
    for deed, one, other, seconds in steps:
        if deed == "switch":
            watch.switch(one)
            now.seconds += seconds
        else:
            watch.move(one, other, seconds)
    record = watch.record()
    total = record.pop("total")
    assert sum(round(part * 1000) for part in record.values()) == round(total * 1000)
    assert total == pytest.approx((now.seconds - 1000) * 1000, abs=0.001)
    assert all(part >= 0 for part in record.values())
