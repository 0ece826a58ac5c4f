"""A whole hub with its API: what `run` keeps open and what a single call borrows."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from hub.api.control import place
from hub.api.server import serve
from hub.app import App, running
from hub.cli.folders import Folders


class Served(NamedTuple):
    """A hub and where it answers."""

    hub: App
    socket: Path


@asynccontextmanager
async def serving(where: Folders, socket: Path | None = None) -> AsyncIterator[Served]:
    """Run the hub of these folders and serve it while the block is open."""
    async with running(where.config, data_dir=where.data) as hub:
        config = hub.config.api
        path = socket or where.socket or place(where.data, os.environ, config.socket)
        async with serve(hub, config, path):
            yield Served(hub, path)
