"""What one sentence template is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from hassil.expression import (
    Alternative,
    Expression,
    Group,
    ListReference,
    Permutation,
    RuleReference,
    TextChunk,
)
from hassil.intents import IntentData, Intents, TextSlotList, WildcardSlotList

_Found = TypeVar("_Found")
HOUSE_LISTS = ("name", "area", "floor")
_EMPTY: frozenset[str] = frozenset()
_TEXT, _NAME, _SPACE, _NOTHING = "text", "name", "space", "nothing"


class Known:
    """What was found out about expressions, so that a rule of many templates is looked at once.

    Kept by the names of rules and lists. A template with rules or lists of its own keeps what it
    knows to itself.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], Any] = {}

    def find(self, what: str, expression: Expression, find: Callable[[], _Found]) -> _Found:
        """Return what `find()` returns, looking only once for a rule or a list."""
        if isinstance(expression, RuleReference):
            key = (what, "rule", expression.rule_name)
        elif isinstance(expression, ListReference):
            key = (what, "list", expression.list_name)
        else:
            return find()
        if key not in self._found:
            self._found[key] = find()
        found: _Found = self._found[key]
        return found


class Parts:
    """What one template is made of, with its rules and text lists written out."""

    def __init__(self, intents: Intents, data: IntentData, known: Known) -> None:
        has_own = bool(data.expansion_rules or data.slot_lists)
        self._rules = (
            {**intents.expansion_rules, **data.expansion_rules} if has_own else intents.expansion_rules
        )
        self._lists = {**intents.slot_lists, **data.slot_lists} if has_own else intents.slot_lists
        self._whole = data.sentences[0].expression
        self._known = Known() if has_own else known

    def all(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return every literal text, and the kinds of all gaps."""
        return self._all(self._whole)

    def needed(self) -> frozenset[str]:
        """Return the kinds of gaps that every sentence of the template has."""
        return self._needed(self._whole) - {"wildcard"}

    def kind(self, reference: ListReference) -> str:
        """Return what a gap holds: a list of the house, a `range`, or any words: `wildcard`."""
        if reference.list_name in HOUSE_LISTS:
            return reference.list_name
        return "wildcard" if isinstance(self._lists.get(reference.list_name), WildcardSlotList) else "range"

    def _all(self, expression: Expression) -> tuple[frozenset[str], frozenset[str]]:
        return self._known.find("all", expression, lambda: self._find_all(expression))

    def _find_all(self, expression: Expression) -> tuple[frozenset[str], frozenset[str]]:
        inner = self._inner(expression)
        if inner is not None:
            every = [self._all(part) for part in inner]
            return _EMPTY.union(*(texts for texts, _ in every)), _EMPTY.union(*(gaps for _, gaps in every))
        if isinstance(expression, TextChunk):
            return frozenset({expression.text} - {""}), _EMPTY
        return _EMPTY, frozenset({self.kind(expression)} if isinstance(expression, ListReference) else ())

    def _needed(self, expression: Expression) -> frozenset[str]:
        return self._known.find("needed", expression, lambda: self._find_needed(expression))

    def _find_needed(self, expression: Expression) -> frozenset[str]:
        inner = self._inner(expression)
        if inner is None:
            return frozenset({self.kind(expression)} if isinstance(expression, ListReference) else ())
        needed = [self._needed(part) for part in inner]
        if isinstance(expression, (Alternative, ListReference)):
            return frozenset.intersection(*needed) if needed else frozenset()
        return frozenset().union(*needed)

    def _inner(self, expression: Expression) -> list[Expression] | None:
        """Return the parts of a group, a rule or a text list; None for what has none."""
        if isinstance(expression, Group):
            return expression.items
        if isinstance(expression, RuleReference):
            return [self._rules[expression.rule_name].expression]
        slot_list = self._lists.get(expression.list_name) if isinstance(expression, ListReference) else None
        if isinstance(slot_list, TextSlotList):
            return [value.text_in for value in slot_list.values]
        return None

    def compounds(self) -> Iterator[str]:
        """Yield words that are written in two parts, as `lights` in `light[s]`."""
        return self._compounds(self._whole)

    def _compounds(self, expression: Expression) -> Iterator[str]:
        inner = self._inner(expression) or []
        for left, right in self._neighbours(expression, inner):
            for start in self._rim(left, -1):
                yield from (start + end for end in self._rim(right, 0))
        for part in inner:
            yield from self._known.find("compounds", part, lambda part=part: frozenset(self._compounds(part)))  # type: ignore[misc]

    def _rim(self, expression: Expression, side: int) -> frozenset[str]:
        """Return the letters that the expression may begin with (side 0) or end with (side -1)."""
        return self._known.find(f"rim {side}", expression, lambda: self._find_rim(expression, side))

    def _find_rim(self, expression: Expression, side: int) -> frozenset[str]:
        if isinstance(expression, TextChunk):
            text = expression.text.casefold()
            return frozenset({text.split()[side]} if text and text[side].isalpha() else ())
        inner = self._inner(expression) or []
        if isinstance(expression, (Alternative, ListReference, Permutation)):
            return _EMPTY.union(*(self._rim(part, side) for part in inner))
        return self._rim(inner[side], side) if inner else _EMPTY

    def has_glued_name(self) -> bool:
        """Whether a name may be a part of a word, as in `{name}list` or `l'{area}`."""
        return self._glues(self._whole)

    def _glues(self, expression: Expression) -> bool:
        return self._known.find("glues", expression, lambda: self._find_glues(expression))

    def _find_glues(self, expression: Expression) -> bool:
        inner = self._inner(expression) or []
        return any(map(self._glues, inner)) or any(
            {_TEXT, _NAME} <= {end, start}
            for left, right in self._neighbours(expression, inner)
            for end in self._edge(left, -1)
            for start in self._edge(right, 0)
        )

    def _neighbours(
        self, expression: Expression, inner: Sequence[Expression]
    ) -> Iterator[tuple[Expression, Expression]]:
        """Yield parts that may follow each other, with nothing said between them."""
        if isinstance(expression, (Alternative, ListReference)):
            return
        for place, left in enumerate(inner):
            if isinstance(expression, Permutation):
                yield from ((left, right) for right in inner if right is not left)
                continue
            for right in inner[place + 1 :]:
                yield left, right
                if _NOTHING not in self._edge(right, 0):
                    break

    def _edge(self, expression: Expression, side: int) -> frozenset[str]:
        """Return what the expression may begin with (side 0) or end with (side -1)."""
        return self._known.find(f"edge {side}", expression, lambda: self._find_edge(expression, side))

    def _find_edge(self, expression: Expression, side: int) -> frozenset[str]:
        inner = self._inner(expression)
        if isinstance(expression, TextChunk):
            text = expression.text
            return frozenset({_NOTHING if not text else _SPACE if text[side].isspace() else _TEXT})
        if inner is None:
            is_name = isinstance(expression, ListReference) and self.kind(expression) in HOUSE_LISTS
            return frozenset({_NAME if is_name else _SPACE})
        if isinstance(expression, (Alternative, ListReference, Permutation)):
            return frozenset().union(*(self._edge(part, side) for part in inner))
        found: set[str] = {_NOTHING}
        for part in inner if side == 0 else reversed(inner):
            found = (found - {_NOTHING}) | self._edge(part, side)
            if _NOTHING not in found:
                break
        return frozenset(found)
