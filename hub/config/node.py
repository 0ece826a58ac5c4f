"""A value of a YAML file together with the place where it stands."""

from __future__ import annotations

from typing import Any, NamedTuple


class Mark(NamedTuple):
    """Where something stands; line and column are counted from 1."""

    file: str
    """Relative to the configuration folder, as its owner would name it."""
    line: int
    column: int


class Hole:
    """Stands where an include or a secret could not be read; what it is was reported already."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<unreadable>"


HOLE = Hole()


class Node:
    """One value, its mark, and the nodes inside it."""

    __slots__ = ("data", "height", "hidden", "inner", "keys", "mark", "size")

    def __init__(
        self,
        data: Any,
        mark: Mark,
        *,
        inner: dict[Any, Node] | list[Node] | None = None,
        keys: dict[Any, Mark] | None = None,
        size: int = 1,
        height: int = 0,
        hidden: bool = False,
    ) -> None:
        self.data = data
        self.mark = mark
        self.inner = inner
        self.keys = keys
        """Where each key of a mapping stands."""
        self.size = size
        """Values in it, itself included, as if every alias were written out."""
        self.height = height
        """Levels of nesting below it."""
        self.hidden = hidden
        """Whether the value came from `!secret` or `!env_var` and must not be shown."""

    def at(self, mark: Mark) -> Node:
        """Return the same value as it stands somewhere else: for aliases and includes."""
        return Node(
            self.data,
            mark,
            inner=self.inner,
            keys=self.keys,
            size=self.size,
            height=self.height,
            hidden=self.hidden,
        )

    def child(self, part: str | int) -> Node | None:
        """Return the node under a key or index, or None."""
        if isinstance(self.inner, dict):
            return self.inner.get(part)
        if isinstance(self.inner, list) and isinstance(part, int) and 0 <= part < len(self.inner):
            return self.inner[part]
        return None


def sequence(items: list[Node], mark: Mark) -> Node:
    """Return a list made of `items`."""
    return Node(
        [item.data for item in items],
        mark,
        inner=items,
        size=1 + sum(item.size for item in items),
        height=1 + max((item.height for item in items), default=0),
    )


def mapping(items: dict[Any, Node], keys: dict[Any, Mark], mark: Mark) -> Node:
    """Return a mapping made of `items`, whose keys stand at `keys`."""
    return Node(
        {key: item.data for key, item in items.items()},
        mark,
        inner=items,
        keys=keys,
        size=1 + sum(item.size for item in items.values()),
        height=1 + max((item.height for item in items.values()), default=0),
    )
