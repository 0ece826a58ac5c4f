"""Sound from another process tells which sentence it belongs to, so that another voice can go on."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from hub.audio import AudioFormat
from hub.engines.limits import EngineLimits
from hub.engines.queue import QueuedTts
from hub.errors import EngineError
from hub.remote.engine import Engine, Voice
from hub.remote.offer import Model, Offer, Program
from hub.remote.peer import Peer
from hub.remote.serve import Order, Workplace
from hub.remote.stages import RemoteTts
from hub.testing import RecordingSpeaker, ScriptedTts
from tests.pipeline.rig import Rig, telling
from tests.remote.scripted import Client, each, serving, tts

SENTENCES = ("The light is on.", "  ", "Dr. Lee called. Twice!", "Anything else?")
VOICE = Program(name="hum", version="1", streams=True, models=(Model(name="joe", languages=("en",)),))


def _speak(text: str, voice: Voice) -> Iterator[bytes]:
    """Hum a sentence; die in the middle of one that says so."""
    yield b"\1\0" * 5_000
    if "die" in text:
        raise EngineError("out of breath")
    yield b"\1\0" * 100


@pytest.fixture
async def ours(tmp_path: Path) -> AsyncIterator[Peer]:
    uri = f"unix://{tmp_path}/w.sock"
    engine = Engine(offer=Offer(tts=(VOICE,)), speak=_speak, format=AudioFormat(rate=8_000))
    async with Workplace(Order(listen=(uri,)), engine):
        async with Peer(uri) as peer:
            yield peer
        for _ in range(20):  # a connection that is accepted while the server closes is lost by asyncio
            await asyncio.sleep(0)


async def _numbers(peer: Peer) -> list[int | None]:
    """Return the numbers in the order in which they came, runs of equal ones as one."""
    numbers: list[int | None] = []
    async with RemoteTts(peer).synthesize(each(SENTENCES)) as sound:
        async for chunk in sound:
            if not numbers or numbers[-1] != chunk.sentence:
                numbers.append(chunk.sentence)
    return numbers


async def test_a_worker_tells_the_sentence_of_its_sound(ours: Peer) -> None:
    assert await _numbers(ours) == [0, 2, 3]


async def test_a_server_that_gets_one_sentence_at_a_time_needs_not_tell(tmp_path: Path) -> None:
    async def plain(client: Client) -> None:
        await client.until("synthesize")
        await client.sound(bytes(10), bytes(10))

    async with serving(tmp_path, plain, **tts()) as server, Peer(server.uri) as peer:
        assert await _numbers(peer) == [0, 2, 3]


@pytest.mark.parametrize("number", [None, "1", -1, 99, True, [0], 10**30])
async def test_a_server_that_tells_nothing_or_rubbish_is_not_believed(tmp_path: Path, number: object) -> None:
    async def streaming(client: Client) -> None:
        await client.until("synthesize-stop")
        await client.say("audio-start", rate=8_000, width=2, channels=1)
        client.raw(b'{"type": "audio-chunk", "payload_length": 4, "data": ')
        data = {"rate": 8_000, "width": 2, "channels": 1, "sentence": number}
        client.raw(_json(data) + b"}\n" + bytes(4))
        await client.say("synthesize-stopped")

    async with serving(tmp_path, streaming, **tts(streams=True)) as server, Peer(server.uri) as peer:
        assert await _numbers(peer) == [None]


def _json(data: dict[str, object]) -> bytes:

    return json.dumps(data).encode()


async def test_another_voice_goes_on_where_a_worker_broke_off(ours: Peer) -> None:
    other, speaker = ScriptedTts(), RecordingSpeaker(is_paced=False)
    engines = {"worker": QueuedTts("worker", RemoteTts(ours), EngineLimits()), "other": other}
    rig = Rig(engines, {"tell": telling("I am well. I die here. Who goes on? Not me.")})
    turn = await rig.run(rig.pipeline(tts=("worker", "other")), text="tell", speaker=speaker)
    assert other.sentences == ["Who goes on?", "Not me."]
    assert (turn.engines["tts"], turn.failures[0].message) == ("other", "out of breath")
    assert {chunk.format.rate for chunk in speaker.chunks} == {8_000}
