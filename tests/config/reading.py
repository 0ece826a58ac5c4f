"""What the tests of the configuration share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hub.config.source import load
from hub.errors import ConfigError

Files = Mapping[str, str | bytes]
Write = Callable[[Files], Path]


def problems(file: Path, environ: Mapping[str, str] | None = None) -> list[str]:
    """Return the problems of a configuration that cannot be used, as people see them."""
    with pytest.raises(ConfigError) as raised:
        load(file, environ or {})
    return str(raised.value).splitlines()
