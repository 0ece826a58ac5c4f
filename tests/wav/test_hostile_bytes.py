import asyncio
import tracemalloc
from contextlib import aclosing

from hypothesis import given, settings
from hypothesis import strategies as st

from hub.audio import SPEECH, AudioFormat
from hub.errors import AudioError
from hub.testing import tone
from hub.wav import header, speech

GOOD = header(AudioFormat(22_050, 2, 2), 4_000) + bytes(range(250)) * 16
LIMIT = settings(max_examples=100, deadline=None)


def read(data: bytes) -> int:
    async def run() -> int:
        size = 0
        async with aclosing(speech(data)) as chunks:
            async for chunk in chunks:
                assert chunk.format == SPEECH
                size += len(chunk.pcm)
        return size

    return asyncio.run(run())


def reads_or_refuses(data: bytes) -> None:
    try:
        size = read(data)
    except AudioError as error:
        assert len(str(error)) < 300  # noqa: PT017  both ways out are right
    else:
        # the lowest rate that is believed makes 16 samples of one, of two bytes each
        assert size <= len(data) * 32 + 64


@LIMIT
@given(st.binary(max_size=400))
def test_random_bytes_are_refused(data: bytes) -> None:
    reads_or_refuses(data)


@LIMIT
@given(st.binary(max_size=200))
def test_random_bytes_after_a_riff_start_are_audio_or_refused(data: bytes) -> None:
    reads_or_refuses(b"RIFF\0\0\0\0WAVE" + data)


@LIMIT
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 255)), min_size=1, max_size=6),
    st.integers(0, 4_044),
)
def test_a_mutated_header_gives_audio_or_is_refused(changes: list[tuple[int, int]], end: int) -> None:
    data = bytearray(GOOD)
    for place, value in changes:
        data[place] = value
    reads_or_refuses(bytes(data))
    reads_or_refuses(bytes(data[:end]))


def test_a_long_file_takes_little_memory() -> None:
    async def minutes() -> int:
        async def body() -> object:
            yield header(AudioFormat(48_000, 2, 2))
            for _ in range(60):
                yield bytes(192_000)

        size = 0
        async with aclosing(speech(body())) as chunks:  # type: ignore[arg-type]
            async for chunk in chunks:
                size += len(chunk.pcm)
        return size

    asyncio.run(minutes())
    tracemalloc.start()
    try:
        size = asyncio.run(minutes())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert abs(size - 32_000 * 60) <= 2
    assert peak < 2_000_000


def test_a_rate_that_does_not_divide_keeps_the_length() -> None:
    form = AudioFormat(12_345)
    pcm = tone(1.0, form)
    assert abs(read(header(form, len(pcm)) + pcm) // 2 - 16_000) <= 1
