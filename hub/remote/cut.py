"""Sentences out of text that comes in pieces, for clients that stream an answer as it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BLANK_LINE = r"\n[ \t]*\n\s*"
_WIDE = "[\u3002\uff01\uff1f]+[\u201d\u2019\u300d\u300f\uff09\u300b]*"
"""Chinese and Japanese stops with what may close after them."""
_NARROW = "[.!?\u2026\u061f\u0964\u0965]+[\"')\\]}\u2019\u201d\xbb]*(?=\\s+(?P<next>\\S))"
"""Stops of scripts that put a space between two sentences."""
_END = re.compile(f"{_BLANK_LINE}|{_WIDE}|{_NARROW}")
_LONGEST = 10_000
"""Characters after which text is cut wherever it is."""


class Cutter:
    """Takes pieces, gives whole sentences as soon as it is certain that they are over."""

    def __init__(self) -> None:
        self._text = ""

    def feed(self, piece: str) -> Iterator[str]:
        """Yield the sentences that are complete now."""
        self._text += piece
        while (end := self._end()) is not None:
            sentence, self._text = self._text[:end].strip(), self._text[end:]
            if sentence:
                yield sentence

    def rest(self) -> str:
        """Return what is left when nothing more comes."""
        text, self._text = self._text.strip(), ""
        return text

    def _end(self) -> int | None:
        for match in _END.finditer(self._text):
            if not match["next"] or self._is_certain(match):
                return match.end()
        return _LONGEST if len(self._text) > _LONGEST else None

    def _is_certain(self, match: re.Match[str]) -> bool:
        return not (match["next"].islower() or _may_go_on(self._text[: match.end()]))


def _may_go_on(text: str) -> bool:
    """Whether the last word may be cut short by its stop: `Dr.`, `e.g.`, `3.`, `J.`

    Two sentences said as one cost a moment; one that is cut in half is heard.
    """
    words = text.split()
    word = words[-1].lstrip("(\"'") if words else ""
    if not word.endswith("."):
        return False
    word = word[:-1]
    is_title = len(word) <= 3 and word[:1].isupper()
    return is_title or len(word) == 1 or "." in word or word.isdecimal()
