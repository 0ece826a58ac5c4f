"""What a supervisor runs."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hub.private import SILENT

_KEPT = ("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES")
"""What a child may know of the hub's environment; tokens and passwords are not among it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """What to run, and how to know that it is well."""

    name: str
    command: Sequence[str]
    greeting: bytes = b""
    """Written to its standard input, which then stays open for as long as the hub lives."""
    is_ready: Callable[[], Awaitable[bool]]
    """Asked again and again after its start."""
    is_alive: Callable[[], Awaitable[object]]
    """Asked every `check` seconds; raises, or takes longer than `sign`, when it is not."""
    environment: Mapping[str, str]
    record: Path | None = None
    """Where it is noted while it runs, so that the next hub finds what this one could not end."""


def safe_environment(**more: str) -> dict[str, str]:
    """Return what a child needs of our environment, without what is secret, and `more`."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith("LC_")}
    home = str(Path(__file__).parent.parent.parent)
    if home != sysconfig.get_paths()["purelib"]:
        kept["PYTHONPATH"] = home
    return {**kept, **SILENT, "PYTHONUNBUFFERED": "1", **more}
