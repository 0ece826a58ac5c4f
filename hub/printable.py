"""Text of strangers as a terminal or a log may show it."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return the text in one line, without what moves cursors, turns colours or writes backwards."""
    if text.isprintable():
        return text
    spaced = " ".join(text.split())
    return "".join(filter(str.isprintable, spaced))
