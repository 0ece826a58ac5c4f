"""What a command does: its calls and its reply, filled in with what was said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from hub.house import House
from hub.intents.answers import Troubles, speakable
from hub.intents.commands import STAGE, ActionConfig, CommandConfig, TargetConfig
from hub.intents.phrase_index import Hit
from hub.intents.spoken import Word
from hub.phrases import Phrases
from hub.states import States
from hub.values.intent import Match, Miss
from hub.values.session import Session
from hub.values.thing import UNKNOWN, Thing
from hub.values.tool import Outcome, Target, ToolCall

if TYPE_CHECKING:
    from hub.intents.sandbox import Sandbox

WORDS = frozenset({"said", "area_here", "states", "state_attr"})
"""What templates know besides the slots: the words of each slot as they were said, the id of the
speaker's area, and the states of the house."""

_ONE_EXPRESSION = re.compile(r"\s*\{\{((?:(?!\{\{|\}\}).)*)\}\}\s*", re.DOTALL)
_UNSURE = 0.99
"""Score under which a match must be for a mere beginning of the sentence."""


class Actions:
    """Turns hits into matches. Templates are made ready when they are first used, and kept."""

    def __init__(
        self, commands: Mapping[str, CommandConfig], house: House, states: States, phrases: Phrases
    ) -> None:
        self._commands = commands
        self._house = house
        self._states = states
        self._phrases = phrases
        self._jinja: Sandbox | None = None
        self._ready: dict[str, Any] = {}

    def match(self, hit: Hit, text: str, said: Sequence[Word], session: Session) -> Match | Miss:
        """Return the match of a hit, or why its command cannot be carried out."""
        slots: dict[str, Any] = {}
        spoken: dict[str, str] = {}
        for slot, (value, start, end) in zip(hit.ending.slots, hit.values, strict=True):
            spoken[slot] = text[said[start].start : said[end - 1].end]
            slots[slot] = spoken[slot] if value is None else value
            if isinstance(value, tuple):
                one = self.one_of(value, spoken[slot], session)
                if isinstance(one, Miss):
                    return one
                slots[slot] = one
        score = 1.0 if hit.is_whole else min(hit.said / len(said), _UNSURE)
        return self.made(hit.ending.command, slots, spoken, session, _why(hit, text, said), score)

    def one_of(self, those: Sequence[Any], name: str, session: Session) -> str | Miss:
        """Return the id of the one that is meant by a name, or a question which one."""
        one = _meant(those, session.area)
        if one is None:
            return self._ambiguous(name, those)
        found: str = one.id
        return found

    def made(
        self,
        name: str,
        slots: Mapping[str, Any],
        spoken: Mapping[str, str],
        session: Session,
        why: str,
        score: float = 1.0,
    ) -> Match | Miss:
        """Return what the command does with these slots; `spoken` are their words as they were said."""
        from jinja2 import TemplateError

        command = self._commands[name]
        words = {**slots, "said": spoken, "area_here": session.area}
        try:
            calls = tuple(self._call(action, words) for action in command.action)
        except (TemplateError, ArithmeticError, ValueError, TypeError, LookupError) as error:
            reason = f"a template of the command '{name}' failed: {error}"
            return Miss(stage=STAGE, code="failed", reason=reason)
        return Match(
            stage=STAGE,
            intent=name,
            slots=slots,
            score=score,
            calls=calls,
            respond=partial(self._respond, command, words, calls),
            why=why,
        )

    def _call(self, action: ActionConfig, words: Mapping[str, Any]) -> ToolCall:
        return ToolCall(
            tool=action.name,
            arguments={key: self._filled(value, words) for key, value in action.data.items()},
            target=self._target(action.target, words),
        )

    def _target(self, target: TargetConfig, words: Mapping[str, Any]) -> Target:
        return Target(
            entities=self._several(target.entity_id, words),
            areas=self._several(target.area_id, words),
            floors=self._several(target.floor_id, words),
            device_classes=self._several(target.device_class, words),
            everything=target.all,
        )

    def _several(self, texts: Sequence[str], words: Mapping[str, Any]) -> tuple[str, ...]:
        """Fill in each text; one that gives a list stands for all its items, one that gives None for none."""
        found: list[str] = []
        for value in (self._filled(text, words) for text in texts):
            several = value if isinstance(value, (list, tuple)) else [value]
            found += [str(one) for one in several if one is not None]
        return tuple(found)

    def _filled(self, value: Any, words: Mapping[str, Any]) -> Any:
        """Return the value with its templates filled in; one that is all template keeps its type."""
        if isinstance(value, Mapping):
            return {key: self._filled(item, words) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._filled(item, words) for item in value]
        if not isinstance(value, str) or "{" not in value:
            return value
        if value not in self._ready:
            expression = _ONE_EXPRESSION.fullmatch(value)
            jinja = self._environment()
            self._ready[value] = (
                jinja.compile_expression(expression[1], undefined_to_none=False)
                if expression
                else jinja.from_string(value).render
            )
        filled = self._ready[value](**words)
        return str(filled) if type(filled).__name__ == "StrictUndefined" else filled

    def _respond(
        self,
        command: CommandConfig,
        words: Mapping[str, Any],
        calls: Sequence[ToolCall],
        outcomes: Sequence[Outcome],
    ) -> str:
        from jinja2 import TemplateError

        names = {
            thing: self._house.things[thing].name for outcome in outcomes for thing in self._known(outcome)
        }
        trouble = Troubles(self._phrases, names).word(outcomes)
        if trouble is not None:
            return trouble
        if command.reply is None:
            return self._phrases.say("done") if calls else ""
        try:
            return " ".join(str(self._filled(command.reply, words)).split())
        except (TemplateError, ArithmeticError, ValueError, TypeError, LookupError) as error:
            return self._phrases.say("failed", reason=str(error))

    def _known(self, outcome: Outcome) -> list[str]:
        return [thing for thing in outcome.targets if thing in self._house.things]

    def _ambiguous(self, name: str, those: Sequence[Any]) -> Miss:
        places = [self._placed(one) for one in those]
        reply = self._phrases.say("which_one", name=name, choices=", ".join(places))
        return Miss(stage=STAGE, code="ambiguous", reason=reply, reply=reply)

    def _placed(self, one: Any) -> str:
        area = self._house.areas.get(one.area or "") if isinstance(one, Thing) else None
        return f"{one.name} {self._phrases.say('in_area', area=area.name)}" if area else str(one.name)

    def _environment(self) -> Sandbox:
        if self._jinja is None:
            self._jinja = environment()
            self._jinja.globals |= {"states": self._state, "state_attr": self._attribute}
        return self._jinja

    def _state(self, entity_id: str) -> Any:
        now = self._states.get(entity_id)
        return speakable(now.state) if now else UNKNOWN

    def _attribute(self, entity_id: str, name: str) -> Any:
        now = self._states.get(entity_id)
        return speakable(now.attributes.get(name)) if now else None


def environment() -> Sandbox:
    """Return a fresh sandbox for the templates of commands."""
    from hub.intents.sandbox import Sandbox

    return Sandbox()


def _meant(those: Sequence[Any], here: str | None) -> Any:
    """Return the one that is meant: the only one, or the only one in the speaker's room."""
    if len(those) == 1:
        return those[0]
    near = [one for one in those if isinstance(one, Thing) and here is not None and one.area == here]
    return near[0] if len(near) == 1 else None


def _why(hit: Hit, text: str, said: Sequence[Word]) -> str:
    if hit.is_whole:
        return f"it is the phrase “{hit.ending.phrase}”"
    rest = text[said[hit.said].start :]
    return f"it begins with the phrase “{hit.ending.phrase}”; “{rest}” was left over"
