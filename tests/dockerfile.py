"""Reading a Dockerfile and what may be sent to its build."""

from __future__ import annotations

import fnmatch
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction."""

    stage: int
    """Which FROM it belongs to, from 0."""
    name: str
    words: str

    @property
    def argv(self) -> list[str]:
        """The words of the form with brackets, or split like a shell does."""
        return list(json.loads(self.words)) if self.words.startswith("[") else shlex.split(self.words)


def steps(file: Path) -> list[Step]:
    """Return the instructions in order."""
    text = re.sub(r"\\\n\s*", " ", re.sub(r"^#.*\n", "", file.read_text(), flags=re.M))
    found: list[Step] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, words = line.partition(" ")
        stage = sum(step.name == "FROM" for step in found) - (name != "FROM")
        found.append(Step(stage, name, words.strip()))
    return found


def is_sent(ignore: Path, path: str) -> bool:
    """Whether a path gets past a .dockerignore; the last pattern that matches it or a parent counts."""
    kept = True
    parents = [path, *(parent.as_posix() for parent in Path(path).parents)][:-1]
    for line in ignore.read_text().splitlines():
        pattern = line.removeprefix("!").removeprefix("**/")
        names = parents if not line.startswith("**/") else [Path(one).name for one in parents]
        if line and any(fnmatch.fnmatchcase(name, pattern) for name in names):
            kept = line.startswith("!")
    return kept
