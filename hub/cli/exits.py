"""What the exit codes mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DONE = 0
"""Acted or answered."""
NOT_UNDERSTOOD = 1
"""Not understood, nothing heard, or refused."""
WRONG = 2
"""The configuration, the command line, or a file that was given."""
ENGINE = 3
"""An engine failed, or the hub went away."""
INTERRUPTED = 130
"""Ctrl-C, as shells count it."""
BROKEN_PIPE = 141
"""Nobody reads the output any more, as shells count it."""

_DONE = frozenset(("acted", "answered", "transcribed", "said"))
_REFUSED = frozenset(
    ("denied", "no-target", "unknown-caller", "pending", "tool-failed", "unknown-entity", "model-in-use")
)
_ELSEWHERE = ("engine-", "hub-", "wire-", "model-download")
"""How the codes begin of what failed outside of the verb's own part."""
_UNREADABLE = "audio-unreadable"
"""The code of a recording that is none."""


def of_turn(record: Mapping[str, Any]) -> int:
    """Return the exit code of a turn."""
    reason = record.get("reason")
    if reason in _DONE:
        return DONE
    if reason == "failed":
        if any(not call.get("ok") for call in record.get("calls") or ()):
            return NOT_UNDERSTOOD
        failures = record.get("failures") or ()
        return WRONG if any(failure.get("code") == _UNREADABLE for failure in failures) else ENGINE
    return NOT_UNDERSTOOD


def of_code(code: str) -> int:
    """Return the exit code of a failure with this stable code."""
    if code in _REFUSED:
        return NOT_UNDERSTOOD
    if code.startswith(_ELSEWHERE) or code in (
        "failed",
        "timeout",
        "closing",
    ):
        return ENGINE
    return WRONG
