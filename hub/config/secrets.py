"""Secrets: values from the `secrets.yaml` beside a file or above it, never shown."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from hub.config.folder import SECRETS
from hub.config.node import HOLE, Mark, Node
from hub.config.text import Unreadable
from hub.config.words import joined, near, shown
from hub.errors import Problem


class Secrets:
    """Finds secrets for files of one configuration folder; each `secrets.yaml` is read once."""

    def __init__(self, folder: Path, read: Callable[[Path], Node | None]) -> None:
        self._folder = folder
        self._read = read
        self._files: dict[Path, Node | None] = {}
        self._absent: set[Path] = set()

    def find(self, name: str, beside: Path, mark: Mark) -> Node:
        """Return the secret, looking in `beside` first and then upwards; raises `Unreadable`."""
        looked: list[str] = []
        names: list[object] = []
        for folder in self._upwards(beside):
            path = folder / SECRETS
            if not self._is_there(path):
                continue
            node = self._files[path]
            if node is None or not isinstance(node.inner, dict):
                return Node(HOLE, mark)  # what is wrong with the file was reported
            if name in node.inner:
                return node.inner[name]
            names += node.inner
            looked.append(path.relative_to(self._folder).as_posix())
        where = f"it is not in {joined(looked)}" if looked else f"there is no {SECRETS}"
        message = f"the secret {shown(name)} is not defined: {where}{near(name, names)}"
        raise Unreadable(
            Problem(path="", message=message, file=mark.file, line=mark.line, column=mark.column)
        )

    def _upwards(self, folder: Path) -> list[Path]:
        return [step for step in (folder, *folder.parents) if step.is_relative_to(self._folder)]

    def _is_there(self, path: Path) -> bool:
        """Return whether the file exists; it is read when first asked for."""
        if path not in self._files and path not in self._absent:
            if os.path.lexists(path):
                self._files[path] = self._read(path)
            else:
                self._absent.add(path)
        return path in self._files


def hide(node: Node, texts: set[str]) -> Node:
    """Return the node with all that is in it marked as secret; every text in it is put into `texts`."""
    if isinstance(node.inner, dict):
        node.inner = {key: hide(item.at(item.mark), texts) for key, item in node.inner.items()}
    elif isinstance(node.inner, list):
        node.inner = [hide(item.at(item.mark), texts) for item in node.inner]
    elif node.data is not None and not isinstance(node.data, bool):
        texts.add(str(node.data))
    node.hidden = True
    return node
