"""Takes from a configuration what is in order, so that further checks can look at it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import voluptuous as vol

from hub.config.document import Document
from hub.config.kinds import Kind, fit
from hub.config.record import options_of, unknown
from hub.config.schema import problems_of
from hub.config.shapes import ListOf, MapOf
from hub.config.words import Path
from hub.errors import Problem

_NOT_IN_ORDER = object()


class Partly:
    """Reads a document's top-level options as the fields of a dataclass, one by one."""

    def __init__(self, cls: type, document: Document, leave: Collection[str] = ()) -> None:
        self._document = document
        self.problems: list[Problem] = []
        self.fields: dict[str, Any] = {}
        """What is in order; in a list, None stands for an item that is not. Without those in `leave`."""
        options = options_of(cls)
        for key, value in document.data.items():
            if key not in options:
                self.problems += problems_of(unknown(key, options), document, ())
            elif key not in leave:
                read = self._read(options[key].kind, value, key)
                if read is not _NOT_IN_ORDER:
                    self.fields[options[key].field] = read

    def _read(self, kind: Kind, value: Any, key: str) -> Any:
        if isinstance(kind, ListOf) and isinstance(value, list):
            items = [self._one(kind.item, item, (key, index)) for index, item in enumerate(value)]
            return kind.make(None if item is _NOT_IN_ORDER else item for item in items)
        if (
            isinstance(kind, MapOf)
            and isinstance(value, dict)
            and all(isinstance(name, str) for name in value)
        ):
            entries = {name: self._one(kind.item, item, (key, name)) for name, item in value.items()}
            return {name: entry for name, entry in entries.items() if entry is not _NOT_IN_ORDER}
        return self._one(kind, value, (key,))

    def _one(self, kind: Kind, value: Any, path: Path) -> Any:
        try:
            return fit(kind, value)
        except vol.Invalid as error:
            self.problems += problems_of(error, self._document, path)
            return _NOT_IN_ORDER
