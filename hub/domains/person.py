"""People of the house."""

from __future__ import annotations

from hub.domains.domain import Domain

PERSON = Domain(
    name="person",
    description="People of the house: the state is where they are, `home`, `not_home` or a place's name.",
)
