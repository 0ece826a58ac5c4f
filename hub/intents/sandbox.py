"""Templates of commands, kept small: a mistake in one costs an answer, never the hub's time or memory."""

from __future__ import annotations

import re
from collections.abc import Sized
from typing import Any

from jinja2 import StrictUndefined, nodes
from jinja2.exceptions import SecurityError, TemplateSyntaxError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

MOST_ITEMS = 10_000
"""Letters of a text, or items of a list, that an operator or a method may make."""
MOST_ROUNDS = 1_000
"""Numbers that `range` may give."""
MOST_BITS = 1_024
"""Bits of a whole number that `*` and `**` may make; a float has no more either."""

_WIDE = re.compile(r"\d{4,}|\*|:[^{}]*\{")
"""In a format, a width of a thousand and more, or one that an argument gives."""
_WIDTHS = ("center", "indent", "batch", "slice", "wordwrap")
"""Filters that fill up to any width that is asked for."""


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja2 that neither loops long nor makes anything huge; raises `SecurityError` instead."""

    intercepted_binops = frozenset({"*", "**", "+", "%"})

    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined)
        self.globals = {"range": _short_range}
        plain = self.filters["format"]
        self.filters = {name: filter_ for name, filter_ in self.filters.items() if name not in _WIDTHS}
        self.filters["format"] = lambda value, *args, **kwargs: plain(_narrow(value), *args, **kwargs)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Refuse what could go on for long: loops in loops, loops that call themselves, macros."""
        tree = super()._parse(source, name, filename)
        for loop in tree.find_all(nodes.For):
            inner = next(loop.find_all(nodes.For), None)
            if inner is not None or loop.recursive:
                raise TemplateSyntaxError("a loop within a loop is not allowed", (inner or loop).lineno)
        for macro in tree.find_all((nodes.Macro, nodes.CallBlock)):
            raise TemplateSyntaxError("a macro is not allowed", macro.lineno)
        return tree

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Work the operator out if its result is small."""
        if operator == "%" and isinstance(left, str):
            _narrow(left)
        elif _size(operator, left, right) > _most(left, right):
            raise SecurityError(f"the result of '{operator}' would be too large")
        return super().call_binop(context, operator, left, right)

    def call(self, context: Context, called: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call it unless it is a text's method with a huge number, or with a wide format."""
        # a text's `format` comes wrapped
        text = getattr(getattr(called, "__wrapped__", called), "__self__", None)
        if isinstance(text, str) and called.__name__ in ("format", "format_map"):
            _narrow(text)
        elif isinstance(text, str) and any(_is_huge(one) for one in (*args, *kwargs.values())):
            raise SecurityError(f"a number given to '{called.__name__}' is too large")
        return super().call(context, called, *args, **kwargs)


def _short_range(*limits: int) -> range:
    numbers = range(*limits)
    if numbers[MOST_ROUNDS:]:
        raise SecurityError(f"a range has at most {MOST_ROUNDS} numbers")
    return numbers


def _is_huge(argument: Any) -> bool:
    return isinstance(argument, int) and argument > MOST_ITEMS


def _narrow(pattern: str) -> str:
    if _WIDE.search(pattern):
        raise SecurityError("the width of a format is too large")
    return pattern


def _most(left: Any, right: Any) -> int:
    return MOST_ITEMS if isinstance(left, Sized) or isinstance(right, Sized) else MOST_BITS


def _size(operator: str, left: Any, right: Any) -> int:
    """Return how large the result can become: items of texts and lists, bits of whole numbers."""
    if operator == "+" and isinstance(left, Sized) and isinstance(right, Sized):
        return len(left) + len(right)
    if operator == "*" and isinstance(left, Sized) and isinstance(right, int):
        return len(left) * right
    if operator == "*" and isinstance(left, int) and isinstance(right, Sized):
        return left * len(right)
    if isinstance(left, int) and isinstance(right, int) and operator in ("*", "**"):
        return left.bit_length() * right if operator == "**" else left.bit_length() + right.bit_length()
    return 0
