"""A sentence that nobody took, tried as it was probably meant; what it would open is only asked about."""

from __future__ import annotations

from collections.abc import Sequence

from hub.intents import cascade
from hub.intents.cascade import CERTAIN, Understood
from hub.intents.repair import STAGE
from hub.pipeline.progress import Progress
from hub.stages.intents import IntentRecognizer
from hub.values.intent import Match, Miss, Repaired
from hub.values.session import Session
from hub.values.tool import Effect, Refused

NOT_TAKEN = frozenset({"no-match", "unknown-name", "unknown-area"})
"""Codes of misses that leave open that a sentence was only heard wrong."""
DOUBTFUL = "doubtful"
"""Code of the miss for a sentence that does too much to be guessed."""


async def mended(
    progress: Progress,
    recognizers: Sequence[tuple[str, IntentRecognizer]],
    text: str,
    session: Session,
    misses: Sequence[Miss],
) -> Understood:
    """Return what the sentence was probably meant to be, or nothing with the reason."""
    repair = progress.context.repair
    if not (progress.pipeline.repair and repair) or any(miss.code not in NOT_TAKEN for miss in misses):
        return Understood(None)
    own = progress.context.phrases(progress.language)
    is_unread = all(miss.code == "no-match" for miss in misses)
    able = [one for _, one in recognizers]
    found = await repair.find(text, session, able, own, is_unread=is_unread)
    if not isinstance(found, Repaired):
        return Understood(None, (found,) if found else ())
    match = (await cascade.understand(recognizers, found.text, session)).match
    if match is None or match.score < CERTAIN:
        return Understood(None)
    progress.repaired = found
    if found.is_sure and _is_harmless(progress, match):
        return Understood(match)
    return Understood(None, (_doubt(progress, found),))


def _is_harmless(progress: Progress, match: Match) -> bool:
    """Whether all calls would simply be allowed, and none of them opens or runs anything."""
    weigh, caller = progress.context.weigh, progress.request.caller
    effects = [weigh(call, caller) for call in match.calls]
    return not any(isinstance(one, Refused) or one is Effect.DANGER for one in effects)


def _doubt(progress: Progress, found: Repaired) -> Miss:
    """Return the miss that asks to say it again; a question that waits for a yes belongs here."""
    reason = f"it may mean “{found.text}”, which is done only when it was heard clearly"
    return Miss(
        stage=STAGE, code=DOUBTFUL, reason=reason, reply=progress.say("did_you_mean", text=found.text)
    )
