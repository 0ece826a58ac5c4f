"""The whole configuration: what `earnest.yaml` may hold, read and checked in one go."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from hub.config.root.loaded import Loaded
from hub.config.root.reading import RootReading
from hub.config.root.sections import Limits, Root
from hub.config.source import read
from hub.errors import ConfigError, Problem

__all__ = ["FILE", "Limits", "Loaded", "Root", "check", "load_root"]

FILE = "earnest.yaml"
"""Where a configuration begins, in its folder."""


def load_root(config_dir: Path, environ: Mapping[str, str] = os.environ) -> Loaded:
    """Return the configuration of a folder; raises `ConfigError` with everything that is wrong.

    An integration that cannot be loaded here (a library is missing, its code is broken) is not
    wrong in this sense: it is in `broken`, and opening it fails with the reason.
    """
    reading = _read(config_dir, environ)
    if reading.problems:
        raise ConfigError(_in_order(reading.problems))
    return reading.loaded()


def check(config_dir: Path, environ: Mapping[str, str] = os.environ) -> list[Problem]:
    """Return everything that is wrong with a configuration, with what cannot be loaded here."""
    reading = _read(config_dir, environ)
    return _in_order([*reading.problems, *reading.broken])


def _read(config_dir: Path, environ: Mapping[str, str]) -> RootReading:
    return RootReading(read(config_dir / FILE, environ), config_dir)


def _in_order(problems: list[Problem]) -> list[Problem]:
    """Sort by place, the main file first; each only once."""
    unique = dict.fromkeys(problems)
    return sorted(unique, key=lambda one: (one.file != FILE, one.file or "", one.line or 0, one.column or 0))
