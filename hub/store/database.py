"""The store's file: SQLite through SQLAlchemy Core; used by one thread, so nothing here is async."""

from __future__ import annotations

import dataclasses
import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqlalchemy import URL, Connection, NullPool, create_engine, select, text
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DatabaseError, OperationalError, SQLAlchemyError

from hub.errors import StoreError
from hub.events import plain
from hub.house import Given
from hub.store import tables
from hub.values.thing import State

_log = logging.getLogger(__name__)
_BESIDE = ("", "-wal", "-shm")
"""SQLite's files: the database itself and what stands beside it while it is open."""


class Database:
    """An open file with the tables of this hub."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def states(self) -> tuple[State, ...]:
        """Return every state that can be read."""
        rows = self._rows(tables.states)
        return tuple(state for state in map(_state, rows) if state)

    def write(self, states: Sequence[State]) -> None:
        """Put the states in place of the older ones."""
        rows = [
            {
                "entity_id": state.entity_id,
                "state": state.state.encode("utf-8", "replace").decode(),
                "attributes": _json(state.attributes),
                "last_changed": state.last_changed.isoformat(),
                "last_updated": state.last_updated.isoformat(),
            }
            for state in states
        ]
        self._put(tables.states, rows)

    def given(self) -> Mapping[str, Given]:
        """Return what was given to things, by id."""
        found = {row["thing_id"]: _given(row["said"]) for row in self._rows(tables.given)}
        return {thing_id: given for thing_id, given in found.items() if given}

    def give(self, thing_id: str, given: Given) -> None:
        """Put what is given in place of what was given before."""
        said = {field.name: getattr(given, field.name) for field in dataclasses.fields(given)}
        said = {name: value for name, value in said.items() if value is not None}
        self._put(tables.given, [{"thing_id": thing_id, "said": _json(said)}])

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _rows(self, table: Any) -> list[Mapping[str, Any]]:
        with _clear_errors(), self._connection.begin():
            return [dict(row) for row in self._connection.execute(select(table)).mappings()]

    def _put(self, table: Any, rows: list[dict[str, Any]]) -> None:
        key = next(iter(table.primary_key))
        fresh = insert(table)
        others = {column.name: fresh.excluded[column.name] for column in table.columns if column is not key}
        with _clear_errors(), self._connection.begin():
            self._connection.execute(fresh.on_conflict_do_update(index_elements=[key], set_=others), rows)


def open_database(path: Path, busy_timeout: float) -> Database:
    """Open the file, or begin a fresh one and move what cannot be read aside; raises `StoreError`."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    try:
        return Database(_connected(path, busy_timeout))
    except DatabaseError as error:
        if isinstance(error, OperationalError):
            raise StoreError(f"{path} cannot be used: {error.orig}") from error
        aside = _move_aside(path)
        _log.error("%s is damaged (%s); it lies in %s now, and a fresh one is begun", path, error.orig, aside)
        with _clear_errors():
            return Database(_connected(path, busy_timeout))


def _connected(path: Path, busy_timeout: float) -> Connection:
    url = URL.create("sqlite+pysqlite", database=str(path))
    engine = create_engine(url, poolclass=NullPool, connect_args={"timeout": busy_timeout})
    connection = engine.connect()
    try:
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: Connection, path: Path) -> None:
    """Check the file, and make the tables that are not there."""
    version = int(connection.execute(text("PRAGMA user_version")).scalar_one())
    if version > tables.VERSION:
        raise StoreError(f"{path} was made by a newer Earnest; install that one, or move the file away")
    connection.commit()
    for setting in ("journal_mode=WAL", "synchronous=FULL"):
        connection.execute(text(f"PRAGMA {setting}"))
    connection.commit()
    check = connection.execute(text("PRAGMA quick_check(1)")).scalar_one()
    if check != "ok":
        raise DatabaseError("PRAGMA quick_check", None, ValueError(check))
    if version < tables.VERSION:
        tables.metadata.create_all(connection)
        connection.execute(text(f"PRAGMA user_version={tables.VERSION}"))
    connection.commit()


def _move_aside(path: Path) -> Path:
    """Move the file and those beside it away; return where it lies now."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    for suffix in _BESIDE:
        beside = path.with_name(path.name + suffix)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + suffix))
    return aside


@contextmanager
def _clear_errors() -> Iterator[None]:
    """Let people see the database's own sentence, not the statement."""
    try:
        yield
    except SQLAlchemyError as error:
        raise StoreError(str(getattr(error, "orig", error))) from error


def _json(value: Any) -> str:
    return json.dumps(plain(value), separators=(",", ":"))


def _state(row: Mapping[str, Any]) -> State | None:
    try:
        return State(
            entity_id=row["entity_id"],
            state=row["state"],
            attributes=MappingProxyType(dict(json.loads(row["attributes"]))),
            last_changed=datetime.fromisoformat(row["last_changed"]),
            last_updated=datetime.fromisoformat(row["last_updated"]),
        )
    except (TypeError, ValueError):
        _log.warning("the last state of %s cannot be read", row["entity_id"])
        return None


def _given(said: str) -> Given | None:
    names = {field.name for field in dataclasses.fields(Given)}
    try:
        fields = {name: value for name, value in json.loads(said).items() if name in names}
    except (AttributeError, ValueError):
        _log.warning("what was given to a thing cannot be read")
        return None
    if isinstance(fields.get("aliases"), list):
        fields["aliases"] = tuple(map(str, fields["aliases"]))
    return Given(**fields)
