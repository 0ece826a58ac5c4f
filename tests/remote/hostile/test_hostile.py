"""Ten thousand conversations gone wrong, half against our client stages and half against our server.

Whatever comes: a clear error, no hang, no traceback, bounded memory, and the next honest request works.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.remote import plain
from tests.remote.hostile.mutations import FORM, Case, Event, case
from tests.remote.scripted import until

CASES = 5_000
SEED = 20_261_201
AT_ONCE = 24
MOST_GROWN = 64 * 2**20
"""Bytes that a process may be larger after all cases than after a quarter of them."""
PARROT = Path(__file__).parents[1] / "parrot.py"
PCM = b"\1\0" * 320
SPEECH: list[Event] = [
    ("transcribe", {"language": "en", "transcript_terms": ["lamp"]}, b""),
    ("audio-start", FORM, b""),
    ("audio-chunk", FORM, PCM),
    ("audio-chunk", FORM, PCM),
    ("audio-stop", {}, b""),
]
CONVERSATIONS: tuple[list[Event], ...] = (
    [("describe", {}, b""), *SPEECH, *SPEECH],
    [("ping", {"text": "x"}, b""), *SPEECH],
    [("synthesize", {"text": "Hello.", "voice": {"name": "parrot", "speaker": "1"}}, b"")] * 2,
    [
        ("synthesize-start", {"voice": {"language": "en"}}, b""),
        ("synthesize-chunk", {"text": "Hello. "}, b""),
        ("synthesize-chunk", {"text": "World."}, b""),
        ("synthesize", {"text": "Hello. World."}, b""),
        ("synthesize-stop", {}, b""),
    ],
    [("detect", {"names": ["one"]}, b""), *SPEECH[1:]],
    [("recognize", {"text": "hello", "context": {}}, b""), ("transcript", {"text": "hello"}, b"")],
)


@pytest.mark.timeout(120)
async def test_our_stages_before_a_hostile_server(tmp_path: Path) -> None:
    command = (sys.executable, "-W", "error", "-m", "tests.remote.hostile.victim")
    victim = await asyncio.create_subprocess_exec(
        *command, f"{tmp_path}/v.sock", str(SEED), str(CASES),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await victim.communicate()
    assert (victim.returncode, err.decode()) == (0, "")
    report = json.loads(out)
    assert report["faults"] == []
    assert report["tasks"] == 0, "a task was left behind"
    assert report["grown"] < MOST_GROWN
    ends = report["ends"]
    assert sum(ends.values()) >= CASES
    assert ends.keys() == {
        "answered", "engine-failed", "engine-timeout", "engine-unavailable", "engine-declined",
    }  # fmt: skip


@pytest.mark.timeout(120)
async def test_our_server_before_hostile_clients(tmp_path: Path) -> None:
    async with _serving(tmp_path) as (path, process):
        before = 0
        for start in range(0, CASES, AT_ONCE):
            visits = (_visit(path, case(SEED, start + place, CONVERSATIONS)) for place in range(AT_ONCE))
            await asyncio.gather(*visits)
            if start // AT_ONCE % 20 == 0:
                await _honest(path)
            if not before and start >= CASES // 4:
                before = process.memory_info().rss
        await _honest(path)
        assert process.memory_info().rss - before < MOST_GROWN
        assert process.num_fds() < 40, "connections were left open"


@asynccontextmanager
async def _serving(folder: Path) -> AsyncIterator[tuple[Path, psutil.Process]]:
    """Run a worker; at its end it must have said nothing but what it says at its start."""
    path = folder / "w.sock"
    options = json.dumps({"trouble": str(folder / "trouble")})
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", str(PARROT), "--listen", f"unix://{path}", "--options", options,
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        await until(path.is_socket)
        yield path, psutil.Process(worker.pid)
        assert worker.returncode is None
    finally:
        with suppress(ProcessLookupError):
            worker.terminate()
        _, err = await worker.communicate()
    assert err.decode() == "not a word of Wyoming\n"


async def _visit(path: Path, hostile: Case) -> None:
    """Send the case and leave as it says; one that says no more waits for the server to close or answer."""
    reader, writer = await asyncio.open_unix_connection(path)
    with suppress(OSError):
        for piece in hostile.pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
        if hostile.end == "abort":
            writer.transport.abort()
        elif hostile.end == "wait":
            writer.write_eof()
            async with asyncio.timeout(20):
                while await reader.read(65536):
                    pass
    writer.close()


async def _honest(path: Path) -> None:
    async with asyncio.timeout(20):
        while True:
            async with plain.AsyncClient.from_uri(f"unix://{path}") as client:
                (heard,) = await plain.heard(client, PCM)
                if heard.data.get("code") != "engine-busy":
                    break
    assert heard.type == "transcript"
    async with plain.AsyncClient.from_uri(f"unix://{path}") as client:
        assert await _spoken(client)


async def _spoken(client: Any) -> bytes:
    return plain.pcm(await plain.spoken(client, "Hello."))
