"""One reading of a configuration: its files, what they include, and the problems on the way."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hub.config.budget import MAX_INCLUDES_DEEP, MAX_PROBLEMS, Budget, TooMuch, too_much
from hub.config.builder import Builder
from hub.config.folder import INTO, yaml_files
from hub.config.node import HOLE, Mark, Node
from hub.config.secrets import Secrets, hide
from hub.config.text import Unreadable, read_text
from hub.config.words import near, shown
from hub.errors import Problem


class Reading:
    """Reads files below `folder`; problems are kept, not raised."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._folder = str(folder)
        self._environ = environ
        self._budget = Budget()
        self._found: dict[Problem, None] = {}
        self._secrets = Secrets(folder, self._secret_file)
        self.secrets: set[str] = set()
        """Every hidden text that was used, so that no message shows it."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All that is wrong, in the order it was met."""
        return tuple(self._found)

    def report(self, problem: Problem) -> None:
        """Keep a problem once; raises `TooMuch` when there are so many that no more help."""
        self._found[problem] = None
        if len(self._found) >= MAX_PROBLEMS:
            message = f"there are {MAX_PROBLEMS} problems up to here; the rest was not read"
            raise TooMuch(replace(problem, path="", message=message))

    def main(self, path: Path) -> Node:
        """Return the value of the file everything begins with."""
        here = Mark(self._name(str(path)), 1, 1)
        try:
            return self._file(str(path), here, 0, ())
        except TooMuch as error:
            self._found[error.problem] = None
        except Unreadable as error:
            self.report(error.problem)
        return Node(HOLE, here)

    def _name(self, path: str) -> str:
        return os.path.relpath(path, self._folder).replace(os.sep, "/")

    def _file(self, path: str, at: Mark, depth: int, chain: tuple[str, ...]) -> Node:
        """Return a file's value; raises `Unreadable`. `at` is where it was asked for."""
        name, real = self._name(path), os.path.realpath(path)
        if real in chain:
            raise Unreadable(_problem(at, f"{name} includes itself"))
        chain = (*chain, real)
        if len(chain) > MAX_INCLUDES_DEEP:
            raise too_much(f"more than {MAX_INCLUDES_DEEP} files include each other", at)
        self._budget.spend_file(at)
        text = read_text(Path(path), name)
        self._budget.spend_bytes(len(text), at)

        def tagged(tag: str, word: str, mark: Mark, level: int) -> Node:
            return self._tagged(tag, word.strip(), mark, level, path, chain)

        builder = Builder(text, name, tagged=tagged, report=self.report, budget=self._budget, depth=depth)
        return builder.build() or Node(None, Mark(name, 1, 1))

    def _tagged(self, tag: str, word: str, mark: Mark, depth: int, path: str, chain: tuple[str, ...]) -> Node:
        try:
            if not word:
                raise Unreadable(_problem(mark, f"{tag} needs a name"))
            if tag == "!env_var":
                return self._env_var(word, mark)
            if tag == "!secret":
                return self._secret(word, mark, path)
            target = self._inside(word, mark, path)
            if tag == "!include":
                return self._include(target, word, mark, depth, chain)
            return self._include_folder(tag, target, mark, depth, chain)
        except TooMuch:
            raise
        except Unreadable as error:
            self.report(error.problem)
            return Node(HOLE, mark)

    def _inside(self, word: str, mark: Mark, path: str) -> str:
        """Return the path that an include means; links inside the folder may lead elsewhere."""
        target = os.path.normpath(os.path.join(os.path.dirname(path), word))
        if target != self._folder and not target.startswith(os.path.join(self._folder, "")):
            raise Unreadable(_problem(mark, f"{shown(word)} is outside the configuration folder"))
        return target

    def _include(self, target: str, word: str, mark: Mark, depth: int, chain: tuple[str, ...]) -> Node:
        if not os.path.lexists(target.replace("\0", "")):
            raise Unreadable(_problem(mark, f"there is no file {shown(word)}{_beside(target)}"))
        try:
            return self._file(target, mark, depth, chain)
        except TooMuch:
            raise
        except Unreadable as error:
            raise _placed(error, mark) from None

    def _include_folder(self, tag: str, target: str, mark: Mark, depth: int, chain: tuple[str, ...]) -> Node:
        files: list[tuple[str, Node]] = []
        for file in yaml_files(target, self._name(target), mark):
            try:
                node = self._file(file, mark, depth + 1, chain)
            except TooMuch:
                raise
            except Unreadable as error:
                self.report(_placed(error, mark).problem)
            else:
                files.append((file, node))
        return INTO[tag](files, mark, self.report)

    def _env_var(self, word: str, mark: Mark) -> Node:
        name, _, default = word.partition(" ")
        value = self._environ.get(name)
        if value is not None:
            self.secrets.add(value)
            return Node(value, mark, hidden=True)
        if default.strip():
            return Node(default.strip(), mark)
        message = f"the environment variable {shown(name)} is not set, and no default is given"
        raise Unreadable(_problem(mark, message))

    def _secret(self, word: str, mark: Mark, path: str) -> Node:
        found = self._secrets.find(word, Path(path).parent, mark)
        self._budget.spend_values(found.size, mark)
        return hide(found.at(mark), self.secrets)

    def _secret_file(self, path: Path) -> Node | None:
        """Return the value of a `secrets.yaml`, None when it cannot be read (and that is reported)."""

        def tagged(tag: str, word: str, mark: Mark, _level: int) -> Node:
            if tag == "!env_var" and word.strip():
                return self._env_var(word.strip(), mark)
            raise Unreadable(_problem(mark, "put a value that begins with '!' in quotes"))

        name = self._name(str(path))
        try:
            self._budget.spend_file(Mark(name, 1, 1))
            text = read_text(path, name, secret=True)
            builder = Builder(text, name, tagged=tagged, report=self.report, budget=self._budget, secret=True)
            node = builder.build() or Node({}, Mark(name, 1, 1), inner={})
            if not isinstance(node.inner, dict):
                raise Unreadable(_problem(node.mark, "expected lines of 'name: value'"))
            return node
        except TooMuch:
            raise
        except Unreadable as error:
            self.report(error.problem)
            return None


def _problem(mark: Mark, message: str) -> Problem:
    return Problem(path="", message=message, file=mark.file, line=mark.line, column=mark.column)


def _placed(error: Unreadable, mark: Mark) -> Unreadable:
    """Return the error at the include if the file as a whole is meant."""
    found = error.problem
    return error if found.line else Unreadable(_problem(mark, f"{found.file} {found.message}"))


def _beside(target: str) -> str:
    """Return a near match among the files that are there."""
    try:
        return near(os.path.basename(target), os.listdir(os.path.dirname(target)))
    except (OSError, ValueError):
        return ""
