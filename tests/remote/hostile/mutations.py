"""Wyoming conversations gone wrong: a seed and a number always make the same one."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Event = tuple[str, dict[str, Any], bytes]
"""Type, data, payload."""
End = Literal["close", "abort", "wait"]
"""What the hostile side does when all is sent: closes, breaks off, or says no more."""

FORM: dict[str, Any] = {"rate": 16_000, "width": 2, "channels": 1, "timestamp": None}
NUMBERS: tuple[Any, ...] = (
    -1,
    0,
    1,
    7,
    2**16,
    2**31,
    2**63,
    10**30,
    -(10**9),
    0.5,
    1e308,
    True,
    None,
    "5",
    [],
    {},
)
JUNK: tuple[Any, ...] = (
    None,
    0,
    -1,
    2**70,
    1.5,
    True,
    "",
    "x" * 3000,
    "\ud800",
    "\0",
    [],
    [[]],
    {},
    {"a": {"b": 1}},
    [1, "a"],
)
RAW = (
    b"GET / HTTP/1.1\r\nHost: hub\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
    b"\n\n\n\n",
    b"\0" * 500,
    b"null\n[]\n7\n",
    b"{}\n",
    b'{"type": "\xff\xfe"}\n',
    b"[" * 100_000 + b"\n",
    b'{"a":' * 5_000 + b"\n",
    b'{"type": "x", "data": ' + b"[" * 30_000 + b"]" * 30_000 + b"}\n",
    b'{"type": "' + b"x" * 70_000 + b'"}\n',
    b'{"type": "ping"' + b" " * 66_000 + b"}\n",
    b'{"type": "x", "data_length": 4}\nNaN,',
    b'{"type": "x", "data_length": 3}\nNaN',
    b'{"type": "x", "type": 7, "data": {"a": 1}, "data": null}\n',
    b'{"type": "audio-chunk", "data": {"rate": NaN, "width": Infinity, "channels": -Infinity}}\n',
    b'{"type": "x", "data_length": 1e3}\n' + bytes(1000),
    b'{"type": "x", "payload_length": 16777216}\n' + bytes(5000),
    b'{"type": "x", "payload_length": 16777217}\n',
    b'{"type": "x", "data_length": 4194304}\n{"a":',
    b'{"type": "x", "data_length": 70000}\n' + b"[" * 70_000,
    b'\xef\xbb\xbf{"type": "ping"}\n',
    '{"type": "ping"}\n'.encode("utf-16"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """What one side of a connection sends, in these pieces, and how it ends."""

    pieces: tuple[bytes, ...]
    end: End


def frame(event: Event) -> bytes:
    """Return the event as it is sent."""
    kind, data, payload = event
    body = json.dumps(data).encode() if data else b""
    header: dict[str, Any] = {"type": kind, "version": "1.10.2"}
    header |= {"data_length": len(body)} if body else {}
    header |= {"payload_length": len(payload)} if payload else {}
    return json.dumps(header).encode() + b"\n" + body + payload


def case(seed: int, number: int, conversations: Sequence[Sequence[Event]]) -> Case:
    """Return one of the cases."""
    rng = random.Random(f"{seed} {number}")
    events = list(rng.choice(conversations))
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        rng.choice(_OF_EVENTS)(rng, events)
    sent = b"".join(_sent(rng, event) for event in events)
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        sent = rng.choice(_OF_BYTES)(rng, sent)
    end: End = rng.choice(("close", "close", "abort", "wait"))
    return Case(_cut(rng, sent), end)


def _sent(rng: random.Random, event: Event) -> bytes:
    """Return the frame, sometimes with a header that lies."""
    if rng.random() > 0.12:
        return frame(event)
    kind, data, payload = event
    body = json.dumps(data).encode()
    lies = (rng.choice(NUMBERS), len(body) + rng.randint(-3, 3), len(payload) + rng.randint(-3, 3))
    header: dict[str, Any] = {
        "type": rng.choice((kind, kind, kind, *JUNK)),
        "data": rng.choice((data, {}, *JUNK)),
        "data_length": rng.choice((len(body), *lies)),
        "payload_length": rng.choice((len(payload), *lies)),
        rng.choice(("version", "id", "x" * 100)): rng.choice(JUNK),
    }
    return json.dumps(header).encode() + b"\n" + body + payload


def _replace(rng: random.Random, events: list[Event]) -> None:
    """Put junk in the place of a value."""
    place = rng.randrange(len(events))
    kind, data, payload = events[place]
    key = rng.choice((*data, "text", "name", "unknown"))
    events[place] = (kind, {**data, key: rng.choice((*JUNK, *NUMBERS))}, payload)


def _drop(rng: random.Random, events: list[Event]) -> None:
    if len(events) > 1:
        del events[rng.randrange(len(events))]


def _repeat(rng: random.Random, events: list[Event]) -> None:
    place = rng.randrange(len(events))
    events[place:place] = [events[place]] * rng.choice((1, 2, 50))


def _shuffle(rng: random.Random, events: list[Event]) -> None:
    rng.shuffle(events)


def _strange(rng: random.Random, events: list[Event]) -> None:
    kind = rng.choice(
        ("weather", "", "describe", "info", "ping", "pong", "error", "audio-stop", "\0", "x" * 999)
    )
    events.insert(rng.randrange(len(events) + 1), (kind, {"text": rng.choice(JUNK)}, b""))


def _payload(rng: random.Random, events: list[Event]) -> None:
    """Change how much sound there is, also to what ends inside a sample."""
    place = rng.randrange(len(events))
    kind, data, _ = events[place]
    events[place] = (kind, data, bytes(rng.choice((0, 1, 3, 641, 5_000, 200_000))))


def _form(rng: random.Random, events: list[Event]) -> None:
    place = rng.randrange(len(events))
    kind, data, payload = events[place]
    wrong = {rng.choice(("rate", "width", "channels")): rng.choice((*NUMBERS, 8_000, 48_000, 3, 2))}
    events[place] = (kind, {**data, **wrong}, payload)


_OF_EVENTS: tuple[Callable[[random.Random, list[Event]], None], ...] = (
    _replace, _replace, _replace, _drop, _repeat, _shuffle, _strange, _payload, _form,
)  # fmt: skip


def _truncated(rng: random.Random, sent: bytes) -> bytes:
    return sent[: rng.randrange(len(sent) + 1)]


def _flipped(rng: random.Random, sent: bytes) -> bytes:
    changed = bytearray(sent)
    for _ in range(rng.choice((1, 2, 20))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _cut_out(rng: random.Random, sent: bytes) -> bytes:
    start = rng.randrange(len(sent) + 1)
    return sent[:start] + sent[start + rng.choice((1, 5, 100)) :]


def _inserted(rng: random.Random, sent: bytes) -> bytes:
    start = rng.randrange(len(sent) + 1)
    return sent[:start] + rng.choice((rng.randbytes(rng.choice((1, 30, 3_000))), *RAW)) + sent[start:]


def _before(rng: random.Random, sent: bytes) -> bytes:
    return rng.choice(RAW) + sent


def _only(rng: random.Random, sent: bytes) -> bytes:
    return rng.choice((b"", rng.randbytes(200), *RAW))


_OF_BYTES: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    _truncated, _flipped, _cut_out, _inserted, _before, _only,
)  # fmt: skip


def _cut(rng: random.Random, sent: bytes) -> tuple[bytes, ...]:
    """Cut what is sent into pieces, sometimes into single bytes."""
    if rng.random() < 0.03:
        return tuple(sent[place : place + 1] for place in range(min(len(sent), 300)))
    if rng.random() < 0.2 and sent:
        place = rng.randrange(len(sent))
        return (sent[:place], sent[place:])
    return (sent,)
