"""What intents do that a recogniser outside the hub found: by the commands of the YAML, else as Home
Assistant's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hub.config.words import near
from hub.errors import EngineError
from hub.intents.answers import sentence
from hub.intents.commands import Commands
from hub.intents.home import HomeIntents
from hub.values.intent import Match, Miss, NamedIntent, Respond
from hub.values.session import Session
from hub.values.tool import Done, Outcome

MOST = 10
"""Intents that one sentence may have."""


def home_intents() -> frozenset[str]:
    """Return the names of Home Assistant's intents, also of those that are not done yet."""
    from hub.intents.deeds import UNSUPPORTED
    from hub.intents.plan import SUPPORTED

    return SUPPORTED | UNSUPPORTED.keys()


class NamedIntents:
    """Finds what intents do in this house; `commands` returns those of the YAML as they are now."""

    def __init__(self, home: HomeIntents, commands: Callable[[], Commands]) -> None:
        self._home = home
        self._commands = commands

    async def resolve(self, stage: str, intents: Sequence[NamedIntent], session: Session) -> Match | Miss:
        """Return what they all do together, in order, or why one of them cannot be done.

        Raises `EngineError` for more than `MOST`.
        """
        if len(intents) > MOST:
            raise EngineError(f"'{stage}' found {len(intents)} intents in one sentence; {MOST} are taken")
        matches: list[Match] = []
        for intent in intents:
            found = await self._one(intent, session)
            if isinstance(found, Miss):
                return replace(found, stage=stage)
            matches.append(replace(found, respond=_respond_with(intent.reply, found.respond)))
        if not matches:
            return Miss(stage=stage, code="no-match", reason="no intent was found")
        return _together(stage, matches)

    async def _one(self, intent: NamedIntent, session: Session) -> Match | Miss:
        commands = self._commands()
        if found := await commands.carry_out(intent, session):
            return found
        own = home_intents()
        if intent.name in own:
            return await self._home.carry_out(intent, session)
        known = {*commands.intents, *own}
        reason = f"nothing handles the intent '{intent.name}'{near(intent.name, known)}"
        hint = f" (a command takes it with `intent: {intent.name}`)" if intent.name.isprintable() else ""
        return Miss(stage="", code="unsupported", reason=reason + hint)


def _respond_with(reply: str | None, respond: Respond) -> Respond:
    """Return the answer of the recogniser where all went well, else the hub's."""
    if reply is None:
        return respond
    return lambda outcomes: reply if all(map(_is_well, outcomes)) else respond(outcomes)


def _is_well(outcome: Outcome) -> bool:
    return isinstance(outcome, Done) and outcome.ok


def _together(stage: str, matches: Sequence[Match]) -> Match:
    """Return one match that does what all of them do."""
    first = matches[0]

    def respond(outcomes: Sequence[Outcome]) -> str:
        said, rest = [], list(outcomes)
        for match in matches:
            mine, rest = rest[: len(match.calls)], rest[len(match.calls) :]
            said.append(match.respond(mine))
        return " ".join(dict.fromkeys(filter(None, map(sentence, said))))

    return replace(
        first,
        stage=stage,
        intent=", ".join(match.intent for match in matches),
        slots=first.slots if len(matches) == 1 else {str(n): m.slots for n, m in enumerate(matches)},
        calls=tuple(call for match in matches for call in match.calls),
        respond=first.respond if len(matches) == 1 else respond,
        why="; ".join(match.why for match in matches),
    )
