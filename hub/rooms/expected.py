"""The answers that a question expects: sentences as hassil's templates, with slots for any words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hub.domains.satellite import ExpectedAnswer
from hub.errors import ToolError

if TYPE_CHECKING:
    from hassil.intents import Intents

_SLOT = re.compile(r"\{([a-z0-9_]+)(?::[a-z0-9_]+)?\}")


class Expected:
    """Finds which of the expected answers a sentence is. Raises `ToolError` for templates that are wrong."""

    def __init__(self, answers: Iterable[ExpectedAnswer], language: str) -> None:
        answers = tuple(answers)
        self._is_any = not answers
        self._intents = _compiled(answers, language)
        self._language = language

    def read(self, text: str) -> Mapping[str, Any] | None:
        """Return `answer` and `slots` of what was said, or None."""
        from hassil.recognize import recognize_all

        if self._is_any:
            return {"answer": None, "slots": {}}
        found = max(
            recognize_all(text.strip().rstrip(".!?"), self._intents, language=self._language),
            key=lambda one: one.text_chunks_matched,
            default=None,
        )
        if found is None:
            return None
        slots = {name: str(entity.value).strip() for name, entity in found.entities.items()}
        return {"answer": found.intent.name, "slots": slots}


def _compiled(answers: tuple[ExpectedAnswer, ...], language: str) -> Intents:
    from hassil.errors import HassilError
    from hassil.intents import Intents
    from hassil.parse_expression import parse_sentence
    from hassil.parser import ParseError

    slots: set[str] = set()
    for answer in answers:
        for sentence in answer.sentences:
            who = f"'{sentence}' of the answer '{answer.id}'"
            if "<" in sentence:
                raise ToolError(f"{who} names a rule, and there are none here: write it out.")
            try:
                parse_sentence(sentence)
            except (HassilError, ParseError, ValueError, AssertionError, RecursionError) as error:
                raise ToolError(f"{who} is no template: {error}") from error
            slots |= set(_SLOT.findall(sentence))
    data = {one.id: {"data": [{"sentences": list(one.sentences)}]} for one in answers}
    lists = {name: {"wildcard": True} for name in slots}
    return Intents.from_dict({"language": language, "intents": data, "lists": lists})
