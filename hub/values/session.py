"""Who is talked to, and where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The part of a conversation that understanding a sentence may depend on."""

    id: str
    language: str = "en"
    satellite: str | None = None
    area: str | None = None
    """Id of the room the speaker is in; "the light" means this room's."""
    user: str | None = None
