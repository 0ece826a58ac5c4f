"""One YAML file as a tree of nodes, built from the parser's events without recursion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

from hub.config.budget import Budget, check_depth
from hub.config.node import HOLE, Mark, Node, mapping, sequence
from hub.config.scalars import plain
from hub.config.syntax import syntax_problem
from hub.config.text import Unreadable
from hub.config.words import near, shown
from hub.errors import Problem

_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_TYPES: dict[str, tuple[type, ...]] = {
    f"{_CORE}int": (int,),
    f"{_CORE}float": (float, int),
    f"{_CORE}bool": (bool,),
    f"{_CORE}null": (type(None),),
}
_MERGE = object()
TAGS = (
    "!include",
    "!include_dir_list",
    "!include_dir_named",
    "!include_dir_merge_list",
    "!include_dir_merge_named",
    "!secret",
    "!env_var",
)

Report = Callable[[Problem], None]
Tagged = Callable[[str, str, Mark, int], Node]
"""`tagged(tag, text, mark, depth)` returns what a scalar with one of `TAGS` stands for."""


class _Open:
    """A list or mapping whose end has not come yet."""

    __slots__ = ("anchor", "is_mapping", "items", "key", "keys", "list", "mark", "merged", "spoiled")

    def __init__(self, mark: Mark, anchor: str | None, is_mapping: bool, spoiled: bool) -> None:
        self.mark = mark
        self.anchor = anchor
        self.is_mapping = is_mapping
        self.spoiled = spoiled
        self.key: Node | None = None
        self.items: dict[Any, Node] = {}
        self.keys: dict[Any, Mark] = {}
        self.list: list[Node] = []
        self.merged: list[Node] = []


class Builder:
    """Builds one file. A `secret` file's problems show nothing of what stands in it."""

    def __init__(
        self,
        text: str,
        name: str,
        *,
        tagged: Tagged,
        report: Report,
        budget: Budget,
        depth: int = 0,
        secret: bool = False,
    ) -> None:
        self._text = text
        self._name = name
        self._tagged = tagged
        self._report = report
        self._budget = budget
        self._depth = depth
        self._secret = secret
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._result: Node | None = None

    def build(self) -> Node | None:
        """Return the file's value, None for an empty file; raises `Unreadable`."""
        parser = _Parser(self._text)
        steps = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._open,
            yaml.SequenceStartEvent: self._open,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }
        try:
            while True:
                event = parser.get_event()
                if type(event) is yaml.StreamEndEvent:
                    return self._result
                step = steps.get(type(event))
                if step:
                    step(event)
        except (yaml.YAMLError, UnicodeError) as error:
            raise Unreadable(syntax_problem(error, self._text, self._name, self._secret)) from None
        finally:
            parser.dispose()

    def _document(self, event: Any) -> None:
        if self._result is not None:
            raise Unreadable(
                self._problem(self._mark(event), "a second document begins here; one file holds one")
            )

    def _mark(self, event: Any) -> Mark:
        start = event.start_mark
        return Mark(self._name, start.line + 1, start.column + 1)

    def _problem(self, mark: Mark, message: str) -> Problem:
        return Problem(path="", message=message, file=mark.file, line=mark.line, column=mark.column)

    def _wrong(self, mark: Mark, message: str) -> Node:
        """Report a problem and return a hole for what cannot be read."""
        self._report(self._problem(mark, message))
        return Node(HOLE, mark)

    def _scalar(self, event: Any) -> None:
        mark = self._mark(event)
        self._budget.spend_values(1, mark)
        text, tag = event.value, event.tag
        if tag is None:
            if not event.implicit[0]:
                node = Node(text, mark)
            elif text == "<<" and self._awaits_key() and not event.anchor:
                node = Node(_MERGE, mark)
            else:
                node = Node(plain(text), mark)
        elif tag == "!" or tag == f"{_CORE}str":
            node = Node(text, mark)
        else:
            node = self._with_tag(tag, text, mark)
        if event.anchor:
            self._anchors[event.anchor] = node
        self._add(node)

    def _awaits_key(self) -> bool:
        return bool(self._stack) and self._stack[-1].is_mapping and self._stack[-1].key is None

    def _with_tag(self, tag: str, text: str, mark: Mark) -> Node:
        if tag in TAGS:
            return self._tagged(tag, text, mark, self._depth + len(self._stack))
        if tag in _TYPES:
            value = plain(text)
            if type(value) in _TYPES[tag]:
                return Node(float(value) if tag.endswith("float") else value, mark)  # type: ignore[arg-type]
            return self._wrong(mark, f"this is no !!{tag.removeprefix(_CORE)}")
        return self._unknown_tag(tag, mark)

    def _unknown_tag(self, tag: str, mark: Mark) -> Node:
        if self._secret:
            return self._wrong(mark, "put a value that begins with '!' in quotes")
        name = f"!!{tag.removeprefix(_CORE)}" if tag.startswith(_CORE) else tag
        words = [*TAGS, *(f"!!{kind.removeprefix(_CORE)}" for kind in _TYPES), "!!str"]
        return self._wrong(mark, f"unknown tag {shown(name)}{near(name, words)}")

    def _open(self, event: Any) -> None:
        mark = self._mark(event)
        self._budget.spend_values(1, mark)
        is_mapping = type(event) is yaml.MappingStartEvent
        check_depth(self._depth + len(self._stack) + 1, mark)
        spoiled = event.tag not in (None, "!", f"{_CORE}map" if is_mapping else f"{_CORE}seq")
        if spoiled and event.tag in TAGS:
            self._wrong(mark, f"{event.tag} takes one word of text")
        elif spoiled:
            self._unknown_tag(event.tag, mark)
        if event.anchor:
            self._anchors.pop(event.anchor, None)
        self._stack.append(_Open(mark, event.anchor, is_mapping, spoiled))

    def _close(self, event: Any) -> None:
        done = self._stack.pop()
        if done.spoiled:
            node = Node(HOLE, done.mark)
        elif done.is_mapping:
            for other in done.merged:
                self._merge(done, other)
            node = mapping(done.items, done.keys, done.mark)
        else:
            node = sequence(done.list, done.mark)
        if done.anchor:
            self._anchors[done.anchor] = node
        self._add(node)

    def _add(self, node: Node) -> None:
        if not self._stack:
            self._result = node
            return
        holder = self._stack[-1]
        if not holder.is_mapping:
            holder.list.append(node)
        elif holder.key is None:
            holder.key = node
        else:
            key, holder.key = holder.key, None
            self._pair(holder, key, node)

    def _pair(self, holder: _Open, key: Node, value: Node) -> None:
        if key.data is _MERGE:
            holder.merged.append(value)
        elif key.inner is not None:
            what = "mapping" if isinstance(key.data, dict) else "list"
            self._wrong(key.mark, f"a {what} cannot be a key; if this is a template, put it in quotes")
        elif key.hidden:
            self._wrong(key.mark, "a secret cannot be a key")
        elif key.data is None or isinstance(key.data, (bool, float)):
            word = _value_word(key.data)
            self._wrong(key.mark, f"a key cannot be {word}; if it is a word, put it in quotes")
        elif key.data in holder.items:
            first = holder.keys[key.data]
            name = "this key" if self._secret else shown(key.data)
            self._wrong(key.mark, f"{name} stands here twice; first in line {first.line}")
        elif key.data is not HOLE:
            holder.items[key.data] = value
            holder.keys[key.data] = key.mark

    def _merge(self, into: _Open, other: Node) -> None:
        """Take over what `<<:` names and the mapping itself does not say."""
        if isinstance(other.inner, list):
            for one in other.inner:
                self._merge(into, one)
        elif isinstance(other.inner, dict):
            for key, item in other.inner.items():
                if key not in into.items:
                    self._budget.spend_values(item.size, into.mark)
                    into.items[key] = item
                    into.keys[key] = other.keys[key] if other.keys else other.mark
        elif other.data is not HOLE:
            self._wrong(other.mark, "<<: takes a mapping or a list of mappings")

    def _alias(self, event: Any) -> None:
        mark = self._mark(event)
        node = self._anchors.get(event.anchor)
        if node is None:
            self._add(self._unknown_anchor(event.anchor, mark))
            return
        self._budget.spend_values(node.size, mark)
        check_depth(self._depth + len(self._stack) + node.height, mark)
        self._add(node.at(mark))

    def _unknown_anchor(self, anchor: str, mark: Mark) -> Node:
        if self._secret:
            return self._wrong(mark, "put a value that begins with '*' in quotes")
        if any(held.anchor == anchor for held in self._stack):
            return self._wrong(mark, f"'*{anchor}' would contain itself")
        return self._wrong(mark, f"there is no '&{anchor}' above{near(anchor, self._anchors)}")


def _value_word(value: object) -> str:
    """Return a value as it stands in YAML."""
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else str(value)
