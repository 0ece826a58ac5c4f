"""`earnest hear FILE.wav`: run a whole turn on a recording."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hub.cli.connect import connected
from hub.cli.sound import Recording, out_argument
from hub.cli.turn import shown, turn_arguments, turn_query


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the recording, where the reply goes, and the options of a turn."""
    parser.add_argument("file", metavar="FILE", help="a WAV file, or - for standard input, live too")
    out_argument(parser)
    turn_arguments(parser)
    parser.add_argument(
        "--wake",
        type=_engine,
        metavar="ENGINE[:WORD,…]",
        help="wait for a wake word first, and hear what comes after it",
    )


def _engine(wanted: str) -> str:
    """Refuse a wake word without an engine: no turn may begin without the word that was asked for."""
    if not wanted.partition(":")[0].strip():
        raise argparse.ArgumentTypeError(f"'{wanted}' names no engine")
    return wanted


def run(options: argparse.Namespace) -> int:
    """Let the hub hear it; 0 acted or answered, 1 not understood, 2 no such recording, 3 engine."""
    sound = Recording(options.out)
    with opened(options.file) as recording, connected(options) as client:
        query = {**turn_query(options), "audio": 1 if options.out else None, "wake": options.wake}
        code = shown(client.hear(recording, query), options, sound)
    sound.save()
    return code


@contextmanager
def opened(name: str) -> Iterator[int]:
    """Give the descriptor of a recording; raises `OSError` with its name if it cannot be read."""
    if name == "-":
        yield sys.stdin.fileno()
        return
    descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise IsADirectoryError(21, "is a folder, not a recording", name)
        yield descriptor
    finally:
        os.close(descriptor)
