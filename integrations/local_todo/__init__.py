"""Lists of things to do or to buy, kept in files of this house."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hub import IntegrationContext, IntegrationError, Provides, Thing, ToolError

from . import file, items
from .items import Items

_KEY = re.compile(r"[a-z0-9_]{1,64}")


SLOTS = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings under `integrations.<name>` in the YAML."""

    lists: Mapping[str, str] = field(default_factory=lambda: {"shopping_list": "Shopping list"})
    """The lists and their names: `shopping_list` becomes `todo.shopping_list`."""

    def __post_init__(self) -> None:
        wrong = [key for key in self.lists if not _KEY.fullmatch(key)]
        if wrong:
            raise ValueError(f"'{wrong[0]}' is no id for a list: use small letters, digits and _")


class TodoList:
    """One list; whatever is done to it is safe on the disk before it shows."""

    def __init__(self, key: str, path: Path, held: Items, context: IntegrationContext) -> None:
        self.id = f"todo.{key}"
        self._path = path
        self._items = held
        self._context = context
        self._one_by_one = asyncio.Lock()
        self._saving: set[asyncio.Task[None]] = set()

    @property
    def state(self) -> str:
        """How many items are still to do."""
        return str(items.count_open(self._items))

    async def perform(self, action: str, arguments: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Do one action of the domain `todo`."""
        if action == "get_items":
            return items.wanted(self._items, arguments)
        saving = asyncio.create_task(self._change(action, arguments), name=f"save {self.id}")
        self._saving.add(saving)
        saving.add_done_callback(self._saved)
        await asyncio.shield(saving)
        return None

    async def close(self) -> None:
        """Return when what is being written is written."""
        await asyncio.gather(*self._saving, return_exceptions=True)

    def _saved(self, saving: asyncio.Task[None]) -> None:
        """Let go of a finished change; whoever still waits for it has its error already."""
        self._saving.discard(saving)
        if not saving.cancelled():
            saving.exception()

    async def _change(self, action: str, arguments: Mapping[str, Any]) -> None:
        """Change file and list together, whether somebody still waits for it or not."""
        async with self._one_by_one:
            changed = _changed(self._items, action, arguments)
            try:
                await asyncio.to_thread(file.save, self._path, changed)
            except OSError as error:
                self._context.log.error("%s cannot be written: %s", self._path, error)
                raise ToolError("The list cannot be saved.") from error
            self._items = changed
            if self._context.states.get(self.id):
                self._context.states.set(self.id, self.state, None)


def _changed(held: Items, action: str, arguments: Mapping[str, Any]) -> Items:
    if action == "add_item":
        return items.add(held, arguments)
    if action == "update_item":
        return items.update(held, arguments)
    if action == "remove_item":
        return items.remove(held, arguments)
    if action == "remove_completed_items":
        return items.remove_completed(held)
    raise ToolError(f"A list cannot do {action}.")


@asynccontextmanager
async def setup(options: Options, context: IntegrationContext) -> AsyncIterator[Provides]:
    """Bring the lists, with what was on them."""
    folder = context.paths.data / "local_todo"
    lists: dict[str, TodoList] = {}
    for key in options.lists:
        path = folder / f"{key}.json"
        try:
            held = await asyncio.to_thread(file.load, path, context.log)
        except OSError as error:
            raise IntegrationError(f"{path} cannot be read: {error.strerror}") from error
        lists[key] = TodoList(key, path, held, context)
    try:
        yield Provides(
            things=tuple(
                Thing(id=one.id, name=options.lists[key], perform=one.perform, state=one.state)
                for key, one in lists.items()
            )
        )
    finally:
        for one in lists.values():
            await one.close()
