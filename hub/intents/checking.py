"""What is wrong with the commands of the YAML, all of it, each with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hub.config.document import Document, unmarked
from hub.config.schema import arguments
from hub.config.words import Path, near
from hub.errors import Problem
from hub.house import House
from hub.intents.actions import WORDS, environment
from hub.intents.commands import HOUSE_SLOTS, ActionConfig, CommandConfig, SlotConfig
from hub.intents.indexing import MOST_IN_A_COMMAND, Sources
from hub.intents.numbers import NumberWords
from hub.intents.phrase import Gap, PhraseError, Written, is_template, written_out
from hub.values.house import Area, Floor
from hub.values.tool import Tool


def check(
    commands: Mapping[str, CommandConfig],
    tools: Mapping[str, Tool],
    document: Document | None = None,
    *,
    later: frozenset[str] = frozenset(),
    house: House,
) -> list[Problem]:
    """Return every problem of the commands; an empty list if they can be used.

    `later` names domains whose tools come with integrations that are not open yet.
    """
    checker = _Checker(tools, document or unmarked({}), later, house)
    for name, command in commands.items():
        checker.check(name, command)
    return checker.problems


class _Checker:
    """Gathers the problems of one configuration."""

    def __init__(
        self, tools: Mapping[str, Tool], document: Document, later: frozenset[str], house: House
    ) -> None:
        self._tools = tools
        self._document = document
        self._later = later
        self._house = house
        self._numbers = NumberWords("", ())
        self._jinja = environment()
        self._said: dict[tuple[Written, int], str] = {}
        self._intents: dict[str, str] = {}
        self.problems: list[Problem] = []

    def check(self, name: str, command: CommandConfig) -> None:
        """Look at one command."""
        path: Path = ("commands", name)
        if command.intent is not None:
            self._intent((*path, "intent"), name, command)
        elif not command.phrases:
            self._tell(path, "has neither phrases nor an intent")
        if not command.action and command.reply is None:
            self._tell(path, "does nothing: give it an action or a reply")
        for slot, config in command.slots.items():
            self._slot((*path, "slots", slot), slot, config)
        slots = self._phrases(path, name, command)
        if command.intent is not None:
            slots |= {*command.slots, *HOUSE_SLOTS}
        for place, action in enumerate(command.action):
            self._action((*path, "action", place), action, slots)
        self._templates((*path, "reply"), command.reply, slots)

    def _intent(self, path: Path, name: str, command: CommandConfig) -> None:
        from hub.intents.named import home_intents

        intent = command.intent or ""
        if not intent.strip():
            self._tell(path, "needs the name of an intent")
        elif intent.startswith("Hass") and intent not in (known := home_intents()):
            self._tell(path, f"Home Assistant has no intent '{intent}'{near(intent, known)}")
        first = self._intents.setdefault(intent, name) if command.enabled else name
        if first != name:
            self._tell(path, f"is the intent of '{first}' too; a command is looked up by it")

    def _phrases(self, path: Path, name: str, command: CommandConfig) -> set[str]:
        """Return the slots that the phrases have."""
        sources = Sources(command.slots, self._house, self._numbers)
        slots: set[str] = set()
        count = 0
        for place, phrase in enumerate(command.phrases):
            where = (*path, "phrases", place)
            try:
                sentences = written_out(phrase)
                for sentence in sentences:
                    slots |= sources.of(sentence).keys()
            except PhraseError as error:
                slots |= set(command.slots)
                self._tell(where, str(error))
                continue
            count += len(sentences)
            if not is_template(phrase):
                self._doubled(where, name, sentences[0], command.priority)
        if count > MOST_IN_A_COMMAND:
            self._tell(path, f"stands for {count} sentences; at most {MOST_IN_A_COMMAND} are kept")
        return slots

    def _doubled(self, path: Path, name: str, sentence: Written, priority: int) -> None:
        first = self._said.setdefault((sentence, priority), name)
        if first != name:
            self._tell(path, f"is a phrase of '{first}' too; give one of them a higher priority")

    def _slot(self, path: Path, slot: str, config: SlotConfig) -> None:
        given = [bool(config.values), config.range is not None, config.wildcard]
        if slot in WORDS or slot in HOUSE_SLOTS:
            self._tell(path, f"the name '{slot}' is taken by the hub", key=True)
        if sum(given) != 1:
            self._tell(path, "needs one of values, range and wildcard")
        if config.range is not None and config.range.from_ > config.range.to:
            self._tell((*path, "range"), "begins after its end")
        if config.range is not None and config.range.step < 0:
            self._tell((*path, "range", "step"), "cannot be less than 0")
        for place, value in enumerate(config.values):
            try:
                said = value if isinstance(value, str) else value.in_
                if any(isinstance(piece, Gap) for sentence in written_out(said) for piece in sentence):
                    raise PhraseError("cannot have slots inside the values of a slot")
            except PhraseError as error:
                self._tell((*path, "values", place), str(error))

    def _action(self, path: Path, action: ActionConfig, slots: set[str]) -> None:
        tool = self._tools.get(action.name)
        key = "action" if action.action or not action.tool else "tool"
        if action.action and action.tool:
            self._tell(path, "has both action and tool; they mean the same")
        elif not action.name:
            self._tell(path, "needs an action, for instance light.turn_on")
        elif tool is None and action.name.partition(".")[0] not in self._later:
            hint = near(action.name, self._tools)
            self._tell((*path, key), f"there is no tool '{action.name}'{hint}")
        elif tool is not None:
            self._arguments((*path, "data"), tool, action.data)
        self._templates((*path, "data"), action.data, slots)
        for field in ("entity_id", "area_id", "floor_id", "device_class"):
            self._templates((*path, "target", field), getattr(action.target, field), slots)
        self._places((*path, "target", "area_id"), action.target.area_id, self._house.areas, "area")
        self._places((*path, "target", "floor_id"), action.target.floor_id, self._house.floors, "floor")

    def _places(self, path: Path, given: Sequence[str], known: Mapping[str, Area | Floor], kind: str) -> None:
        """Check areas or floors that are named outright."""
        words = {w.casefold() for one in known.values() for w in (one.id, one.name, *one.aliases)}
        for place, word in enumerate(given):
            if "{" not in word and word.strip().casefold() not in words:
                self._tell((*path, place), f"there is no {kind} '{word}'{near(word, words)}")

    def _arguments(self, path: Path, tool: Tool, data: Mapping[str, Any]) -> None:
        """Check the arguments that are known before anything is said."""
        fixed = {key: value for key, value in data.items() if "{" not in str(value)}
        try:
            arguments(tool.parameters, fixed, later=data.keys() - fixed.keys())
        except ValueError as error:
            self._tell(path, str(error))

    def _templates(self, path: Path, value: Any, slots: set[str]) -> None:
        """Check every template in a value."""
        if isinstance(value, Mapping):
            for key, item in value.items():
                self._templates((*path, key), item, slots)
        elif isinstance(value, (list, tuple)):
            for place, item in enumerate(value):
                self._templates((*path, place), item, slots)
        elif isinstance(value, str) and "{" in value:
            for message in self._template(value, slots):
                self._tell(path, message)

    def _template(self, text: str, slots: set[str]) -> Iterator[str]:
        from jinja2 import TemplateSyntaxError, meta

        try:
            unknown = meta.find_undeclared_variables(self._jinja.parse(text))
        except TemplateSyntaxError as error:
            yield f"is not a template that can be read: {error.message}"
            return
        known = {*slots, *WORDS, *self._jinja.globals}
        for word in sorted(unknown - known):
            yield f"there is no slot '{word}'{near(word, known)}"

    def _tell(self, path: Path, message: str, key: bool = False) -> None:
        self.problems.append(self._document.problem(path, message, key))
