"""Somebody who watches what happens."""

from __future__ import annotations

import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.cli.conftest import House

_LOOK = 0.2
"""Seconds between two looks whether something has come."""


@contextmanager
def watching(hub: House, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Run `earnest watch`, and switch a lamp until the first change is seen."""
    with hub.begun("watch", *words) as watch:
        assert watch.stdout
        while not select.select([watch.stdout], [], [], _LOOK)[0]:
            assert watch.poll() is None
            hub.run("call", "light.toggle", "--target", "kitchen lamp")
        yield watch
