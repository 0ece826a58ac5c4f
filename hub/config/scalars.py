"""What an unquoted word of YAML is: the core schema of YAML 1.2 (section 10.3.2), with one exception.

A number with a leading zero (`0123`, `007.5`) stays text: it is a code, a PIN or a telephone number, and
as a number it would lose its zero.
"""

from __future__ import annotations

import re

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_FIRST = frozenset("+-.0123456789")
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,300})")
_OTHER_BASE = re.compile(r"0(?:o[0-7]{1,300}|x[0-9a-fA-F]{1,300})")
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]{1,300}|(?:0|[1-9][0-9]{0,300})(?:\.[0-9]{0,300})?)(?:[eE][-+]?[0-9]{1,9})?"
)


def plain(text: str) -> Scalar:
    """Return the value of an unquoted scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _FIRST:
        if _INT.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
        if _OTHER_BASE.fullmatch(text):
            return int(text, 0)
    return text
