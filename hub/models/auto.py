"""What `auto` makes of a table from installed memory to models."""

from __future__ import annotations

from collections.abc import Mapping

_PROMISED = 0.9
"""Of the gigabytes on the box, what the system must see at least: graphics and firmware keep some."""


def fitting(table: Mapping[int, str], memory: float) -> tuple[str, ...]:
    """Return the entries for no more than `memory` GiB, the largest first; the smallest always fits."""
    if not table:
        return ()
    rows = sorted(table, reverse=True)
    fit = [gigabytes for gigabytes in rows if memory >= gigabytes * _PROMISED]
    return tuple(table[gigabytes] for gigabytes in fit or rows[-1:])
