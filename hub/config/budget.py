"""How much one configuration may cost to read, all its files together."""

from __future__ import annotations

from dataclasses import dataclass

from hub.config.node import Mark
from hub.config.text import Unreadable
from hub.errors import Problem

MAX_VALUES = 300_000
"""Values in all files together, aliases written out; ten thousand commands are about 120,000."""
MAX_DEPTH = 100
"""Levels of lists and mappings inside each other, includes and aliases written out."""
MAX_FILES = 5_000
MAX_TOTAL_BYTES = 32 * 1024 * 1024
MAX_INCLUDES_DEEP = 30
"""Files that include each other in one chain."""
MAX_PROBLEMS = 200
"""Problems after which reading stops."""
MAX_FOLDERS = 5_000
"""Folders below one that is included."""


class TooMuch(Unreadable):
    """A limit of the whole configuration is passed; nothing more is read."""


@dataclass(slots=True)
class Budget:
    """What is left to spend."""

    values: int = MAX_VALUES
    files: int = MAX_FILES
    bytes: int = MAX_TOTAL_BYTES

    def spend_values(self, count: int, mark: Mark) -> None:
        """Count values; raises `TooMuch`."""
        self.values -= count
        if self.values < 0:
            raise too_much(f"more than {MAX_VALUES:,} values, with every alias written out", mark)

    def spend_file(self, mark: Mark) -> None:
        """Count a file; raises `TooMuch`."""
        self.files -= 1
        if self.files < 0:
            raise too_much(f"more than {MAX_FILES:,} files are included", mark)

    def spend_bytes(self, size: int, mark: Mark) -> None:
        """Count what was read; raises `TooMuch`."""
        self.bytes -= size
        if self.bytes < 0:
            raise too_much(f"more than {MAX_TOTAL_BYTES // 1024 // 1024} MiB of files are included", mark)


def check_depth(depth: int, mark: Mark) -> None:
    """Raise `TooMuch` when values are nested too deep."""
    if depth > MAX_DEPTH:
        raise too_much(f"lists and mappings are nested more than {MAX_DEPTH} levels deep", mark)


def too_much(message: str, mark: Mark) -> TooMuch:
    """Return the error with its place."""
    return TooMuch(Problem(path="", message=message, file=mark.file, line=mark.line, column=mark.column))
