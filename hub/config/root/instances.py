"""`integrations:`: each entry is checked by the options of the integration it names."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from hub.config.document import Document
from hub.config.root.sections import IntegrationConfig
from hub.config.schema import parse, parse_as
from hub.config.source import HOLE
from hub.errors import IntegrationError, Problem
from hub.integration import IntegrationContext, Provides
from hub.loader import RESERVED, UnknownIntegration, load, names
from hub.registry import Instance

BUILT_IN = ("commands", "home")
"""Recognisers that every hub has; no instance may be called so."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_SECTION = "integrations"


class Instances:
    """The entries under `integrations:`, with what is wrong with them."""

    def __init__(self, document: Document, config_dir: Path) -> None:
        self._document = document
        self._config_dir = config_dir
        self.problems: list[Problem] = []
        self.broken: list[Problem] = []
        """Integrations that there are, but that cannot be loaded here."""
        self.configs: dict[str, IntegrationConfig] = {}
        self.instances: list[Instance] = []
        self.names: tuple[str, ...] = ()
        """Of all entries, those with problems too."""
        self.slots: dict[str, frozenset[str] | None] = {}
        """What each entry may fill in a pipeline; None: anything."""
        section = document.value((_SECTION,), {})
        if section is HOLE:
            return
        _, problems = parse_as(dict[str, Any], document, (_SECTION,)) if section else (None, [])
        self.problems += problems
        if not problems:
            self.names = tuple(section or {})
            self.slots = dict.fromkeys(self.names)
            for name in self.names:
                self._read(name)

    @property
    def domains(self) -> frozenset[str]:
        """Domains of tools that these may bring: their own names and their integrations'."""
        return frozenset((*self.names, *(config.type for config in self.configs.values())))

    def _read(self, name: str) -> None:
        path = (_SECTION, name)
        entry = self._document.value(path)
        if not _NAME.fullmatch(name) or name in BUILT_IN:
            reason = "is built in" if name in BUILT_IN else "is no name: up to 40 letters, digits, _ and -"
            self.problems.append(self._document.problem(path, f"'{name}' {reason}", key=True))
        if entry is HOLE:
            return
        others = entry if isinstance(entry, dict) else ()
        config, problems = parse(IntegrationConfig, self._document, path, others=others)
        if entry is None and name in names(self._config_dir):
            message = f"this option is required; write 'type: {name}'"
            problems = [self._document.problem((*path, "type"), message)]
        self.problems += problems
        if config and not problems:
            self.configs[name] = config
            self._add(name, config)
        elif isinstance(others, dict) and isinstance(others.get("type"), str):
            self._load(name, others["type"])

    def _add(self, name: str, config: IntegrationConfig) -> None:
        found = self._load(name, config.type)
        if found is None:
            return
        options, setup = found
        self.instances.append(
            Instance(name=name, type=config.type, options=options, limits=config.limits, setup=setup)
        )

    def _load(self, name: str, type_name: str) -> tuple[Any, Any] | None:
        """Return the checked options and how to open it; None when something is wrong with them."""
        path = (_SECTION, name)
        try:
            integration = load(type_name, self._config_dir)
        except UnknownIntegration as error:
            self.problems.append(self._document.problem((*path, "type"), str(error)))
            return None
        except IntegrationError as error:
            self.broken.append(self._document.problem((*path, "type"), str(error)))
            return str(error), partial(_fails, str(error))
        self.slots[name] = integration.slots
        options, problems = parse(integration.options, self._document, path, others=RESERVED)
        self.problems += problems
        return None if problems else (options, integration.setup)


@asynccontextmanager
async def _fails(reason: str, _options: Any, _context: IntegrationContext) -> AsyncIterator[Provides]:
    """Open nothing, for the reason found when the configuration was read."""
    if reason:
        raise IntegrationError(reason)
    yield Provides()
