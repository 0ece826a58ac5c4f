"""Writes docs/configuration.md from the dataclasses: `python -m hub.config.reference`."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Iterator
from dataclasses import MISSING
from pathlib import Path
from typing import Any

import voluptuous as vol

from hub.config.docs import docs_of
from hub.config.kinds import Choice, Kind, Nothing
from hub.config.record import Option, Record, options_of
from hub.config.root import Root
from hub.config.shapes import Checked, Fixed, ListOf, MapOf, OneOf, bounds
from hub.loader import load, names

PAGE = Path(__file__).parent.parent.parent / "docs" / "configuration.md"

_INTRODUCTION = """\
# Configuration

A configuration is a folder with `earnest.yaml` in it. `earnest check` tells everything that is wrong with it
at once, each with file, line and column, and with what you probably meant; a start and a reload run the same
check, and a reload with problems changes nothing.

This page is made from the options' declarations by `python -m hub.config.reference`.

## How it is written

The YAML is YAML 1.2: `on`, `no`, `7:30` are text; `true`, `false`, `null`, `12`, `1.5`, `0x1F`, `1e3` are
what they look like. A number with a leading zero (`0123`) stays text. Where `true` or `false` is expected,
`on`, `off`, `yes` and `no` are understood; where a list is expected, a single value stands for a list of one.
Anchors, aliases and merge keys (`<<:`) work. Two equal keys are a mistake.

| write | to get |
|---|---|
| `!include lights.yaml` | the value of another file |
| `!include_dir_list parts` | a list, one item for each file in the folder and below it, by name |
| `!include_dir_merge_list parts` | one list of all the files' items |
| `!include_dir_named parts` | a mapping from each file's name to its value |
| `!include_dir_merge_named parts` | one mapping of all the files' keys |
| `!secret mqtt_password` | what has that name in `secrets.yaml` beside the file, or in a folder above it |
| `!env_var NAME default` | an environment variable; without a default it must be set |

Paths are relative to the file they stand in and stay inside the folder. Files end in `.yaml` or `.yml`;
hidden ones and `secrets.yaml` are left out of a folder. What comes from `!secret` or `!env_var` never appears
in a message. One file may have 4 MiB, all files together 300,000 values in 100 levels.

## The keys of `earnest.yaml`
"""

_INTEGRATIONS = """\
## Integrations

What each integration takes beside `type` and `limits`. Your own integrations, in `integrations/<name>/` in
the same folder, are described in [writing-an-integration.md](writing-an-integration.md).
"""


def page() -> str:
    """Return the whole reference."""
    parts = [_INTRODUCTION, _table(Root, "")]
    for option in options_of(Root).values():
        parts += _section(option, option.key, 2, docs_of(Root).get(option.field, ""))
    parts.append(_INTEGRATIONS)
    for name in names():
        integration = load(name)
        table = _table(integration.options, "") or "It has no options.\n"
        parts += [f"### `type: {name}`\n", f"{' '.join(integration.docs.split())}\n", table]
        for option in options_of(integration.options).values():
            parts += _section(option, option.key, 4, docs_of(integration.options).get(option.field, ""))
    return "\n".join(part for part in parts if part)


def _section(option: Option, path: str, level: int, text: str) -> Iterator[str]:
    """Yield the section of an option whose value has options of its own, and those inside it."""
    for cls, where in _records(option.kind, path):
        yield f"{'#' * level} `{where}`\n"
        said = text or (inspect.getdoc(cls) or "").split("\n\n")[0]
        yield " ".join(said.split()) + "\n"
        yield _table(cls, where)
        for inner in options_of(cls).values():
            if inner.part is None:
                deeper = docs_of(cls).get(inner.field, "")
                yield from _section(inner, f"{where}.{inner.key}", min(level + 1, 5), deeper)


def _records(kind: Kind, path: str) -> Iterator[tuple[type, str]]:
    """Yield the dataclasses that may stand at `path`."""
    if isinstance(kind, Record):
        yield kind.cls, path
    elif isinstance(kind, ListOf):
        yield from _records(kind.item, f"{path}[]")
    elif isinstance(kind, MapOf):
        yield from _records(kind.item, f"{path}.<name>")
    elif isinstance(kind, Checked):
        yield from _records(kind.kind, path)
    elif isinstance(kind, OneOf):
        for inner in kind.kinds:
            yield from _records(inner, path)


def _table(cls: type, where: str) -> str:
    rows = list(_rows(cls))
    head = ["| option | value | default | meaning |", "|---|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n" if rows else ""


def _rows(cls: type) -> Iterator[str]:
    docs = docs_of(cls)
    for option in options_of(cls).values():
        if option.part:
            yield from _rows(option.part)
            continue
        cells = (f"`{option.key}`", described(option.kind), _default(option), docs.get(option.field, ""))
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def described(kind: Kind) -> str:
    """Return in words what a kind takes."""
    if isinstance(kind, Checked):
        ranges = [bounds(one) for one in kind.validators if isinstance(one, vol.Range)]
        return " ".join([described(kind.kind), *ranges])
    if isinstance(kind, Choice):
        return ", ".join(f"`{word}`" for word in kind.words)
    if isinstance(kind, ListOf):
        return f"list of {described(kind.item)}"
    if isinstance(kind, Fixed):
        return f"list of {len(kind.items)} values"
    if isinstance(kind, MapOf):
        return f"mapping of name: {described(kind.item)}"
    if isinstance(kind, OneOf):
        return " or ".join(described(one) for one in kind.kinds if not isinstance(one, Nothing))
    if isinstance(kind, Record):
        return "options, see below"
    return kind.expected.removeprefix("a ").partition(" (")[0]


def _default(option: Option) -> str:
    value: Any = option.default
    if value is MISSING:
        return "**required**"
    if value is None:
        return "not set"
    if dataclasses.is_dataclass(value):
        return "see below"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, (list, tuple, set, frozenset)):
        return f"`[{', '.join(map(str, value))}]`" if value else "none"
    if isinstance(value, dict):
        return "none" if not value else f"`{value}`"
    return f"`{value}`" if value != "" else "empty"


def main(arguments: list[str]) -> None:
    """Write the page, to the path that is given or to docs/configuration.md."""
    path = Path(arguments[0]) if arguments else PAGE
    path.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
