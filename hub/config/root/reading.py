"""Reads the document section by section, then looks at what the sections say of each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hub.config.document import Document
from hub.config.partly import Partly
from hub.config.root import crossings
from hub.config.root.instances import BUILT_IN, Instances
from hub.config.root.loaded import Loaded
from hub.config.root.sections import Root
from hub.config.source import HOLE
from hub.errors import Problem
from hub.pipeline.config import PipelineConfig

DEFAULT = "default"
"""The pipeline that every hub has."""


class RootReading:
    """One configuration with everything that is wrong with it."""

    def __init__(self, document: Document, config_dir: Path) -> None:
        self._document = document
        self.problems: list[Problem] = list(document.problems)
        self.broken: list[Problem] = []
        self._instances: Instances | None = None
        self._fields: dict[str, Any] = {}
        if document.data is not HOLE:
            self._read(config_dir)

    def loaded(self) -> Loaded:
        """Return the configuration; it has no problems."""
        instances = self._instances.instances if self._instances else []
        return Loaded(
            root=Root(**self._fields),
            document=self._document,
            integrations=tuple(instances),
            broken=tuple(self.broken),
        )

    def _read(self, config_dir: Path) -> None:
        partly = Partly(Root, self._document, leave=("integrations",))
        instances = self._instances = Instances(self._document, config_dir)
        self._fields = {**partly.fields, "integrations": instances.configs}
        pipelines = self._fields.setdefault("pipelines", {})
        pipelines.setdefault(DEFAULT, PipelineConfig())
        self.broken = instances.broken
        self.problems += [*partly.problems, *instances.problems]
        engines = dict.fromkeys(BUILT_IN, frozenset(("intents",))) | instances.slots
        self.problems += crossings.check(self._fields, self._document, engines, instances.domains)
