"""Patterns of the rules: words in which `*` stands for any characters."""

from __future__ import annotations

import re
from collections.abc import Sequence


def words_matching(patterns: Sequence[str]) -> re.Pattern[str] | None:
    """Return what tells, by `fullmatch`, whether a word fits one of the patterns; None if there is none."""
    return re.compile("|".join(map(_expression, patterns)), re.DOTALL) if patterns else None


def callers_matching(patterns: Sequence[str]) -> re.Pattern[str] | None:
    """Return the same for links of a caller's chain: `voice` is also `voice:kitchen` and `voice.kitchen`."""
    parts = [_expression(one) + ("" if "*" in one else "(?:[:.].*)?") for one in patterns]
    return re.compile("|".join(parts), re.DOTALL) if parts else None


def _expression(pattern: str) -> str:
    return ".*".join(map(re.escape, pattern.split("*")))
