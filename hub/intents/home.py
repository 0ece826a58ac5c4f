"""`home`: understands Home Assistant's intents about the things of this house."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hub import phrases
from hub.bus import Bus
from hub.clock import Clock
from hub.events import HouseChanged
from hub.house import House
from hub.intents.spoken import MAX_CHARACTERS, Manner, variants, words
from hub.phrases import Phrases
from hub.states import States
from hub.values.house import Area, Locale
from hub.values.intent import Match, Miss, NamedIntent
from hub.values.session import Session

if TYPE_CHECKING:
    from hub.intents.answers import Answers
    from hub.intents.guesses import Sieve
    from hub.intents.names import Names
    from hub.intents.pick import Trouble
    from hub.intents.plan import Plan, Planner
    from hub.intents.reading import Reader, Reading

_log = logging.getLogger(__name__)

STAGE = "home"
FEW_TEMPLATES = 12
"""So many templates are tried at once (under a millisecond); for more a thread is worth its price."""
SHORT_TEXT = 120
"""Characters that are read at once; free text in longer sentences can take long to match."""
REMEMBERED = 512
"""Sentences of which is kept what they meant; all are forgotten when a name changes."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """All that is needed to understand and answer in one language."""

    reader: Reader
    answers: Answers
    phrases: Phrases
    manner: Manner


class HomeIntents:
    """Sentences about this house, in every language of the intents package.

    What takes longer than a millisecond is done in a thread, so that it costs nobody else time.
    What requests share is read-only, or a memory of what whole sentences mean. `cache` is a folder
    in which prepared sentences wait for the next start.
    """

    def __init__(
        self, house: House, states: States, clock: Clock, locale: Locale, cache: Path | None = None
    ) -> None:
        self._cache = cache
        self._house = house
        self._states = states
        self._clock = clock
        self._locale = locale
        self._languages: dict[str, Spoken | None] = {}
        self._names: Names | None = None
        self._loading = asyncio.Lock()
        self._naming = asyncio.Lock()

    async def warm(self) -> None:
        """Make ready what the first sentence would wait for; cheap when only names have changed."""
        await self._spoken(self._locale.language)
        names = await self._names_now()
        await asyncio.to_thread(names.warm)

    async def keep_warm(self, bus: Bus) -> None:
        """Make ready now and after every change of the house, until cancelled."""
        with bus.view(HouseChanged, size=1) as changes:
            await self.warm()
            async for _ in changes:
                await self.warm()

    async def recognize(self, text: str, session: Session) -> Match | Miss:
        """Return what `text` means here, or why it is not understood."""
        spoken = await self._spoken(session.language)
        if spoken is None:
            reason = f"the intents package has no language '{session.language}'"
            own = await asyncio.to_thread(phrases.load, self._locale.language)
            reply = own.say("no_language", language=session.language)
            return Miss(stage=STAGE, code="no-language", reason=reason, reply=reply)
        plain = spoken.manner.plain(text[: MAX_CHARACTERS + 1])
        if not words(plain):
            return Miss(stage=STAGE, code="empty", reason="nothing was said")
        if len(text.strip()) > MAX_CHARACTERS:
            reason = f"it is longer than {MAX_CHARACTERS} characters"
            return Miss(stage=STAGE, code="no-match", reason=reason, reply=spoken.phrases.say("too_long"))
        return await self._understand(plain, session, spoken)

    async def carry_out(self, intent: NamedIntent, session: Session) -> Match | Miss:
        """Return what an intent that was recognised elsewhere does here, or why it cannot be done."""
        from hub.intents.pick import Trouble
        from hub.intents.told import answering, reading

        spoken = await self._spoken(session.language) or await self._spoken(self._locale.language)
        if spoken is None:
            reason = f"the intents package has no language '{session.language}'"
            return Miss(stage=STAGE, code="no-language", reason=reason)
        names = await self._names_now()
        here = names.picture.areas.get(session.area or "")
        told = reading(intent, names, here, spoken.phrases)
        if isinstance(told, Trouble):
            return _miss(told)
        plan = self._planner(names, here, spoken).plan(told)
        if isinstance(plan, Trouble):
            return _miss(plan)
        return _match(answering(told, plan, spoken.answers.kinds(told.intent)), plan, spoken)

    async def literals(self, session: Session) -> frozenset[tuple[str, ...]]:
        """Return the words of the session's language that sentences spell out."""
        spoken = await self._spoken(session.language)
        return spoken.reader.sentences.literals if spoken else frozenset()

    async def sieve(self, said: Sequence[str], session: Session) -> Sieve | None:
        """Return what tells which changes of these words may make a sentence of them; None: no change."""
        spoken = await self._spoken(session.language)
        names = await self._names_now()
        return spoken.reader.sentences.sieve(said, names) if spoken else None

    async def glance(self, text: str, session: Session) -> Match | Miss | None:
        """Return what a sentence about the house means, or why it cannot be done; None for any other text."""
        spoken = await self._spoken(session.language)
        if spoken is None:
            return None
        names = await self._names_now()
        here = names.picture.areas.get(session.area or "")
        return await self._taken(spoken.manner.plain(text), names, here, spoken)

    async def _understand(self, plain: str, session: Session, spoken: Spoken) -> Match | Miss:
        names = await self._names_now()
        here = names.picture.areas.get(session.area or "")
        taken = await self._taken(plain, names, here, spoken)
        last = _home_variants(spoken.manner, plain)[-1]
        return taken or await self._explain(last, names, here, spoken)

    async def _taken(
        self, plain: str, names: Names, here: Area | None, spoken: Spoken
    ) -> Match | Miss | None:
        for text in _home_variants(spoken.manner, plain):
            if readings := await self._read(text, here, names, spoken.reader):
                return self._decide(readings, names, here, spoken)
        return None

    async def _read(self, text: str, here: Area | None, names: Names, reader: Reader) -> tuple[Reading, ...]:
        """Return all ways to read the text, from memory if it was said in this room before."""
        key = (reader.sentences.language, text, here)
        known = names.read.get(key)
        if known is not None:
            return known
        templates = reader.candidates(text, names)
        if len(templates) <= FEW_TEMPLATES and len(text) <= SHORT_TEXT:
            readings = reader.read(text, here, names, templates)
        else:
            readings = await asyncio.to_thread(reader.read, text, here, names, templates)
        if len(names.read) >= REMEMBERED:
            del names.read[next(iter(names.read))]
        names.read[key] = readings
        return readings

    def _decide(
        self, readings: Sequence[Reading], names: Names, here: Area | None, spoken: Spoken
    ) -> Match | Miss:
        """Return the best reading that this house can fulfil, or why the best one cannot be."""
        from hub.intents.pick import Trouble

        planner = self._planner(names, here, spoken)
        trouble: Trouble | None = None
        for reading in sorted(readings, key=lambda one: one.is_here and one.area is None):
            plan = planner.plan(reading)
            if not isinstance(plan, Trouble):
                return _match(reading, plan, spoken)
            trouble = trouble or plan
            if plan.code not in ("nothing-there", "unknown-area"):
                break
        assert trouble is not None
        return _miss(trouble)

    def _planner(self, names: Names, here: Area | None, spoken: Spoken) -> Planner:
        from hub.intents.pick import Picker
        from hub.intents.plan import Planner

        return Planner(Picker(names, spoken.phrases, here), spoken.phrases, self._states, self._clock)

    async def _explain(self, text: str, names: Names, here: Area | None, spoken: Spoken) -> Miss:
        from hub.intents.explain import explain

        trouble = await asyncio.to_thread(explain, text, here, names, spoken.reader, spoken.phrases)
        if trouble is not None:
            return _miss(trouble)
        return Miss(stage=STAGE, code="no-match", reason="no sentence about the house is like this")

    async def _spoken(self, language: str) -> Spoken | None:
        """Return the language, read from the package at its first use; None if it has none like it."""
        if language in self._languages:
            return self._languages[language]
        async with self._loading:
            if language not in self._languages:
                self._languages[language] = await asyncio.to_thread(self._load, language)
        return self._languages[language]

    def _load(self, language: str) -> Spoken | None:
        from hub.intents import kept
        from hub.intents.answers import Answers
        from hub.intents.plan import SUPPORTED
        from hub.intents.reading import Reader

        sentences = kept.sentences(language, self._cache)
        if sentences is None:
            return None
        sentences.warm()
        own = phrases.load(language)
        answers = Answers(sentences.responses, own, self._states)
        answers.warm(SUPPORTED)
        return Spoken(Reader(sentences), answers, own, Manner(own.heard))

    async def _names_now(self) -> Names:
        """Return the house's names as they are, made anew if the house has changed."""
        from hub.intents.names import Names, Picture

        while self._names is None or self._names.picture.generation != self._house.generation:
            async with self._naming:
                if self._names is None or self._names.picture.generation != self._house.generation:
                    self._names = await asyncio.to_thread(Names, Picture.of(self._house))
                    break
        return self._names


def _home_variants(manner: Manner, plain: str) -> list[str]:
    """Return what to try; a "please" at the end is never left to be taken for part of an item's name."""
    tries = list(variants(manner, plain))
    return tries[1:] if manner.polite(plain) != plain else tries


def _match(reading: Reading, plan: Plan, spoken: Spoken) -> Match:
    said = ", ".join(f"{slot} {value}" for slot, value in reading.slots.items())
    return Match(
        stage=STAGE,
        intent=reading.intent,
        slots=reading.slots,
        calls=plan.calls,
        respond=partial(spoken.answers.word, reading, plan),
        why=f"it fits “{reading.template}”" + (f" with {said}" if said else ""),
    )


def _miss(trouble: Trouble) -> Miss:
    return Miss(stage=STAGE, code=trouble.code, reason=trouble.reply + trouble.hint, reply=trouble.reply)
