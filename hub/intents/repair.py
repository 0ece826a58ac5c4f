"""A sentence that nobody understood, with the words of this house put where it was heard wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from hub.intents.guesses import MOST_FREE, Guess, Repairable, RepairLimits, Search, Sentence, place_of
from hub.intents.lexicon import Lexicon, Unit
from hub.intents.spoken import MAX_CHARACTERS, Manner, words
from hub.intents.vocabulary import Vocabulary
from hub.phrases import Phrases
from hub.stages.intents import IntentRecognizer
from hub.values.intent import Change, Match, Miss, Repaired
from hub.values.session import Session

__all__ = ["Repair", "RepairLimits"]

STAGE = "repair"
AT_ONCE = 12
"""Words of a sentence that is searched at once; for a longer one a thread is worth its price."""
MOST_LANGUAGES = 8
"""Languages whose words are kept."""


class Repair:
    """Finds what was meant, if only one thing can have been. Keeps the house's words by their sound."""

    def __init__(self, vocabulary: Vocabulary, limits: RepairLimits) -> None:
        self._vocabulary = vocabulary
        self._limits = limits
        self._lexicons: dict[str, tuple[tuple[object, ...], Lexicon]] = {}
        """By language, with what each was made from."""
        self._manners: dict[str, Manner] = {}

    async def find(
        self,
        text: str,
        session: Session,
        recognizers: Iterable[IntentRecognizer],
        own: Phrases,
        *,
        is_unread: bool = False,
    ) -> Repaired | Miss | None:
        """Return the one repair of a text that nobody took, why there are several, or None.

        A text that a recogniser reads as it stands is never repaired; `is_unread` says that none does.
        """
        able = [one for one in recognizers if isinstance(one, Repairable)]
        if not able or len(text) > MAX_CHARACTERS:
            return None
        manner = self._manners.get(own.language) or self._manners.setdefault(own.language, Manner(own.heard))
        text = manner.bare(manner.plain(text))
        said = words(text)
        if not 0 < len(said) <= self._limits.longest:
            return None
        for one in () if is_unread else able:
            if await one.glance(text, session) is not None:
                return None
        return await self._search(Sentence(text, said, session), able, own)

    async def _search(
        self, sentence: Sentence, able: Sequence[Repairable], own: Phrases
    ) -> Repaired | Miss | None:
        lexicon = await self._lexicon(able, sentence.session, own)
        if lexicon.strange(sentence.folded) > MOST_FREE + 2:
            return None
        sieves = {one: await one.sieve(sentence.folded, sentence.session) for one in able}
        hopeful = {one: sieve for one, sieve in sieves.items() if sieve is not None}
        search = Search(sentence, lexicon, hopeful, self._limits)
        for look in (search.look, search.look_further):
            if len(sentence.said) <= AT_ONCE:
                look()
            else:
                await asyncio.to_thread(look)
            found = await search.think()
            if found is None:
                return None
            if found:
                return _verdict(found, search, own)
        return None

    async def _lexicon(self, able: Sequence[Repairable], session: Session, own: Phrases) -> Lexicon:
        """Return the words of the recognisers and the house, made anew in a thread if some have changed."""
        literals = [await one.literals(session) for one in able]
        names = self._vocabulary.names()
        key = (*literals, names)
        made = self._lexicons.get(session.language)
        if made is None or list(map(id, made[0])) != list(map(id, key)):
            lexicon = await asyncio.to_thread(self._made_of, session.language, literals, names, own)
            if len(self._lexicons) >= MOST_LANGUAGES:
                self._lexicons.clear()
            self._lexicons[session.language] = made = (key, lexicon)
        return made[1]

    def _made_of(
        self, language: str, literals: Iterable[frozenset[Unit]], names: Iterable[str], own: Phrases
    ) -> Lexicon:
        is_own = language.replace("_", "-").partition("-")[0] == own.language.partition("-")[0]
        return Lexicon(
            language,
            literals=frozenset[Unit]().union(*literals),
            names={tuple(word.text for word in words(name)) for name in names} - {()},
            mistaken=[group.split() for group in own.heard.mistaken] if is_own else (),
            floor=max(self._limits.likeness - self._limits.margin, 0.0),
        )


def _verdict(
    found: Sequence[tuple[Guess, Match | Miss]], search: Search, own: Phrases
) -> Repaired | Miss | None:
    found = [one for one in found if not any(one[0].overdoes(other) for other, _ in found)]
    answer = found[0][1]
    meant = [guess for guess, other in found if _meaning(other) == _meaning(answer)]
    best = next((guess for guess in meant if search.is_near(guess)), None)
    if isinstance(answer, Miss) or best is None:
        return None
    for rival, _ in found:
        if rival not in meant:
            return _unclear(best, rival, search, own)
    changes = tuple(
        Change(heard=search.sentence.heard(one), meant=" ".join(one.meant), score=search.lexicon.score(one))
        for one in best.changes
    )
    return Repaired(text=best.text, changes=changes, is_sure=search.is_sure(best))


def _unclear(best: Guess, rival: Guess, search: Search, own: Phrases) -> Miss:
    choices = [best.text, rival.text]
    ours, theirs = best.changes, rival.changes
    heard = search.sentence.text
    if len(ours) == len(theirs) == 1 and place_of(ours[0]) == place_of(theirs[0]):
        heard = search.sentence.heard(ours[0])
        choices = [" ".join(one.meant) for one in (ours[0], theirs[0])]
    reason = f"“{heard}” may be “{choices[0]}” or “{choices[1]}”"
    reply = own.say("which_was_meant", one=choices[0], other=choices[1])
    return Miss(stage=STAGE, code="ambiguous", reason=reason, reply=reply)


def _meaning(answer: Match | Miss) -> tuple[object, ...]:
    """Return what makes two answers the same: their calls, or for a question its slots."""
    if isinstance(answer, Miss):
        return answer.code, answer.reason
    if not answer.calls:
        return answer.stage, answer.intent, repr(sorted(answer.slots.items()))
    return tuple((call.tool, repr(sorted(call.arguments.items())), call.target) for call in answer.calls)
