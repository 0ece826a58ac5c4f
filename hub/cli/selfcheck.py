"""The recording that a hub hears right after its start, to show that it can."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from hub.cli import exits
from hub.cli.client import Client
from hub.cli.hear import opened
from hub.cli.main import complain
from hub.cli.sound import Recording
from hub.cli.turn import shown
from hub.errors import EarnestError
from hub.starter import RECORDING, shipped


def readable(name: str) -> Path:
    """Return the path of the recording, or of the shipped one if it has no name; raises `OSError`."""
    path = os.path.abspath(name) if name else str(shipped("config") / RECORDING)
    with opened(path):
        return Path(path)


def self_check(socket: Path, recording: Path) -> None:
    """Let the hub at `socket` hear the recording and show the turn; what fails is said, no more."""
    print(f"It hears {recording.name}:", flush=True)
    sound = Recording(None)
    try:
        with opened(str(recording)) as file:
            lines = Client(socket).hear(file, {"audio": 1})
            code = shown(lines, argparse.Namespace(json=False), sound)
    except (EarnestError, OSError) as error:
        complain(f"the self-check failed: {error}")
        return
    if code == exits.DONE:
        print(f"It spoke its answer: {sound.seconds:.1f} s of sound.", flush=True)
