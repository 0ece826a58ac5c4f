"""Words the answers: the intents package's own sentences when all went well, else what did not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hub.intents.plan import Plan
from hub.intents.reading import Reading
from hub.phrases import Phrases
from hub.states import States
from hub.values.thing import UNAVAILABLE, UNKNOWN, Thing
from hub.values.tool import Done, Outcome, Pending, Refused

if TYPE_CHECKING:
    from jinja2 import Template

DECIMALS = 2
"""Digits after the point that are spoken."""


class Answers:
    """The answers of one language. Templates are made ready once and kept."""

    def __init__(self, responses: Mapping[str, Mapping[str, str]], phrases: Phrases, states: States) -> None:
        from jinja2.sandbox import SandboxedEnvironment

        self._responses = responses
        self._phrases = phrases
        self._states = states
        self._jinja = SandboxedEnvironment()
        self._jinja.globals["state_attr"] = self._attribute
        self._templates: dict[tuple[str, str], Template | str] = {}

    def warm(self, intents: Iterable[str]) -> None:
        """Make the templates of these intents ready; each takes milliseconds."""
        for intent in intents:
            for response in self._responses.get(intent, ()):
                self._template(intent, response)

    def kinds(self, intent: str) -> Iterable[str]:
        """Return the keys of all answers that the package has for the intent."""
        return self._responses.get(intent, ())

    def word(self, reading: Reading, plan: Plan, outcomes: Sequence[Outcome]) -> str:
        """Return what to say after the plan's calls ended like this."""
        names = {thing.id: thing.name for thing in plan.things}
        trouble = Troubles(self._phrases, names).word(outcomes)
        return trouble if trouble is not None else self._well(reading, plan)

    def _well(self, reading: Reading, plan: Plan) -> str:
        if plan.reply is not None:
            return self._phrases.say(plan.reply)
        first = self.view(plan.things[0]) if plan.things else None
        template = self._template(reading.intent, reading.response)
        if template is None:
            return self._phrases.say("done")
        if (
            first is not None
            and not plan.calls
            and len(plan.things) == 1
            and self._is_unknown(reading, first)
        ):
            return self._phrases.say("unknown_state", name=first.name)
        if isinstance(template, str):
            return template
        query = {
            "matched": list(map(self.view, plan.matched)),
            "unmatched": list(map(self.view, plan.unmatched)),
        }
        said = template.render(slots={**reading.slots, **plan.slots}, state=first, query=query)
        return " ".join(said.split())

    def view(self, thing: Thing) -> StateView:
        """Return the thing's state as answers speak of it."""
        now = self._states.get(thing.id)
        if now is None:
            return StateView(thing, self._phrases, UNKNOWN, {})
        return StateView(thing, self._phrases, now.state, now.attributes)

    def _is_unknown(self, reading: Reading, view: StateView) -> bool:
        """Whether a question about one thing asks for what nobody knows."""
        if reading.intent != "HassClimateGetTemperature":
            return str(view.raw) == UNKNOWN
        temperature = view.attributes.get("current_temperature", view.raw)
        return not isinstance(speakable(temperature), (int, float))

    def _attribute(self, entity_id: str, name: str) -> Any:
        now = self._states.get(entity_id)
        return speakable(now.attributes.get(name)) if now else None

    def _template(self, intent: str, response: str) -> Template | str | None:
        """Return the answer; plain text for one that is always the same."""
        key = (intent, response)
        if key not in self._templates:
            source = self._responses.get(intent, {}).get(response)
            if source is None:
                return None
            self._templates[key] = self._jinja.from_string(source) if "{" in source else source.strip()
        return self._templates[key]


class StateView:
    """A thing's state with the names that the package's answers use."""

    def __init__(self, thing: Thing, phrases: Phrases, state: str, attributes: Mapping[str, Any]) -> None:
        self.entity_id = thing.id
        self.domain = thing.domain
        self.name = thing.name
        self.raw = speakable(state)
        self.attributes = {key: speakable(value) for key, value in attributes.items()}
        self.state = self.raw
        if isinstance(self.raw, str):
            self.state = phrases.state(thing.domain, thing.device_class, self.raw)

    @property
    def state_with_unit(self) -> str:
        """The state as it is spoken, with its unit if it has one."""
        unit = self.attributes.get("unit_of_measurement")
        return f"{self.state} {unit}" if unit and self.raw not in (UNKNOWN, UNAVAILABLE) else str(self.state)

    def __eq__(self, other: object) -> bool:
        return str(self.raw) == other if isinstance(other, str) else self is other

    def __hash__(self) -> int:
        return hash(self.entity_id)


class Troubles:
    """What to say of calls that did not go well."""

    def __init__(self, phrases: Phrases, names: Mapping[str, str]) -> None:
        self._phrases = phrases
        self._names = names

    def word(self, outcomes: Sequence[Outcome]) -> str | None:
        """Return what was asked, refused or failed; None if all went well."""
        for outcome in outcomes:
            if isinstance(outcome, Pending):
                return outcome.question
        bad = [one for one in outcomes if not (isinstance(one, Done) and one.ok)]
        if not bad:
            return None
        if len(bad) == 1 and len(outcomes) == 1 and isinstance(bad[0], Refused):
            return self._refused(bad[0])
        return self._failed(outcomes)

    def _refused(self, refused: Refused) -> str:
        key = "denied" if refused.code == "denied" else "refused"
        return self._phrases.say(key, reason=sentence(refused.reason))

    def _failed(self, outcomes: Sequence[Outcome]) -> str:
        targets = [thing for outcome in outcomes for thing in outcome.targets]
        reasons = dict(_reasons(outcomes))
        if len(targets) <= 1:
            name = self._names.get(targets[0], targets[0]) if targets else ""
            reason = sentence(" ".join(dict.fromkeys(reasons.values())))
            key = "failed_one" if name else "failed"
            return self._phrases.say(key, name=name, reason=reason)
        done = sum(thing not in reasons for thing in targets) if "" not in reasons else 0
        named = " ".join(
            sentence(f"{self._names.get(thing, thing)}: {reason}" if thing else reason)
            for thing, reason in reasons.items()
        )
        return self._phrases.say(
            "failed_some" if done else "failed_all", done=done, all=len(targets), reasons=named
        )


def _reasons(outcomes: Iterable[Outcome]) -> Iterator[tuple[str, str]]:
    """Yield each thing that did not do it, with the sentence why; "" for what is no thing's."""
    for outcome in outcomes:
        if isinstance(outcome, Refused):
            yield from ((thing, outcome.reason) for thing in outcome.targets or ("",))
        elif isinstance(outcome, Done) and not outcome.ok:
            yield from outcome.failed.items()


def sentence(text: str) -> str:
    """Return the text with one full stop at its end."""
    text = text.strip()
    return text if not text or text[-1] in ".!?" else f"{text}."


def speakable(value: Any) -> Any:
    """Return a number (also one in text) as people say it: 5 for 5.0; anything else as it is."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return value
        value = number if value.strip() == value and not value.startswith("+") else value
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return str(value)
        value = round(value, DECIMALS)
        return int(value) if value.is_integer() else value
    return value
