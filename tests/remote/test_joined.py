"""Sound that lies ready is sent in few pieces, and nothing of it is lost or mixed."""

from collections.abc import AsyncIterator
from itertools import groupby

from hypothesis import given, settings
from hypothesis import strategies as st

from hub.audio import SPEECH, AudioChunk, AudioFormat
from hub.engines.replay import Replay
from hub.remote.sound import joined

FORMATS = (SPEECH, AudioFormat(rate=48_000, channels=2))
CHUNKS = st.lists(
    st.builds(lambda size, form: AudioChunk(bytes([size % 251]) * size * 4, form), st.integers(0, 12_000),
              st.sampled_from(FORMATS)),
    max_size=100,
)  # fmt: skip


async def each(chunks: list[AudioChunk]) -> AsyncIterator[AudioChunk]:
    """Give the chunks, all at once."""
    for chunk in chunks:
        yield chunk


def pcm(chunks: list[AudioChunk], form: AudioFormat) -> bytes:
    """Return the sound that has this format."""
    return b"".join(chunk.pcm for chunk in chunks if chunk.format == form)


def order(chunks: list[AudioChunk]) -> list[AudioFormat]:
    """Return the formats in their order, runs of equal ones as one."""
    return [form for form, _ in groupby(chunk.format for chunk in chunks)]


@settings(max_examples=60, deadline=None)
@given(CHUNKS)
async def test_joined_chunks_are_the_same_sound_in_the_same_order(chunks: list[AudioChunk]) -> None:
    async with Replay(each(chunks), joined) as replay:
        first = [chunk async for chunk in replay.play()]
        again = [chunk async for chunk in replay.play()]
    for form in FORMATS:
        assert pcm(first, form) == pcm(again, form) == pcm(chunks, form)
    assert order(first) == order(again) == order(chunks)


async def test_an_utterance_that_lies_ready_goes_in_pieces_of_a_second() -> None:
    chunks = [AudioChunk(bytes(1_000)) for _ in range(96)]
    async with Replay(each(chunks), joined) as replay:
        await replay.at(0)
        sizes = [len(chunk.pcm) async for chunk in replay.play()]
    assert sizes == [32_000, 32_000, 32_000]
