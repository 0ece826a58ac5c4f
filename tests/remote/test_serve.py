"""A worker as a server for anybody, seen by the reference client."""

import asyncio
import threading
from array import array
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wyoming.client import AsyncClient
from wyoming.event import Event

from hub.audio import AudioFormat
from hub.errors import EngineError
from hub.remote.engine import Engine, Voice
from hub.remote.offer import Model, Offer, Program
from hub.remote.serve import Order, Workplace
from hub.remote.wire import dial
from hub.values.speech import Hearing, Transcript
from tests.remote import plain
from tests.remote.scripted import until

FORM = AudioFormat(rate=8_000)
VOICE = Program(
    name="hum",
    version="2",
    streams=True,
    models=(Model(name="joe", languages=("en_US",), speakers=("a", "b"), author="Joe", url="http://joe"),),
)


class Parrot:
    """An engine that says how much it heard, and hums two samples for a letter."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.go_on = threading.Event()
        self.go_on.set()

    def hear(self, pcm: bytes, hearing: Hearing) -> Iterator[Transcript]:
        self.begun.append(f"{len(pcm)}")
        self.go_on.wait(10)
        loudest = max(map(abs, array("h", pcm)))
        yield Transcript(text=f"{len(pcm)} bytes", final=False)
        yield Transcript(
            text=f"{len(pcm)} bytes up to {loudest} {' '.join(hearing.phrases)}".strip(),
            language=hearing.language,
            confidence=0.5,
        )

    def speak(self, text: str, voice: Voice) -> Iterator[bytes]:
        self.begun.append(text)
        self.go_on.wait(10)
        if voice.name == "amy" or "fail" in text:
            raise EngineError("I know only Joe")
        for sentence in text.split("|"):
            yield b"\1\0" * 2 * len(sentence)


@asynccontextmanager
async def _open(folder: Path, engine: Engine, **order: float) -> AsyncIterator[str]:
    uri = f"unix://{folder}/w.sock"
    async with Workplace(Order(listen=(uri,), **order), engine):  # type: ignore[arg-type]
        yield uri


def _asr(parrot: Parrot, streams: bool = False, concurrency: int = 1) -> Engine:
    program = Program(name="ears", version="1", streams=streams, models=(Model(name="m", languages=("en",)),))
    return Engine(offer=Offer(asr=(program,)), hear=parrot.hear, concurrency=concurrency)


def _tts(parrot: Parrot, pause: float = 0.0) -> Engine:
    return Engine(offer=Offer(tts=(VOICE,)), speak=parrot.speak, format=FORM, pause=pause)


async def test_it_says_what_it_is(tmp_path: Path) -> None:
    async with _open(tmp_path, _tts(Parrot())) as uri:
        (program,) = (await plain.info(uri)).tts
    (voice,) = program.voices
    assert (program.name, program.version, program.installed) == ("hum", "2", True)
    assert program.supports_synthesize_streaming
    assert (voice.name, voice.languages, voice.attribution.name) == ("joe", ["en_US"], "Joe")
    assert [speaker.name for speaker in voice.speakers or ()] == ["a", "b"]


async def test_it_hears_several_utterances_on_one_connection(tmp_path: Path) -> None:
    async with _open(tmp_path, _asr(Parrot())) as uri, AsyncClient.from_uri(uri) as client:
        for size in (3200, 6400):
            (answer,) = await plain.heard(client, b"\0\1" * (size // 2), terms=["Govee"])
            assert answer.type == "transcript"
            assert answer.data == {
                "text": f"{size} bytes up to 256 Govee",
                "language": "en",
                "confidence": 0.5,
            }


async def test_a_streaming_recogniser_gives_its_words_as_they_grow(tmp_path: Path) -> None:
    async with _open(tmp_path, _asr(Parrot(), streams=True)) as uri, AsyncClient.from_uri(uri) as client:
        events = await plain.heard(client, bytes(3200))
        last = await client.read_event()
    assert [event.type for event in events] == [
        "transcript-start",
        "transcript-chunk",
        "transcript-chunk",
        "transcript",
    ]
    parts = "".join(event.data["text"] for event in events if event.type == "transcript-chunk")
    assert parts == events[-1].data["text"] == "3200 bytes up to 0"
    assert last == Event("transcript-stop")


@pytest.mark.parametrize(
    ("rate", "width", "channels"),
    [(16_000, 1, 1), (8_000, 2, 1), (44_100, 2, 2), (48_000, 3, 1), (22_050, 4, 6)],
)
async def test_audio_of_any_form_becomes_what_the_engine_takes(
    tmp_path: Path, rate: int, width: int, channels: int
) -> None:
    half = {1: b"\xc0", 2: b"\x00\x40", 3: b"\x00\x00\x40", 4: b"\x00\x00\x00\x40"}[width]
    async with _open(tmp_path, _asr(Parrot())) as uri, AsyncClient.from_uri(uri) as client:
        (answer,) = await plain.heard(
            client, half * channels * rate, rate=rate, width=width, channels=channels
        )
    size, _, _, _, loudest = answer.data["text"].split()
    assert abs(int(size) - 32_000) <= 64
    assert 16_000 < int(loudest) < 20_000  # half of full scale, and the filter's ringing at the edges


async def test_no_audio_is_no_words_and_no_work(tmp_path: Path) -> None:
    parrot = Parrot()
    async with _open(tmp_path, _asr(parrot)) as uri, AsyncClient.from_uri(uri) as client:
        (answer,) = await plain.heard(client, b"")
    assert (answer.type, answer.data["text"], parrot.begun) == ("transcript", "", [])


async def test_audio_that_is_too_long_is_refused_once_and_the_next_is_heard(tmp_path: Path) -> None:
    async with _open(tmp_path, _asr(Parrot()), audio_seconds=1) as uri, AsyncClient.from_uri(uri) as client:
        (answer,) = await plain.heard(client, bytes(96_000))
        assert (answer.type, answer.data["text"]) == ("error", "the audio is longer than 1 s")
        (answer,) = await plain.heard(client, bytes(32_000))
        assert answer.type == "transcript"


async def test_it_answers_pings_and_others_while_it_works_and_works_one_by_one(tmp_path: Path) -> None:
    parrot = Parrot()
    parrot.go_on.clear()
    async with (
        _open(tmp_path, _asr(parrot)) as uri,
        AsyncClient.from_uri(uri) as first,
        AsyncClient.from_uri(uri) as second,
    ):
        one = asyncio.create_task(plain.heard(first, bytes(3200)))
        await until(lambda: parrot.begun)
        two = asyncio.create_task(plain.heard(second, bytes(6400)))
        assert (await plain.info(uri)).asr
        async with AsyncClient.from_uri(uri) as third:
            await third.write_event(Event("ping", {"text": "you there?"}))
            assert await third.read_event() == Event("pong", {"text": "you there?"})
        assert parrot.begun == ["3200"]
        parrot.go_on.set()
        assert "3200 bytes" in (await one)[0].data["text"]
        assert "6400 bytes" in (await two)[0].data["text"]


async def test_an_engine_may_work_on_several_at_once(tmp_path: Path) -> None:
    parrot = Parrot()
    parrot.go_on.clear()
    async with (
        _open(tmp_path, _asr(parrot, concurrency=2)) as uri,
        AsyncClient.from_uri(uri) as first,
        AsyncClient.from_uri(uri) as second,
    ):
        both = asyncio.gather(*(plain.heard(client, bytes(3200)) for client in (first, second)))
        await until(lambda: len(parrot.begun) == 2)
        parrot.go_on.set()
        assert len(await both) == 2


async def test_the_wish_of_a_client_who_left_in_line_is_never_worked_on(tmp_path: Path) -> None:
    parrot = Parrot()
    parrot.go_on.clear()
    async with _open(tmp_path, _asr(parrot)) as uri, AsyncClient.from_uri(uri) as stays:
        one = asyncio.create_task(plain.heard(stays, bytes(3200)))
        await until(lambda: parrot.begun)
        async with AsyncClient.from_uri(uri) as leaves:
            await plain.send_audio(leaves, bytes(6400))
            await leaves.write_event(Event("ping"))
            await leaves.read_event()
        await plain.info(uri)
        parrot.go_on.set()
        assert (await one)[0].type == "transcript"
        (answer,) = await plain.heard(stays, bytes(9600))
        assert answer.type == "transcript"
    assert parrot.begun == ["3200", "9600"]


async def test_it_speaks_a_text_whole_sentence_by_sentence(tmp_path: Path) -> None:
    async with _open(tmp_path, _tts(Parrot(), pause=1)) as uri, AsyncClient.from_uri(uri) as client:
        events = await plain.spoken(client, "abc|de", voice="joe")
    assert [event.type for event in events] == [
        "audio-start",
        "audio-chunk",
        *["audio-chunk"] * 2,
        "audio-stop",
    ]
    assert plain.pcm(events) == b"\1\0" * 6 + bytes(16_000) + b"\1\0" * 4


async def test_it_speaks_a_text_as_it_is_written(tmp_path: Path) -> None:
    parrot = Parrot()
    pieces = ["It is 21", ".5 degrees. D", "r. Who is", " here!\n", "\nBye"]
    async with _open(tmp_path, _tts(parrot)) as uri, AsyncClient.from_uri(uri) as client:
        for _ in range(2):
            events = await plain.spoken_in_pieces(client, pieces)
            assert [e.type for e in events if e.type != "audio-chunk"] == [
                *["audio-start", "audio-stop"] * 3,
                "synthesize-stopped",
            ]
        whole = await plain.spoken(client, "Still there")
    assert plain.pcm(whole)
    assert parrot.begun == ["It is 21.5 degrees.", "Dr. Who is here!", "Bye"] * 2 + ["Still there"]


async def test_an_engine_s_error_is_told_and_the_next_wish_is_fulfilled(tmp_path: Path) -> None:
    async with _open(tmp_path, _tts(Parrot())) as uri, AsyncClient.from_uri(uri) as client:
        (error,) = await plain.spoken(client, "Hello", voice="amy")
        assert (error.type, error.data) == ("error", {"text": "I know only Joe", "code": "engine-failed"})
        assert plain.pcm(await plain.spoken(client, "Hello"))


async def test_one_client_too_many_is_told_so(tmp_path: Path) -> None:
    async with _open(tmp_path, _tts(Parrot()), clients=1) as uri, AsyncClient.from_uri(uri) as first:
        assert plain.pcm(await plain.spoken(first, "Hello"))
        async with AsyncClient.from_uri(uri) as second:
            told = await second.read_event()
            assert told
            assert told.data["code"] == "engine-busy"
            assert await second.read_event() is None


async def test_rubbish_is_answered_with_an_error_and_closed(tmp_path: Path) -> None:
    async with _open(tmp_path, _tts(Parrot())) as uri:
        reader, writer = await asyncio.open_unix_connection(uri.removeprefix("unix://"))
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        answer = await reader.read()
        writer.close()
        assert b"does not speak Wyoming" in answer
        assert (await plain.info(uri)).tts


FIELDS = st.dictionaries(
    st.sampled_from(["text", "voice", "language", "rate", "width", "channels", "transcript_terms", "name"]),
    st.none() | st.integers(-2, 50_000) | st.text(max_size=5) | st.lists(st.integers(), max_size=2),
    max_size=5,
)
KINDS = "transcribe audio-start audio-chunk audio-stop synthesize synthesize-start synthesize-chunk"
ANYTHING = st.builds(
    Event,
    st.sampled_from([*KINDS.split(), "synthesize-stop", "describe", "ping", "detect", "transcript"]),
    FIELDS,
    st.binary(max_size=64),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=st.lists(ANYTHING, max_size=12))
def test_whatever_a_client_sends_the_next_one_is_served(tmp_path: Path, events: list[Event]) -> None:
    async def visit() -> None:
        parrot = Parrot()
        engine = Engine(
            offer=Offer(asr=_asr(parrot).offer.asr, tts=(VOICE,)),
            hear=parrot.hear,
            speak=parrot.speak,
            format=FORM,
        )
        async with _open(tmp_path, engine) as uri:
            strange = await dial(uri, 2)
            for event in events:
                await strange.write(event)
            strange.close()
            async with AsyncClient.from_uri(uri) as client:
                (answer,) = await plain.heard(client, bytes(320))
                assert answer.type == "transcript"

    asyncio.run(asyncio.wait_for(visit(), 20))
