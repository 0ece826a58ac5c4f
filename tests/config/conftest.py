"""A configuration folder that a test fills."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.reading import Files, Write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write files by name; returns the path of `earnest.yaml`."""

    def write(files: Files) -> Path:
        for name, content in files.items():
            path = tmp_path / "config" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / "config" / "earnest.yaml"

    return write
