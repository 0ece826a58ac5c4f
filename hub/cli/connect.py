"""Finding the hub for a verb: the one that runs, or one that is started for this call."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from hub.cli.client import Client
from hub.cli.folders import Folders, folders, running_socket
from hub.cli.init import furnished
from hub.lock import DataInUse

_STARTING_SECONDS = 30.0
"""How long a hub that holds the data folder may take until it answers."""
_LOOK_AGAIN = 0.1


@contextmanager
def connected(options: argparse.Namespace) -> Iterator[Client]:
    """Give a client of the running hub; where none runs, start one for as long as the block is open."""
    where = folders(options)
    with ExitStack() as stack:
        yield Client(running_socket(where) or _started(furnished(where), stack))


def _started(where: Folders, stack: ExitStack) -> Path:
    from hub.cli.inside import inside

    print("earnest: no hub runs; starting one for this call", file=sys.stderr, flush=True)
    patience = time.monotonic() + _STARTING_SECONDS
    while True:
        try:
            return stack.enter_context(inside(where))
        except DataInUse:
            found = running_socket(where)
            if found:
                return found
            if time.monotonic() > patience:
                raise
            time.sleep(_LOOK_AGAIN)
