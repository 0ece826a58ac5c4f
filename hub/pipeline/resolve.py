"""What the pipelines of a configuration come to, and what is wrong with them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from hub.config.document import Document
from hub.config.words import known, near
from hub.errors import Problem
from hub.pipeline.config import INHERITED, Pipeline, PipelineConfig

__all__ = ["Pipeline", "check", "pipelines"]

Configs = Mapping[str, PipelineConfig]
Names = Callable[[str], Collection[str]]
"""`names(slot)` returns what may stand in a slot; `Registry.names` is one."""

_SLOTS = ("vad", "asr", "intents", "agent", "tts")


def check(configs: Configs, document: Document, names: Names) -> list[Problem]:
    """Return every unknown name and every loop, each with its place and a near match."""
    found: list[Problem] = []
    for name, config in configs.items():
        path = ("pipelines", name)
        if problem := _inherit_problem(configs, name):
            found.append(document.problem((*path, "inherit"), problem))
        for slot in _SLOTS:
            for place, engine in _engines(getattr(config, slot)):
                if engine in names(slot):
                    continue
                at = (*path, slot, place) if document.value((*path, slot, place)) else (*path, slot)
                others = [one for one in _SLOTS if engine in names(one)]
                if others:
                    message = (
                        f"'{engine}' is for {' and '.join(others)}, not for {slot}; {known(names(slot))}"
                    )
                    found.append(document.problem(at, message))
                    continue
                there = near(engine, names(slot)) or f"; {known(names(slot))}"
                found.append(document.problem(at, f"nothing for {slot} is named '{engine}'{there}"))
    return found


def pipelines(configs: Configs) -> dict[str, Pipeline]:
    """Return every pipeline with what it inherits; the configurations were checked."""
    return {name: _pipeline(configs, name) for name in configs}


def _engines(value: str | tuple[str, ...] | None) -> Iterator[tuple[int, str]]:
    if value != INHERITED:
        yield from enumerate((value,) if isinstance(value, str) else value or ())


def _ancestors(configs: Configs, name: str) -> Iterator[str]:
    """Yield the pipeline and those it inherits from; a loop ends with the name that comes again."""
    seen: set[str] = set()
    following: str | None = name
    while following is not None and following in configs:
        yield following
        if following in seen:
            return
        seen.add(following)
        following = configs[following].inherit


def _inherit_problem(configs: Configs, name: str) -> str | None:
    parent = configs[name].inherit
    if parent is None:
        return None
    if parent not in configs:
        there = near(parent, configs) or f"; {known(configs)}"
        return f"there is no pipeline '{parent}' to inherit from{there}"
    line = list(_ancestors(configs, name))
    if line.count(name) < 2:
        return None
    return f"'{name}' inherits from itself: {' → '.join(line)}"


def _pipeline(configs: Configs, name: str) -> Pipeline:
    """Take each option from the nearest pipeline that sets it."""
    options: dict[str, Any] = {}
    for ancestor in _ancestors(configs, name):
        for field in dataclasses.fields(PipelineConfig):
            value = getattr(configs[ancestor], field.name)
            is_set = value != INHERITED if field.default == INHERITED else value is not None
            if field.name != "inherit" and is_set:
                options.setdefault(field.name, value)
    return Pipeline(name=name, **options)
