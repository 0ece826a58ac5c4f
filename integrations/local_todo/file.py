"""A list's file: read once, written whole and at once; a crash leaves the old list or the new one."""

from __future__ import annotations

import json
import logging
import os
from datetime import datetime
from pathlib import Path

from .items import Items, read


def load(path: Path, log: logging.Logger) -> Items:
    """Return the list; a file that cannot be understood is moved aside. Raises `OSError`."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return ()
    try:
        return read(json.loads(text))
    except (ValueError, RecursionError) as error:
        aside = path.with_name(f"{path.name}.damaged-{datetime.now():%Y%m%d-%H%M%S-%f}")
        path.rename(aside)
        log.error("%s is damaged (%s); it lies in %s now, and the list is empty", path, error, aside)
        return ()


def save(path: Path, items: Items) -> None:
    """Return when the list is safe on the disk. Raises `OSError` and leaves the old one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    content = json.dumps([item.plain() for item in items], ensure_ascii=False, indent=1)
    with open(fresh, "wb") as file:
        file.write(content.encode("utf-8", "backslashreplace"))
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
