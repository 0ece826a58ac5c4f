"""Whatever happens to a download, and however often: the file is the publisher's, or nothing looks whole."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import tempfile
from pathlib import Path
from typing import get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub.errors import ModelError
from tests.models.bringing import bring, looks_whole
from tests.models.publisher import Kind, Mishap, Publisher, published, publisher

ODD = bytes(range(251)) * 9000
"""No piece of it is like another at the same place of a block."""
FILES = {"a.json": b"{}", "model.bin": ODD}

places = st.integers(0, len(ODD) - 1) | st.sampled_from([0, 1, 1 << 20, (1 << 20) + 1, 1 << 21])
kinds = st.sampled_from([kind for kind in get_args(Kind) if kind not in ("status", "moved", "elsewhere")])
mishaps = st.builds(Mishap, kinds, places) | st.builds(
    Mishap, st.just("status"), st.sampled_from([403, 404, 416, 429, 500, 503]), st.just("0")
)


async def _try(folder: Path, happens: list[Mishap], is_known: bool, is_marked: bool, stopped_at: int) -> None:
    """Try until the publisher behaves; after each try nothing may look whole that is not."""
    model = published("big", FILES, known=is_known)
    server = publisher("big", FILES, *happens)
    server.is_marked = is_marked
    async with server.serving():
        for _ in range(len(happens) + 2):
            bringing = asyncio.create_task(bring(folder, model, server, retries=1, stall=0.05))
            server.on_request = functools.partial(_stop, bringing, server, stopped_at)
            with contextlib.suppress(ModelError, asyncio.CancelledError):
                await bringing
            served = {name: server.files[f"/big/{name}"] for name in FILES}
            place = folder / "ears" / "big"
            if looks_whole(folder, model):
                here = {name: (place / name).read_bytes() for name in FILES}
                assert here == (FILES if is_known else served)
                return
        assert is_known
        assert served != FILES, "what a publisher that behaves has is brought"


def _stop(task: asyncio.Task[Path], server: Publisher, at: int) -> None:
    """Cancel the download at the publisher's n-th request."""
    if len(server.seen) == at:
        asyncio.get_running_loop().call_soon(task.cancel)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(mishaps, max_size=5), st.booleans(), st.booleans(), st.integers(0, 6))
def test_it_is_the_publishers_file_or_nothing_looks_whole(
    happens: list[Mishap], is_known: bool, is_marked: bool, stopped_at: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_try(Path(folder), happens, is_known, is_marked, stopped_at))
