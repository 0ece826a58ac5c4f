"""Tells from the words so far whether a command is over, or may go on with another target or value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, Protocol, runtime_checkable

from hub.intents import cascade
from hub.intents.spoken import words
from hub.stages.intents import IntentRecognizer
from hub.values.intent import Match, Miss
from hub.values.session import Session

Extent = Literal["complete", "open", "unknown"]
"""`complete`: understood, and nothing can follow that changes what is done; `open`: the words ask for
more, or more may follow; `unknown`: nobody can tell."""

MOST_TRIES = 60
"""Continuations that are tried; a house with more places gets no early end."""
_CONTINUATIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "en": (
            "to 43 percent",
            "at 43 percent",
            "to red",
            "to 17 degrees",
            "for 43 minutes",
            "in 43 minutes",
            "and 43 seconds",
            "and a half",
            "tomorrow",
            "5",
            "hours",
            "upstairs",
            "lights",
        )
    }
)
"""What commonly follows a command, by language; a language without any has no early end."""
_PLACES: Mapping[str, tuple[str, ...]] = MappingProxyType({"en": ("in the {}", "and the {}")})
_ENGLISH = """a all an and at both but by every for from in into my named of or our set than that the then to
turn until what when where while with your zero twenty thirty forty fifty sixty seventy eighty ninety hundred
one two three four five six seven eight nine ten um uh er"""
_ASK_FOR_MORE: Mapping[str, frozenset[str]] = MappingProxyType({"en": frozenset(_ENGLISH.split())})
"""Words after which a command goes on; what is understood may end with them only after a full silence."""


@runtime_checkable
class Glancing(Protocol):
    """A recogniser that can be asked often: it explains nothing that it does not understand."""

    async def glance(self, text: str, session: Session) -> Match | Miss | None:
        """Return what a sentence means, why it cannot be done, or None when it is no sentence."""


@runtime_checkable
class Spelling(Protocol):
    """A recogniser that knows the words of its sentences."""

    async def literals(self, session: Session) -> frozenset[tuple[str, ...]]:
        """Return the sequences of words that its sentences spell out."""


class Hasty:
    """A recogniser of whole sentences, asked by its `glance`."""

    def __init__(self, recognizer: Glancing) -> None:
        self._recognizer = recognizer

    async def recognize(self, text: str, session: Session) -> Match | Miss:
        """Return what the sentence means, or that nobody knows."""
        found = await self._recognizer.glance(text, session)
        return found or Miss(stage="extent", code="no-match", reason="no such sentence")


async def extent(
    recognizers: Sequence[tuple[str, IntentRecognizer]],
    text: str,
    session: Session,
    names: Sequence[str],
    places: Sequence[str],
) -> Extent:
    """Tell whether `text` is over; `names` are all names and phrases of the house, `places` its areas.

    Runs nothing: it only asks what longer sentences would mean.
    """
    language = session.language.split("-")[0].lower()
    said = [word.text for word in words(text)]
    if not said or language not in _CONTINUATIONS:
        return "unknown"
    if _asks_for_more(said, language) or _begins_a_name(said, names):
        return "open"
    if _begins_a_name(said, [" ".join(spelt) for spelt in await _spelt(recognizers, session)]):
        return "open"
    asked = [(name, Hasty(one)) for name, one in recognizers if isinstance(one, Glancing)]
    if len(asked) < len(recognizers):
        return "unknown"
    meant = (await cascade.understand(asked, text, session)).match
    tries = list(_continuations(language, places))
    if meant is None or meant.score < cascade.CERTAIN or len(tries) > MOST_TRIES:
        return "unknown"
    plain = text.strip().rstrip(".!?,;: ")
    for more in tries:
        longer = (await cascade.understand(asked, f"{plain} {more}", session)).match
        if longer is not None and longer.score >= cascade.CERTAIN and _deed(longer) != _deed(meant):
            return "open"
    return "complete"


async def _spelt(
    recognizers: Sequence[tuple[str, IntentRecognizer]], session: Session
) -> frozenset[tuple[str, ...]]:
    """Return the sequences of words that the sentences of the recognisers spell out."""
    sets = [await one.literals(session) for _, one in recognizers if isinstance(one, Spelling)]
    return frozenset(spelt for those in sets for spelt in those if len(spelt) > 1)


def _asks_for_more(said: Sequence[str], language: str) -> bool:
    return said[-1] in _ASK_FOR_MORE[language] or said[-1].isdigit()


def _begins_a_name(said: Sequence[str], names: Sequence[str]) -> bool:
    """Whether the last words are the beginning of a longer name."""
    ends = tuple(" ".join(said[-count:]) + " " for count in range(1, min(len(said), 6) + 1))
    return any(name.lower().startswith(ends) for name in names)


def _continuations(language: str, places: Sequence[str]) -> Iterator[str]:
    yield from _CONTINUATIONS[language]
    for place in places:
        yield from (form.format(place) for form in _PLACES[language])


def _deed(match: Match) -> list[tuple[str, str]]:
    """Return what a match would do, to be compared."""
    calls = [(call.tool, f"{sorted(call.arguments.items())} {call.target}") for call in match.calls]
    return calls or [(match.intent, repr(sorted(match.slots.items(), key=str)))]
