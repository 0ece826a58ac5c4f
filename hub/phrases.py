"""The hub's own sentences, one file a language; English is the measure of the others."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hub.errors import ConfigError, Problem

FOLDER = Path(__file__).with_suffix("")
REFERENCE = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """How people speak around what they mean."""

    fillers: tuple[str, ...] = ()
    """Words that mean nothing at the start of a sentence."""
    wake_words: tuple[str, ...] = ()
    """Wake words as they are spoken, which a recogniser may leave in front."""
    polite: tuple[str, ...] = ()
    """Words that mean nothing at the end of a sentence."""
    point: tuple[str, ...] = ()
    """How a decimal point is spoken."""
    morning: tuple[str, ...] = ()
    """What follows an hour before noon."""
    afternoon: tuple[str, ...] = ()
    """What follows an hour after noon."""
    mistaken: tuple[str, ...] = ()
    """Short words that recognisers take for each other, each group one text: `and in an`."""
    same: Mapping[str, str] = field(default_factory=dict)
    """Ways to say something, with the one form that stands for them all in comparisons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """Everything the hub says by itself in one language."""

    language: str
    sentences: Mapping[str, str]
    """By key; words in braces are filled in by `say`."""
    kinds: Mapping[str, str]
    """Plural words for domains and `domain.device_class`."""
    states: Mapping[str, str]
    """Words for `domain.device_class.state`, `domain.state` or a state alone."""
    examples: Mapping[str, str]
    """By domain, what people say most often to such a thing; `{name}` is the thing."""
    heard: Heard

    def say(self, key: str, **words: Any) -> str:
        """Return the sentence of this key with its words filled in; raises `KeyError` without one."""
        return self.sentences[key].format(**words)

    def kind(self, domain: str, device_class: str | None = None) -> str:
        """Return what people call many things of this kind."""
        word = self.kinds.get(f"{domain}.{device_class}") or self.kinds.get(domain)
        return word or (device_class or domain).replace("_", " ")

    def state(self, domain: str, device_class: str | None, state: str) -> str:
        """Return how a state is spoken."""
        for key in (f"{domain}.{device_class}.{state}", f"{domain}.{state}", state):
            if key in self.states:
                return self.states[key]
        return state.replace("_", " ")


def languages() -> tuple[str, ...]:
    """Return the languages that have a file."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.yaml")))


def load(language: str) -> Phrases:
    """Return the sentences of this language, of its family, or the English ones.

    Raises `ConfigError` for a file that is not whole.
    """
    known = languages()
    for name in (language, language.replace("_", "-").partition("-")[0]):
        if name in known:
            return read(FOLDER / f"{name}.yaml")
    return read(FOLDER / f"{REFERENCE}.yaml")


def read(file: Path) -> Phrases:
    """Read one file and hold it against the English one."""
    content = _content(file)
    problems = list(_problems(file, content))
    if problems:
        raise ConfigError(problems)
    heard: dict[str, Any] = {
        key: value if key == "same" else tuple(value) for key, value in content["heard"].items()
    }
    return Phrases(
        language=file.stem,
        sentences=content["sentences"],
        kinds=content["kinds"],
        states=content["states"],
        examples=content["examples"],
        heard=Heard(**heard),
    )


def _content(file: Path) -> dict[str, Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        content = yaml.load(file.read_text(encoding="utf-8"), Loader=loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError([Problem(path="", file=file.name, message=str(error))]) from error
    return content if isinstance(content, dict) else {}


def _problems(file: Path, content: dict[str, Any]) -> Iterator[Problem]:
    """Tell what is missing, too much, not text, or has other words to fill in than English."""
    measure = content if file.stem == REFERENCE else _content(FOLDER / f"{REFERENCE}.yaml")
    for section in ("sentences", "kinds", "states", "examples", "heard"):
        ours, theirs = content.get(section), measure[section]
        if not isinstance(ours, dict):
            yield Problem(path=section, file=file.name, message="this section is missing")
            continue
        for key in sorted(theirs.keys() - ours.keys()):
            yield Problem(path=f"{section}.{key}", file=file.name, message="is missing")
        for key in sorted(ours.keys() - theirs.keys()):
            yield Problem(path=f"{section}.{key}", file=file.name, message="is not known")
        if section == "heard":
            continue
        for key in sorted(ours.keys() & theirs.keys()):
            if not isinstance(ours[key], str):
                yield Problem(path=f"{section}.{key}", file=file.name, message="has to be text, in quotes")
            elif _words(ours[key]) != _words(str(theirs[key])):
                wanted = ", ".join(sorted(_words(str(theirs[key])))) or "none"
                yield Problem(path=f"{section}.{key}", file=file.name, message=f"words to fill in: {wanted}")


def _words(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}
