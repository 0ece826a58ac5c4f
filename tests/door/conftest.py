"""A door to the small house of `dwelling.py`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from hub.bus import Bus
from hub.clock import Clock
from tests.door.dwelling import Builder, Door


@pytest.fixture
def builder(tmp_path: Path, bus: Bus, clock: Clock) -> Builder:
    """What opens doors."""
    return Builder(tmp_path, bus, clock)


@pytest_asyncio.fixture
async def door(builder: Builder) -> AsyncIterator[Door]:
    """A door without rules."""
    async with builder.door() as door:
        yield door
