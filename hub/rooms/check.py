"""What is wrong between `satellites:` and the rest of a configuration."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from hub.config.document import Document
from hub.config.words import Path, known, near, shown
from hub.errors import Problem
from hub.rooms.config import EVENT, SatelliteConfig

Configs = Mapping[str, SatelliteConfig]

_ID = re.compile(r"[a-z0-9][a-z0-9_]{0,39}")
_NOBODY = "default"
"""The pipeline that is always there."""


def check(
    configs: Configs,
    document: Document,
    *,
    integrations: Collection[str],
    detectors: Collection[str],
    pipelines: Collection[str],
    areas: Collection[str],
) -> list[Problem]:
    """Return every unknown name, each with its place and a near match.

    `integrations` may connect satellites, `detectors` may hear wake words.
    """
    pipelines = (*pipelines, *(() if _NOBODY in pipelines else (_NOBODY,)))
    found: list[Problem] = []
    for name, config in configs.items():
        path = ("satellites", name)
        if not _ID.fullmatch(name) or name == EVENT:
            message = f"{shown(name)} is no id of a satellite: up to 40 small letters, digits and _"
            found.append(document.problem(path, message, key=True))
        others = (EVENT, *(other for other in configs if other != name))
        wanted = [
            *_of("integration", (*path, "source"), config.source, integrations),
            *_of("area", (*path, "area"), config.area, areas),
            *_of("pipeline", (*path, "pipeline"), config.pipeline, pipelines),
            *_of("other satellite", (*path, "reply"), config.reply, others),
            *_of("detector of wake words", (*path, "wake", "engine"), config.wake.engine, detectors),
        ]
        for word, pipeline in config.wake.words.items():
            wanted += _of("pipeline", (*path, "wake", "words", word), pipeline, pipelines)
        found += [document.problem(place, message) for place, message in wanted]
    return found


def _of(kind: str, path: Path, name: str | None, words: Collection[str]) -> Iterator[tuple[Path, str]]:
    if name is not None and name not in words:
        yield path, f"there is no {kind} {shown(name)}{near(name, words) or f'; {known(words)}'}"
