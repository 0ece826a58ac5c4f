"""Asks the recognisers of a pipeline one after the other what a sentence means."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from hub.errors import EarnestError
from hub.stages.intents import IntentRecognizer
from hub.values.intent import Match, Miss
from hub.values.session import Session

_log = logging.getLogger(__name__)

CERTAIN = 1.0
"""Score of a match that takes the whole sentence."""


@dataclass(frozen=True, slots=True)
class Understood:
    """What a sentence means, and why the stages that were asked before did not take it."""

    match: Match | None
    misses: tuple[Miss, ...] = ()

    @property
    def reply(self) -> str | None:
        """What to say if nobody takes the sentence: the most telling of what the stages said."""
        return next((miss.reply for miss in reversed(self.misses) if miss.reply is not None), None)


async def understand(
    recognizers: Iterable[tuple[str, IntentRecognizer]], text: str, session: Session
) -> Understood:
    """Ask the recognisers by name, in order: the first match that takes the whole sentence counts, else
    the best one that takes its beginning.

    A recogniser that fails is a miss with the code `failed`; the next one is asked all the same.
    """
    if not text.strip():
        return Understood(None, (Miss(stage="cascade", code="empty", reason="nothing was said"),))
    best: Match | None = None
    misses: list[Miss] = []
    for name, recognizer in recognizers:
        answer = await _ask(name, recognizer, text, session)
        if isinstance(answer, Miss):
            misses.append(answer)
        elif answer.score >= CERTAIN:
            misses += _passed_over(best)
            return Understood(answer, tuple(misses))
        elif best is None or answer.score > best.score:
            misses += _passed_over(best)
            best = answer
        else:
            misses += _passed_over(answer)
    return Understood(best, tuple(misses))


async def _ask(name: str, recognizer: IntentRecognizer, text: str, session: Session) -> Match | Miss:
    try:
        return await recognizer.recognize(text, session)
    except EarnestError as error:
        return Miss(stage=name, code="failed", reason=str(error))
    except (Exception, SystemExit):  # noqa: BLE001  the sentence keeps its other chances
        _log.exception("the recogniser %s failed", name)
        return Miss(stage=name, code="failed", reason="the recogniser failed; see the log")


def _passed_over(match: Match | None) -> list[Miss]:
    """Return why a match that took only the beginning of the sentence was not the one."""
    if match is None:
        return []
    reason = f"{match.intent} fits only the beginning of the sentence"
    return [Miss(stage=match.stage, code="no-match", reason=reason)]
