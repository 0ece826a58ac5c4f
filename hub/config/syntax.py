"""What the YAML parser complains of, in words that say what to do."""

from __future__ import annotations

from typing import Any

from hub.errors import Problem

_TAB = "a tab in the indentation; use spaces"

_HERE = {
    "mapping values are not allowed in this context": (
        "a ':' cannot stand here; put the text in quotes, or check the indentation"
    ),
    "did not find expected key": "this does not fit the lines above; check the indentation and the quotes",
    "did not find expected '-' indicator": "expected another '- ' item, as in the lines above",
    "block sequence entries are not allowed in this context": "begin the list on a line of its own",
    "did not find expected <document start>": "there is something left after the end of the file's value",
    "found unknown escape character": (
        "in double quotes a \\ begins an escape; write \\\\, or use single quotes"
    ),
    "found invalid Unicode character escape code": "this escape is no character",
    "found undefined tag handle": "this tag is unknown",
    "did not find expected alphabetic or numeric character": "after & or * comes a name in plain letters",
    "exceeded maximum nesting depth": "lists and mappings are nested too deep",
    "found incompatible YAML document": "only YAML 1.2 and 1.1 are understood",
}
"""By what the parser says; the place is where it says so."""

_BEGUN = {
    "did not find expected ',' or ']'": "the '[' that opens here is not closed, or a ',' is missing",
    "did not find expected ',' or '}'": "the '{' that opens here is not closed, or a ',' is missing",
    "found unexpected end of stream": "the quote that opens here is never closed",
    "could not find expected ':'": "expected 'key: value'",
}
"""By what the parser says; the place is where the thing began."""


def syntax_problem(error: Exception, text: str, name: str, secret: bool = False) -> Problem:
    """Return the parser's error in our words; `secret` hides what stands in the file."""
    said = str(getattr(error, "problem", None) or getattr(error, "reason", "") or "")
    mark = getattr(error, "problem_mark", None)
    lines = text.splitlines() or [""]
    tab = _tab(lines, mark, name)
    if tab is not None:
        return tab
    if said in _BEGUN:
        return _problem(_BEGUN[said], getattr(error, "context_mark", None) or mark, lines, name)
    if said in _HERE:
        return _problem(_HERE[said], mark, lines, name)
    if said == "found character that cannot start any token" and not secret:
        return _problem(_cannot_begin(lines, mark), mark, lines, name)
    return _problem("this is not YAML" + (f": {said}" if said and not secret else ""), mark, lines, name)


def _cannot_begin(lines: list[str], mark: Any) -> str:
    line = lines[mark.line] if mark.line < len(lines) else ""
    return f"a value cannot begin with {line[mark.column : mark.column + 1]!r}; put it in quotes"


def _tab(lines: list[str], mark: Any, name: str) -> Problem | None:
    """Return the problem if the marked line is indented with a tab."""
    if mark is None or mark.line >= len(lines):
        return None
    line = lines[mark.line]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    if "\t" not in indent:
        return None
    return Problem(path="", message=_TAB, file=name, line=mark.line + 1, column=indent.index("\t") + 1)


def _problem(message: str, mark: Any, lines: list[str], name: str) -> Problem:
    if mark is None:
        return Problem(path="", message=message, file=name)
    if mark.line >= len(lines):
        return Problem(path="", message=message, file=name, line=len(lines), column=len(lines[-1]) + 1)
    return Problem(path="", message=message, file=name, line=mark.line + 1, column=mark.column + 1)
