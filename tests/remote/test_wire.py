"""Frames: ours are read by others and theirs by us, and rubbish never crashes or hangs."""

import asyncio
import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wyoming.event import read_event, write_event

from hub.errors import WireError
from hub.remote.limits import WireLimits
from hub.remote.wire import Connection, Event, PeerGone, dial, text_of

LIMITS = WireLimits(header=1024, data=4096, payload=8192, half_event=0.1, send=0.2)
KEYS = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
EVENTS = st.builds(
    Event, st.text(min_size=1, max_size=20), st.dictionaries(KEYS, JSON, max_size=4), st.binary(max_size=200)
)


class _Sent:
    """Stands for the writing half of a connection that nobody reads."""

    def __init__(self) -> None:
        self.bytes = b""

    def write(self, data: bytes) -> None:
        self.bytes += data

    async def drain(self) -> None:
        pass


async def _read(raw: bytes, limits: WireLimits = LIMITS, end: bool = True) -> list[Event]:
    """Return every event in the bytes."""
    reader = asyncio.StreamReader(limit=limits.header)
    reader.feed_data(raw)
    if end:
        reader.feed_eof()
    writer: Any = _Sent()
    connection = Connection(reader, writer, "the server", limits)
    found = []
    while event := await connection.read():
        found.append(event)
    return found


async def _written(events: list[Event]) -> bytes:
    reader = asyncio.StreamReader()
    writer: Any = _Sent()
    for event in events:
        await Connection(reader, writer, "the server").write(event)
    sent: bytes = writer.bytes
    return sent


@settings(max_examples=100, deadline=None)
@given(st.lists(EVENTS, max_size=4))
def test_what_the_reference_writes_we_read(events: list[Event]) -> None:
    theirs = io.BytesIO()
    for event in events:
        write_event(event, theirs)
    read = asyncio.run(_read(theirs.getvalue()))
    assert [(e.type, e.data, e.payload or b"") for e in read] == [
        (e.type, e.data, e.payload or b"") for e in events
    ]


@settings(max_examples=100, deadline=None)
@given(EVENTS)
def test_what_we_write_the_reference_reads(event: Event) -> None:
    read = read_event(io.BytesIO(asyncio.run(_written([event]))))
    assert read
    assert (read.type, read.data, read.payload or b"") == (event.type, event.data, event.payload or b"")


FRAMES = st.one_of(
    st.binary(max_size=300),
    st.dictionaries(st.sampled_from(["type", "data", "data_length", "payload_length", "x"]), JSON).map(
        lambda header: json.dumps(header).encode() + b"\n"
    ),
    EVENTS.map(lambda event: asyncio.run(_written([event]))),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(FRAMES, max_size=4).map(b"".join))
def test_any_bytes_at_all_are_events_or_a_clear_error(raw: bytes) -> None:
    try:
        events = asyncio.run(_read(raw))
    except WireError as error:
        assert "the server" in str(error)  # noqa: PT017  either outcome is right
    else:
        assert all(isinstance(event.type, str) and isinstance(event.data, dict) for event in events)


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (b"GET / HTTP/1.1\r\n", "does not speak Wyoming: b'GET / HTTP"),
        (b"\x16\x03\x01\x02\n", "no JSON"),
        (b"\xff\xfe\n", "no JSON"),
        (b"\n", "no JSON"),
        (b'["describe"]\n', "no object"),
        (b'{"type": 7}\n', "without a type"),
        (b'{"data": {}}\n', "without a type"),
        (b'{"type": "x", "data_length": -1}\n', "data_length that is no length"),
        (b'{"type": "x", "data_length": true}\n', "data_length that is no length"),
        (b'{"type": "x", "payload_length": "9"}\n', "payload_length that is no length"),
        (b'{"type": "x", "data_length": 4097}\n', "data_length of 4097; 4096 are allowed"),
        (b'{"type": "x", "payload_length": 999999999999}\n', "payload_length of 999999999999"),
        (b'{"type": "x", "data_length": 2}\n[]', "no object"),
        (b'{"type": "' + b"x" * 2000 + b'"}\n', "header of more than 1024 bytes"),
        (b"[" * 900 + b"\n", "no JSON"),
        (b'{"type": "x", "data_length": 4000}\n' + b"[" * 4000, "no JSON"),
    ],
)
async def test_rubbish_is_named_with_who_sent_it(raw: bytes, complaint: str) -> None:
    with pytest.raises(WireError, match="the server") as caught:
        await _read(raw)
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    "half",
    [b"{", b'{"type": "x"', b'{"type": "x", "data_length": 9}\n{"a', b'{"type":"x","payload_length":2}\n1'],
)
async def test_half_an_event_ends_in_time_and_by_its_end(half: bytes) -> None:
    with pytest.raises(WireError, match="stopped in the middle"):
        await _read(half, end=False)
    with pytest.raises(PeerGone, match="closed the connection in the middle"):
        await _read(half)


async def test_data_in_both_places_is_merged_and_unknown_keys_are_skipped() -> None:
    data = b'{"b": 2, "c": 3}'
    header = {"type": "new-thing", "data": {"a": 1, "b": 1}, "data_length": len(data), "trace": "00-1"}
    read = await _read(json.dumps(header).encode() + b"\n" + data)
    assert [(e.type, e.data) for e in read] == [("new-thing", {"a": 1, "b": 2, "c": 3})]


async def test_a_description_of_a_thousand_voices_is_read() -> None:
    event = Event("info", {"tts": [{"name": "v" * 200, "languages": ["en"]}] * 1000})
    assert await _read(await _written([event]), WireLimits()) == [event]


async def test_a_text_that_no_encoding_can_carry_is_mended() -> None:
    (event,) = await _read(b'{"type": "transcript", "data": {"text": "a\\ud800b"}}\n')
    assert text_of(event, "the server").encode() == b"a?b"
    with pytest.raises(WireError, match="the server sent transcript without text"):
        text_of(Event("transcript", {"text": None}), "the server")


async def test_a_peer_that_takes_nothing_is_gone_after_a_while() -> None:
    async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await left.wait()
        writer.close()

    left = asyncio.Event()
    async with await asyncio.start_server(deaf, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        connection = await dial(f"tcp://127.0.0.1:{port}", 2, LIMITS)
        flood = Event("audio-chunk", {}, bytes(8 * 2**20))
        with pytest.raises(PeerGone, match="takes nothing any more"):
            await connection.write(flood)
        connection.close()
        left.set()


@pytest.mark.parametrize(
    ("uri", "complaint"),
    [
        ("tcp://127.0.0.1:1", "cannot reach tcp://127.0.0.1:1: Connect"),
        ("unix:///nowhere/at/all", "No such file"),
    ],
)
async def test_nobody_there_is_said_with_the_reason(uri: str, complaint: str) -> None:
    with pytest.raises(PeerGone, match=complaint):
        await dial(uri, 5)


@pytest.mark.parametrize("uri", ["", "http://a:80", "tcp://host", "tcp://host:99999", "unix://", "a:b:c"])
async def test_what_is_no_address_says_how_one_is_written(uri: str) -> None:
    with pytest.raises(WireError, match="write tcp://host:port or unix:///path"):
        await dial(uri, 1)
