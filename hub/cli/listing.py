"""Lists for people: which entries, and in columns."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

from hub.cli import exits
from hub.printable import printable

_WIDEST = 40
"""Characters a column takes at most, but for the last."""


def pattern_argument(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Declare which entries of a list are wanted."""
    text = "part of the name, or a pattern with * and ?"
    parser.add_argument("pattern", nargs="?", default="", help=f"{text}; {more}" if more else text)


def picked(entries: Sequence[dict[str, Any]], pattern: str, *keys: str) -> list[dict[str, Any]]:
    """Return the entries of which one of these keys fits the pattern, whatever the case."""
    wanted = pattern.lower()
    if not any(sign in wanted for sign in "*?["):
        wanted = f"*{wanted}*"
    return [
        entry for entry in entries if any(fnmatchcase(str(entry.get(key)).lower(), wanted) for key in keys)
    ]


def none_such(what: str, pattern: str) -> int:
    """Say that no entry fits; returns the exit code for that."""
    fits = f" fits '{pattern}'" if pattern else " is there"
    print(f"earnest: no {what}{fits}", file=sys.stderr, flush=True)
    return exits.NOT_UNDERSTOOD


def table(rows: Sequence[Sequence[object]]) -> None:
    """Print the rows in columns; on a terminal a line is cut where it ends."""
    if not rows:
        return
    cells = [[printable(str(cell)) if cell is not None else "" for cell in row] for row in rows]
    widths = [min(max(map(len, column)), _WIDEST) for column in zip(*cells, strict=True)]
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for row in cells:
        line = "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        print(line[:room])
