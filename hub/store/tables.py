"""The tables of the store."""

from __future__ import annotations

from sqlalchemy import Column, MetaData, Table, Text

VERSION = 1
"""Grows when the tables change; kept in the file as `user_version`."""

metadata = MetaData()

states = Table(
    "states",
    metadata,
    Column("entity_id", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("attributes", Text, nullable=False),
    Column("last_changed", Text, nullable=False),
    Column("last_updated", Text, nullable=False),
)
"""The last state of each entity; attributes as JSON, times in ISO 8601."""

given = Table(
    "given",
    metadata,
    Column("thing_id", Text, primary_key=True),
    Column("said", Text, nullable=False),
)
"""What people gave to things while the hub ran: the fields of `Given` as JSON."""
