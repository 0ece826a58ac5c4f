"""What one sentence template is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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

HOUSE_LISTS = ("name", "area", "floor")
_TEXT, _NAME, _SPACE, _NOTHING = "text", "name", "space", "nothing"


class Parts:
    """What one template is made of, with its rules and text lists written out."""

    def __init__(self, intents: Intents, data: IntentData) -> None:
        self._rules = {**intents.expansion_rules, **data.expansion_rules}
        self._lists = {**intents.slot_lists, **data.slot_lists}
        self._whole = data.sentences[0].expression

    def all(self) -> Iterator[Expression]:
        """Yield every literal text and every gap."""
        return self._all(self._whole)

    def needed(self) -> frozenset[str]:
        """Return the kinds of gaps that every sentence of the template has."""
        return self._needed(self._whole) - {"wildcard"}

    def kind(self, reference: ListReference) -> str:
        """Return what a gap holds: a list of the house, a `range`, or any words: `wildcard`."""
        if reference.list_name in HOUSE_LISTS:
            return reference.list_name
        return "wildcard" if isinstance(self._lists.get(reference.list_name), WildcardSlotList) else "range"

    def _all(self, expression: Expression) -> Iterator[Expression]:
        inner = self._inner(expression)
        if inner is None:
            yield expression
        else:
            for part in inner:
                yield from self._all(part)

    def _needed(self, expression: Expression) -> frozenset[str]:
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

    def has_glued_name(self) -> bool:
        """Whether a name may be a part of a word, as in `{name}list` or `l'{area}`."""
        return self._glues(self._whole)

    def _glues(self, expression: Expression) -> bool:
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
