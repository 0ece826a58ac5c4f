"""`commands`: sentences that the people of the house wrote into the YAML, and what they do."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hub import phrases
from hub.house import House
from hub.intents.lexicon import Option, changed
from hub.intents.spoken import MAX_CHARACTERS, Manner, Word, variants, words
from hub.states import States
from hub.values.house import Locale
from hub.values.intent import Match, Miss, NamedIntent
from hub.values.session import Session

if TYPE_CHECKING:
    from hub.intents.actions import Actions
    from hub.intents.filling import Filler
    from hub.intents.numbers import NumberWords
    from hub.intents.phrase_index import Hit, PhraseIndex
    from hub.phrases import Phrases

STAGE = "commands"
HOUSE_SLOTS = ("name", "area", "floor")
"""Slots that hold the names of this house."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeConfig:
    """Numbers that a slot may hold."""

    from_: float
    """The least."""
    to: float
    """The largest."""
    step: float = 0.0
    """Distance between two of them, counted from the least; 0 takes every number, decimals too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueConfig:
    """One value of a slot, where it is said in other words than it is used."""

    in_: str
    """How it is said; a template like a phrase, without slots."""
    out: str | int | float | bool
    """What the action gets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotConfig:
    """What may be said in a slot: `values`, a `range` of numbers, or any words."""

    values: tuple[str | ValueConfig, ...] = ()
    """Words to choose from."""
    range: RangeConfig | None = None
    wildcard: bool = False
    """Whether any words may stand there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetConfig:
    """What an action is for. Texts may be templates with the slots, like `{{ area }}`."""

    entity_id: tuple[str, ...] = ()
    """Ids, names or aliases of things."""
    area_id: tuple[str, ...] = ()
    """Ids, names or aliases of areas."""
    floor_id: tuple[str, ...] = ()
    """Ids, names or aliases of floors."""
    device_class: tuple[str, ...] = ()
    """Keep only things of these classes."""
    all: bool = False
    """Every thing of the tool's domain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionConfig:
    """One call of a tool."""

    action: str | None = None
    """The tool, for instance `light.turn_on`."""
    tool: str | None = None
    """Another word for `action`."""
    target: TargetConfig = TargetConfig()
    data: Mapping[str, Any] = field(default_factory=dict)
    """The tool's arguments; texts in them may be templates with the slots."""

    @property
    def name(self) -> str:
        """The tool's name; empty if none is given."""
        return self.action or self.tool or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandConfig:
    """One entry under `commands:`, by its id."""

    phrases: tuple[str, ...] = ()
    """Sentence templates of hassil: `[optional]`, `(one|other)`, `(any;order)`, `{slot}`. The slots
    `{name}`, `{area}` and `{floor}` hold the names of this house, `{0..100:level}` numbers. A phrase
    without slots is also taken as the beginning of a longer sentence."""
    intent: str | None = None
    """The name of an intent for which another recogniser may take a sentence, a Wyoming server for
    instance: its entities fill the slots of the same names."""
    slots: Mapping[str, SlotConfig] = field(default_factory=dict)
    """What the other slots of the phrases and of the intent may hold."""
    action: tuple[ActionConfig, ...] = ()
    """What to do, one call or several, in order."""
    reply: str | None = None
    """What to say when all went well; a template with the slots. None says that it is done."""
    priority: int = 0
    """The larger one wins where a sentence fits two commands equally well."""
    enabled: bool = True


class Commands:
    """Recognises the commands of the YAML. What requests share is only read."""

    def __init__(
        self, commands: Mapping[str, CommandConfig], house: House, states: States, locale: Locale
    ) -> None:
        self._commands = {name: command for name, command in commands.items() if command.enabled}
        self._by_intent = {one.intent: name for name, one in self._commands.items() if one.intent}
        self._house = house
        self._states = states
        self._locale = locale
        self._made: _Made | None = None
        self._making = asyncio.Lock()
        self._literals: frozenset[tuple[str, ...]] | None = None

    @property
    def intents(self) -> tuple[str, ...]:
        """The names of the intents that commands declare."""
        return tuple(self._by_intent)

    async def warm(self) -> None:
        """Make the index of phrases ready."""
        await self._ready()

    async def recognize(self, text: str, session: Session) -> Match | Miss:
        """Return the command that the text is, or begins with."""
        made = await self._ready()
        plain = made.manner.plain(text[: MAX_CHARACTERS + 1])
        said = words(plain)
        if not said:
            return Miss(stage=STAGE, code="empty", reason="nothing was said")
        if len(text.strip()) > MAX_CHARACTERS:
            reason = f"it is longer than {MAX_CHARACTERS} characters"
            return Miss(stage=STAGE, code="no-match", reason=reason, reply=made.phrases.say("too_long"))
        found = made.find(plain, said)
        if found is None:
            reason = "no phrase of a command is like this" if self._commands else "there are no commands"
            return Miss(stage=STAGE, code="no-match", reason=reason)
        return made.actions.match(*found, session)

    async def carry_out(self, intent: NamedIntent, session: Session) -> Match | Miss | None:
        """Return what the command that declares this intent does; None if there is no such command."""
        name = self._by_intent.get(intent.name)
        if name is None:
            return None
        made = await self._ready()
        filled = made.filler(self._commands[name].slots, self._house).fill(intent, session)
        if isinstance(filled, Miss):
            return filled
        why = f"it is the intent {intent.name}"
        return made.actions.made(name, filled.slots, filled.said, session, why)

    async def literals(self, session: Session) -> frozenset[tuple[str, ...]]:
        """Return the words of the phrases, whatever the session."""
        made = await self._ready()
        if self._literals is None:
            self._literals = await asyncio.to_thread(lambda: frozenset(made.index.literals()))
        return self._literals

    async def sieve(self, said: Sequence[str], session: Session) -> PhraseSieve | None:
        """Return what tells which changes of these words make a phrase of them; None without a phrase."""
        if not self._commands:
            return None
        return PhraseSieve((await self._ready()).index, await self.literals(session), said)

    async def glance(self, text: str, session: Session) -> Match | Miss | None:
        """Return the command that the whole text is; None if it is none."""
        made = await self._ready()
        plain = made.manner.plain(text)
        found = made.find(plain, words(plain))
        return made.actions.match(*found, session) if found and found[0].is_whole else None

    async def _ready(self) -> _Made:
        if self._made is None:
            async with self._making:
                if self._made is None:
                    self._made = await asyncio.to_thread(self._make)
        return self._made

    def _make(self) -> _Made:
        from hub.intents.actions import Actions
        from hub.intents.indexing import index
        from hub.intents.numbers import NumberWords

        own = phrases.load(self._locale.language)
        manner = Manner(own.heard)
        numbers = NumberWords(self._locale.language, own.heard.point)
        tree = index(self._commands, self._house, manner, numbers)
        actions = Actions(self._commands, self._house, self._states, own)
        return _Made(tree, actions, manner, numbers, own)


@dataclass(frozen=True, slots=True)
class _Made:
    """What is made from the commands once."""

    index: PhraseIndex
    actions: Actions
    manner: Manner
    numbers: NumberWords
    phrases: Phrases

    def filler(self, slots: Mapping[str, SlotConfig], house: House) -> Filler:
        """Return what fills the slots of a command from an intent."""
        from hub.intents.filling import Filler
        from hub.intents.indexing import Sources

        sources = Sources(slots, house, self.numbers)
        values = {slot: sources.named(slot) for slot in (*slots, *HOUSE_SLOTS)}
        return Filler(slots, values, self.actions, house)

    def find(self, plain: str, said: Sequence[Word]) -> tuple[Hit, str, Sequence[Word]] | None:
        """Return the best phrase, the text it was found in and its words.

        A whole sentence is looked for in every form of the text before a mere beginning counts.
        """
        beginning: tuple[Hit, str, Sequence[Word]] | None = None
        for text in self._forms(plain):
            said = said if text is plain else words(text)
            hit = self.index.best([word.text for word in said])
            if hit is not None and hit.is_whole:
                return hit, text, said
            if hit is not None and beginning is None:
                beginning = (hit, text, said)
        return beginning

    def _forms(self, plain: str) -> Iterator[str]:
        """Yield the text as it was said, then without what is said around, then in its one form."""
        text = plain
        for text in variants(self.manner, plain):
            yield text
        one_form = canonical(text, self.manner, self.numbers)
        if one_form != text:
            yield one_form


class PhraseSieve:
    """Holds one sentence, with changes, against all phrases."""

    def __init__(self, index: PhraseIndex, literals: frozenset[tuple[str, ...]], said: Sequence[str]) -> None:
        self._index = index
        self._said = said
        self._reached, self._gap = index.reached(said)
        self._is_wordy = 2 * sum((word,) in literals for word in said) >= len(said)

    def may(self, count: int) -> bool:
        """Whether so many changes are worth trying: two only where half of the words are of phrases."""
        return count == 1 or self._is_wordy

    def spares(self, start: int, end: int) -> bool:
        """Whether some phrase begins with all words before these."""
        return start in self._reached or start >= self._gap

    def hints(self, change: Option) -> bool:
        """Whether the change, with another one, may help: it may, where two are tried at all."""
        return self._is_wordy

    def passes(self, changes: Sequence[Option]) -> bool:
        """Whether the sentence is a phrase with these changes, which are in its order."""
        if not self.spares(changes[0].start, changes[0].end):
            return False
        hit = self._index.best(changed(self._said, changes))
        return hit is not None and hit.is_whole


def canonical(text: str, manner: Manner, numbers: NumberWords) -> str:
    """Return the one form of all ways to write a text: numbers in digits, `4 am`, `its`."""
    return manner.canonical(numbers.digits(text))
