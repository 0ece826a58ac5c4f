"""The API of a small hub on a control socket, and a client for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from hub.api.config import ApiConfig
from hub.api.server import serve
from tests.api.small_hub import Lamps, SmallHub, small_hub


@dataclass(slots=True)
class Api:
    """A served hub and a session that talks to it."""

    hub: SmallHub
    lamps: Lamps
    path: Path
    session: aiohttp.ClientSession

    async def get(self, path: str) -> tuple[int, Any]:
        """Return status and JSON of a GET."""
        async with self.session.get(f"http://earnest{path}") as response:
            return response.status, await response.json()

    async def post(self, path: str, value: Any = None, **more: Any) -> tuple[int, Any]:
        """Return status and JSON of a POST."""
        async with self.session.post(f"http://earnest{path}", json=value, **more) as response:
            return response.status, await response.json()

    async def send(self, path: str, body: Any, **headers: str) -> tuple[int, Any]:
        """Return status and JSON of a POST with any body."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.session.post(f"http://earnest{path}", data=body, headers=sent) as response:
            return response.status, await response.json()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path, as sockets need it."""
    with TemporaryDirectory(prefix="e-") as name:
        yield Path(name)


@asynccontextmanager
async def served(folder: Path, **options: Any) -> AsyncIterator[Api]:
    """Serve a small hub; `options` are the API's, and `owner` and `rules`."""
    lamps = Lamps()
    owner, rules = options.pop("owner", None), options.pop("rules", ())
    config = replace(ApiConfig(), **options)
    path = folder / "earnest.sock"
    async with (
        small_hub(folder, lamps, rules) as hub,
        serve(hub, config, path, owner),
        aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(path))) as session,
    ):
        yield Api(hub, lamps, path, session)


@pytest_asyncio.fixture
async def api(folder: Path) -> AsyncIterator[Api]:
    """A served hub with the usual limits."""
    async with served(folder) as api:
        yield api
