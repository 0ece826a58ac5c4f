"""A configuration as plain values, beside it the place of every key and value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hub.config.node import Mark, Node, mapping, sequence
from hub.config.words import Path, dotted
from hub.errors import Problem

_LEAST_SECRET = 4
_MASK = "<secret>"


class Document:
    """Values and marks of one configuration, all its includes in their places."""

    def __init__(self, root: Node, problems: Iterable[Problem] = (), secrets: Iterable[str] = ()) -> None:
        self._root = root
        self._secrets = sorted((s for s in secrets if len(s) >= _LEAST_SECRET), key=len, reverse=True)
        self.problems = tuple(problems)
        """What could not be read; holes stand in the values there."""

    @property
    def data(self) -> Any:
        """Plain dicts, lists, text, numbers, booleans and None; not to be changed."""
        return self._root.data

    def value(self, path: Path, default: Any = None) -> Any:
        """Return the value at `path`, or `default` where nothing stands."""
        node: Node | None = self._root
        for part in path:
            node = node.child(part) if node else None
        return node.data if node else default

    def mark(self, path: Path = (), key: bool = False) -> Mark:
        """Return where the value (or its key) stands; for what is not there, what would hold it."""
        nodes = self._walk(path)
        found = len(nodes) - 1
        if (key or found < len(path)) and found:
            holder, part = nodes[found - 1], path[found - 1]
            if holder.keys and part in holder.keys:
                return holder.keys[part]
        return nodes[-1].mark

    def hidden(self, path: Path) -> bool:
        """Return whether the value comes from `!secret` or `!env_var`."""
        return any(node.hidden for node in self._walk(path))

    def problem(self, path: Path, message: str, key: bool = False) -> Problem:
        """Return what is wrong at `path` with its place; no secret's value stays in the message."""
        mark = self.mark(path, key)
        return Problem(
            path=dotted(path),
            message=self._masked(path, message),
            file=mark.file or None,
            line=mark.line or None,
            column=mark.column or None,
        )

    def _masked(self, path: Path, message: str) -> str:
        for secret in self._secrets:
            message = message.replace(secret, _MASK)
        node = self._walk(path)[-1]
        if self.hidden(path) and isinstance(node.data, (str, int, float)) and str(node.data):
            message = message.replace(str(node.data), _MASK)
        return message

    def _walk(self, path: Path) -> list[Node]:
        """Return the nodes from the root along `path`, as far as they exist.

        What stands in place of a list is its own first item.
        """
        nodes = [self._root]
        for part in path:
            node = nodes[-1]
            child = node.child(part)
            if child is None and (part != 0 or isinstance(node.inner, list)):
                break
            nodes.append(child or node)
        return nodes


def unmarked(data: Any) -> Document:
    """Return plain values as a document that knows no places, for what does not come from a file."""
    return Document(_bare(data))


def _bare(data: Any) -> Node:
    nowhere = Mark("", 0, 0)
    if isinstance(data, dict):
        return mapping({key: _bare(item) for key, item in data.items()}, {}, nowhere)
    if isinstance(data, (list, tuple)):
        return sequence([_bare(item) for item in data], nowhere)
    return Node(data, nowhere)
