"""How much memory is installed: what `auto` chooses by."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

_GIB = 1024**3


def installed(root: Path = Path("/")) -> float:
    """Return the memory of this machine in GiB, or of the container when that is less; never what is free.

    `root` is where `proc` and `sys` are mounted.
    """
    limits = [_machine(root), *_limits(root)]
    return min(limits) / _GIB


def _machine(root: Path) -> int:
    try:
        found = re.search(r"^MemTotal:\s+(\d+) kB", (root / "proc/meminfo").read_text(), re.M)
        if found:
            return int(found[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _limits(root: Path) -> Iterator[int]:
    """Yield the limits of the control groups that this process is in, from its own up to the root."""
    try:
        groups = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    mounted = root / "sys/fs/cgroup"
    for line in groups:
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if not controllers:
            yield from _upwards(mounted, path, "memory.max")
        elif "memory" in controllers.split(","):
            yield from _upwards(mounted / "memory", path, "memory.limit_in_bytes")


def _upwards(mounted: Path, path: str, name: str) -> Iterator[int]:
    parts = [part for part in path.split("/") if part not in ("", "..")]
    for depth in range(len(parts), -1, -1):
        try:
            text = mounted.joinpath(*parts[:depth], name).read_text().strip()
        except OSError:
            continue
        if text.isdecimal() and int(text) > 0:  # `max` is none
            yield int(text)
