"""The text under each field of a dataclass: what the reference and a model read."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType


def docs_of(cls: type) -> Mapping[str, str]:
    """Return the text under each field, from the source; empty where there is no source."""
    docs: dict[str, str] = {}
    for one in reversed(cls.__mro__):
        docs |= _docs_in(_file_of(one)).get(one.__qualname__, {})
    return docs


def _file_of(cls: type) -> str | None:
    try:
        return inspect.getsourcefile(cls)
    except (TypeError, OSError):
        return None


@lru_cache(maxsize=512)
def _docs_in(file: str | None) -> Mapping[str, dict[str, str]]:
    """Return the fields' texts of every class of a file, by the class's qualified name."""
    found: dict[str, dict[str, str]] = {}
    if file:
        try:
            with open(file, encoding="utf-8") as source:
                _collect(ast.parse(source.read()).body, "", found)
        except (OSError, SyntaxError, ValueError):
            return MappingProxyType({})
    return MappingProxyType(found)


def _collect(body: list[ast.stmt], prefix: str, found: dict[str, dict[str, str]]) -> None:
    for node in body:
        if isinstance(node, ast.ClassDef):
            name = f"{prefix}{node.name}"
            found[name] = _fields(node.body)
            _collect(node.body, f"{name}.", found)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            _collect(node.body, f"{prefix}{node.name}.<locals>.", found)


def _fields(body: list[ast.stmt]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for statement, following in pairwise(body):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                fields[name] = " ".join(text.split())
    return fields
