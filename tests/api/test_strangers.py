"""What comes over the control socket and is no request."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest

from tests.api.conftest import Api


async def sent(api: Api, data: bytes) -> tuple[str, dict[str, Any]]:
    """Send bytes; return the status line and the JSON of the answer."""
    reader, writer = await asyncio.open_unix_connection(str(api.path))
    try:
        writer.write(data)
        await writer.drain()
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.close()
        await writer.wait_closed()
    return head.split(b"\r\n")[0].decode(), json.loads(body)


@pytest.mark.parametrize(
    "data",
    [
        b"\0\0\0\r\n\r\n",
        b"hello\r\n\r\n",
        b"GET /api/ HTTP/9.9\r\n\r\n",
        b"GET /api/ HTTP/1.1\r\nHost: a\r\nContent-Length: minus one\r\n\r\n",
        b"GET /" + 100_000 * b"a" + b" HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
async def test_what_is_no_http_is_answered_in_json_and_leaves_no_trace_in_the_log(
    api: Api, data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    status, body = await sent(api, data)
    assert status.split()[1] == "400"
    assert body["code"] == "bad-request"
    assert body["message"].startswith("this is no HTTP request: ")
    assert not [record for record in caplog.records if record.levelno > logging.INFO]
    assert (await api.get("/api/"))[0] == 200
