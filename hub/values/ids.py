"""Names for turns and calls."""

from __future__ import annotations

import secrets
import time


def new_id() -> str:
    """Return 16 hex digits: milliseconds since 1970 first, so that ids sort by time; then chance."""
    return f"{time.time_ns() // 1_000_000:011x}{secrets.token_hex(3)[:5]}"
