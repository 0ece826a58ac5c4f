"""The recordings of `tests/cases/audio`, and of the shared folder where it is there."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

OURS = Path(__file__).parent / "cases" / "audio"
SHARED = Path(__file__).parents[2] / "shared" / "cases" / "audio"


@cache
def manifest() -> dict[str, dict[str, Any]]:
    """Return what is known of each of our recordings, by file name."""
    entries = yaml.safe_load((OURS / "manifest.yaml").read_text(encoding="utf-8"))
    return {entry["file"]: entry for entry in entries}


def files() -> list[Path]:
    """Return our recordings, then those of the shared folder that we have no copy of."""
    ours = sorted(path for path in OURS.rglob("*") if path.suffix in (".wav", ".flac"))
    names = {path.relative_to(OURS) for path in ours}
    shared = sorted(path for path in SHARED.rglob("*") if path.suffix in (".wav", ".flac"))
    return ours + [path for path in shared if path.relative_to(SHARED) not in names]


def title(path: Path) -> str:
    """Return the folder and name of a recording, for the name of a test."""
    return "/".join(path.parts[-2:])
