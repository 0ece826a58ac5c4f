"""How problems of the configuration are worded: near matches, shown values, dotted paths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Path = tuple[str | int, ...]

_LONGEST = 60
_COMPARED = 4000


def near(word: object, words: Iterable[object]) -> str:
    """Return `; did you mean 'x'?` for the most similar of `words`, or nothing."""
    if not isinstance(word, str) or not word or len(word) > 2 * _LONGEST:
        return ""
    lower = {str(known).lower(): str(known) for known, _ in zip(words, range(_COMPARED), strict=False)}
    folded = word.lower().replace("-", "_").replace(" ", "_")
    if folded in lower:
        return f"; did you mean '{lower[folded]}'?"
    from difflib import get_close_matches

    found = get_close_matches(word.lower(), lower, n=1, cutoff=0.6)
    return f"; did you mean '{lower[found[0]]}'?" if found else ""


def known(words: Iterable[object], limit: int = 12) -> str:
    """Return `there are a, b, c`, or that there is none, for a message about an unknown name."""
    names = [str(word) for word in words]
    if not names:
        return "there is none"
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ("there are " if len(names) > 1 else "there is ") + ", ".join(names[:limit]) + more


def shown(value: Any) -> str:
    """Return a value as people write it, cut to a readable length."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST else value[:_LONGEST] + "…")
    if isinstance(value, (int, float)):
        return str(value)[: _LONGEST * 2]
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, (list, tuple, set, frozenset)) else "a " + type(value).__name__


def dotted(path: Sequence[object]) -> str:
    """Return a path as `policies[0].tools`."""
    text = ""
    for part in path:
        if isinstance(part, int) and not isinstance(part, bool):
            text += f"[{part}]"
        else:
            word = "".join(c if c.isprintable() else "�" for c in str(part)[:_LONGEST])
            text += f".{word}" if text else word
    return text


def joined(words: Iterable[str], last: str = "or") -> str:
    """Return `a, b or c`."""
    *head, tail = list(words) or [""]
    return f"{', '.join(head)} {last} {tail}" if head else tail
