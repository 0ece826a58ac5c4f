"""A recogniser in another process, whatever that process does."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub.audio import SPEECH, AudioChunk
from hub.errors import EngineError, EngineTimeout, EngineUnavailable
from hub.remote.limits import RemoteLimits
from hub.remote.peer import Peer
from hub.remote.sound import chunk_of
from hub.remote.stages import RemoteAsr
from hub.values.speech import Hearing, Transcript
from tests.remote.scripted import QUICK, Client, Script, asr, chunks, serving, until

ENGLISH = Hearing(language="en")


async def _hear(
    peer: Peer, hearing: Hearing = ENGLISH, audio: AsyncIterator[AudioChunk] | None = None
) -> list[Transcript]:
    async with RemoteAsr(peer).transcribe(audio or chunks(), hearing) as transcripts:
        return [transcript async for transcript in transcripts]


async def _asked(
    folder: Path, script: Script, limits: RemoteLimits = QUICK, streams: bool = False
) -> list[Transcript]:
    """Ask a server that follows the script once."""
    async with serving(folder, script, **asr(streams)) as server, Peer(server.uri, limits) as peer:
        return await _hear(peer)


async def _plain(client: Client) -> None:
    """Answer one utterance and close, as wyoming-faster-whisper does."""
    await client.until("audio-stop")
    await client.say("transcript", text=" Turn on the lights. ", model="tiny")


async def test_the_utterance_the_language_and_the_house_s_words_arrive_and_the_words_come_back(
    tmp_path: Path,
) -> None:
    hearing = Hearing(language="en-US", phrases=("Kitchen lamp", "Turn on the kitchen lamp"))
    async with serving(tmp_path, _plain, **asr(False, "de", "en")) as server, Peer(server.uri) as peer:
        heard = await _hear(peer, hearing)
    assert heard == [Transcript(text="Turn on the lights.")]
    (client,) = server.busy
    assert [event.type for event in client.got[:2]] == ["transcribe", "audio-start"]
    assert client.data("transcribe") == [{"language": "en", "transcript_terms": list(hearing.phrases)}]
    sent = [chunk_of(event, "") for event in client.got if event.type == "audio-chunk"]
    assert b"".join(chunk.pcm for chunk in sent) == bytes(6400)
    assert {chunk.format for chunk in sent} == {SPEECH}


async def test_each_request_has_a_connection_of_its_own_and_a_spare_one_waits(tmp_path: Path) -> None:
    async with serving(tmp_path, _plain, **asr()) as server, Peer(server.uri) as peer:
        for number in range(1, 4):
            assert (await _hear(peer))[0].text
            await until(lambda: len(server.clients) > number)  # noqa: B023  it is awaited here
        assert [len(client.data("audio-stop")) for client in server.busy] == [1, 1, 1]
        assert len(server.clients) == 4


async def test_a_streaming_server_gives_the_words_as_they_grow(tmp_path: Path) -> None:
    async def live(client: Client) -> None:
        await client.until("audio-start")
        await client.say("transcript-start", language="en")
        await client.say("transcript-chunk", text="Turn ")
        await client.until("audio-stop")
        await client.say("transcript-chunk", text="on.")
        await client.say("news-of-tomorrow")
        await client.say("transcript", text="Turn on.", language="en", confidence=0.9, no_speech=0.1)
        await client.say("transcript-stop")

    assert await _asked(tmp_path, live, streams=True) == [
        Transcript(text="Turn ", final=False),
        Transcript(text="Turn on.", final=False),
        Transcript(text="Turn on.", language="en", confidence=0.9, no_speech=0.1),
    ]


async def test_what_is_no_probability_is_not_taken_for_one(tmp_path: Path) -> None:
    async def boastful(client: Client) -> None:
        await client.until("audio-stop")
        await client.say("transcript", text="x", language=7, confidence=17, no_speech=True)

    assert await _asked(tmp_path, boastful) == [Transcript(text="x")]


async def test_an_error_of_the_server_is_an_error_of_the_engine_in_its_own_words(tmp_path: Path) -> None:
    async def failing(client: Client) -> None:
        await client.until("audio-stop")
        await client.say("error", text="CUDA out of memory", code="oom")

    with pytest.raises(EngineError, match=r"^CUDA out of memory$") as caught:
        await _asked(tmp_path, failing)
    assert type(caught.value) is EngineError


async def test_the_words_of_an_error_are_one_line_that_moves_no_cursor(tmp_path: Path) -> None:
    async def rude(client: Client) -> None:
        await client.until("audio-stop")
        await client.say("error", text="\x1b[31mno\r\nmodel\x07")

    with pytest.raises(EngineError) as caught:
        await _asked(tmp_path, rude)
    assert str(caught.value) == "[31mno model"


async def test_an_error_said_before_the_audio_was_over_is_heard_all_the_same(tmp_path: Path) -> None:
    said = asyncio.Event()

    async def early(client: Client) -> None:
        await client.until("audio-chunk")
        await client.say("error", text="the model is not there")
        said.set()

    async def spoken() -> AsyncIterator[AudioChunk]:
        yield AudioChunk(bytes(640))
        await said.wait()
        async for chunk in chunks(5):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            yield chunk

    async with serving(tmp_path, early, **asr()) as server, Peer(server.uri, QUICK) as peer:
        with pytest.raises(EngineError, match="the model is not there"):
            await _hear(peer, audio=spoken())


async def _gone(client: Client) -> None:
    await client.until("audio-stop")


async def _rubbish(client: Client) -> None:
    await client.until("audio-stop")
    client.raw(b"<html>502 Bad Gateway</html>\n")


async def _half(client: Client) -> None:
    await client.until("audio-stop")
    client.raw(b'{"type": "transc')
    await client.until("never")


async def _silent(client: Client) -> None:
    await client.until("never")


async def _chatty(client: Client) -> None:
    await client.until("audio-stop")
    while True:
        await client.say("transcript-chunk", text=".")
        await asyncio.sleep(0)


async def _stalling(client: Client) -> None:
    await client.until("audio-stop")
    await client.say("transcript-chunk", text="Turn")
    await client.until("never")


async def _wordless(client: Client) -> None:
    await client.until("audio-stop")
    await client.say("transcript", text=None)


@pytest.mark.parametrize(
    ("script", "kind", "complaint"),
    [
        (_gone, EngineUnavailable, "closed the connection before it had answered"),
        (_rubbish, EngineError, "sock does not speak Wyoming: b'<html>502"),
        (_half, EngineError, "stopped in the middle of an event"),
        (_silent, EngineTimeout, "gave no answer within 0.2 s"),
        (_stalling, EngineTimeout, "gave no more of its answer within 0.2 s"),
        (_wordless, EngineError, "sent transcript without text"),
    ],
)
async def test_whatever_goes_wrong_is_told_apart(
    tmp_path: Path, script: Script, kind: type[EngineError], complaint: str
) -> None:
    with pytest.raises(kind, match=complaint) as caught:
        await _asked(tmp_path, script)
    assert type(caught.value) is kind


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rubbish=st.binary(max_size=200) | st.text('{}[]":type,transcript0\n', max_size=80).map(str.encode))
def test_any_bytes_at_all_are_an_answer_or_a_clear_error(tmp_path: Path, rubbish: bytes) -> None:
    async def strange(client: Client) -> None:
        await client.until("audio-stop")
        client.raw(rubbish)

    try:
        heard = asyncio.run(asyncio.wait_for(_asked(tmp_path, strange), 20))
    except EngineError as error:
        assert str(error)  # noqa: PT017  either outcome is right
    else:
        assert heard[-1].final


async def test_a_server_that_never_comes_to_an_end_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"sent more than|did not finish its answer within 0\.5 s"):
        await _asked(tmp_path, _chatty)


async def test_nobody_there_is_unavailable_and_offering_nothing_too(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="cannot reach"):
        await _hear(Peer(f"unix://{tmp_path}/none.sock"))
    async with serving(tmp_path, _plain, tts=[]) as server, Peer(server.uri) as peer:
        with pytest.raises(EngineUnavailable, match="offers no speech recognition"):
            await _hear(peer)


async def test_a_satellite_that_breaks_off_is_not_the_server_s_fault(tmp_path: Path) -> None:
    said: list[str | None] = []
    async with (
        serving(tmp_path, _plain, **asr()) as server,
        Peer(server.uri, QUICK, said.append) as peer,
    ):
        with pytest.raises(ConnectionError, match="the satellite left"):
            await _hear(peer, audio=chunks(0.1, ConnectionError("the satellite left")))
    assert said == [None]


async def test_a_turn_that_is_given_up_closes_the_connection(tmp_path: Path) -> None:
    async with serving(tmp_path, _silent, **asr()) as server, Peer(server.uri) as peer:
        asking = asyncio.create_task(_hear(peer))
        await until(lambda: server.busy and server.busy[0].data("audio-stop"))
        asking.cancel()
        await asyncio.wait((asking,))
        await asyncio.wait_for(server.left.wait(), 2)


async def test_a_server_that_comes_back_as_another_is_asked_what_it_offers(tmp_path: Path) -> None:
    said: list[str | None] = []
    async with serving(tmp_path, _gone, **asr()) as server, Peer(server.uri, QUICK, said.append) as peer:
        with pytest.raises(EngineUnavailable):
            await _hear(peer)
        server.info, server.script = {"asr": []}, _plain
        with pytest.raises(EngineUnavailable, match="offers no speech"):
            await _hear(peer)
        server.info = asr()
        peer.forget()
        assert (await _hear(peer))[0].text == "Turn on the lights."
    assert said[:3] == [None, f"{server.uri} closed the connection before it had answered", None]


async def test_a_spare_connection_that_the_server_has_closed_is_not_used(tmp_path: Path) -> None:
    async def impatient(client: Client) -> None:
        if len(server.clients) == 2:
            return  # hangs up on the spare one
        await _plain(client)

    async with serving(tmp_path, impatient, **asr()) as server, Peer(server.uri) as peer:
        await _hear(peer)
        await until(lambda: len(server.clients) == 2)
        for _ in range(20):
            await asyncio.sleep(0)
        assert (await _hear(peer))[0].text == "Turn on the lights."


async def test_a_lost_server_is_looked_for_and_found(tmp_path: Path) -> None:
    back = asyncio.Event()

    def report(reason: str | None) -> None:
        if reason is None:
            back.set()

    async with serving(tmp_path, _gone, **asr()) as server, Peer(server.uri, QUICK, report) as peer:
        with pytest.raises(EngineUnavailable):
            await _hear(peer)
        back.clear()
        watching = asyncio.create_task(peer.watch(0.02))
        await asyncio.wait_for(back.wait(), 5)
        watching.cancel()
        await asyncio.wait((watching,))
