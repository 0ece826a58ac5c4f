"""Reads a configuration: YAML 1.2 with Home Assistant's `!include` family, `!secret` and `!env_var`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from hub.config.document import Document, unmarked
from hub.config.node import HOLE, Hole, Mark, Node
from hub.config.reading import Reading
from hub.errors import ConfigError, Problem

__all__ = ["HOLE", "Document", "Hole", "Mark", "load", "read", "unmarked"]


def load(file: Path, environ: Mapping[str, str] = os.environ) -> Document:
    """Return the configuration that begins in `file`; raises `ConfigError` with all problems."""
    document = read(file, environ)
    if document.problems:
        raise ConfigError(document.problems)
    return document


def read(file: Path, environ: Mapping[str, str] = os.environ) -> Document:
    """Return what can be read, with `problems`; what cannot is a `Hole` among the values."""
    path = Path(os.path.abspath(file))
    reading = Reading(path.parent, environ)
    root = reading.main(path)
    if root.data is None:
        reading.report(Problem(path="", message="the file is empty", file=root.mark.file))
    elif root.data is not HOLE and not isinstance(root.data, dict):
        what = "a list" if isinstance(root.data, list) else "one value"
        message = f"expected lines of 'key: value', got {what}"
        reading.report(Problem(path="", message=message, file=root.mark.file, line=root.mark.line, column=1))
    if not isinstance(root.data, dict):
        root = Node(HOLE, root.mark)
    return Document(root, reading.problems, reading.secrets)
