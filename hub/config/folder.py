"""What the `!include_dir_…` tags make of a folder of YAML files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from hub.config.budget import MAX_FILES, MAX_FOLDERS, too_much
from hub.config.node import HOLE, Mark, Node, mapping, sequence
from hub.config.text import Unreadable
from hub.config.words import shown
from hub.errors import Problem

SECRETS = "secrets.yaml"

Files = list[tuple[str, Node]]
Report = Callable[[Problem], None]


def yaml_files(folder: str, name: str, mark: Mark) -> list[str]:
    """Return all YAML files at and below a folder, sorted; hidden ones and secrets are left out."""
    if "\0" in folder or not os.path.isdir(folder):
        raise Unreadable(_problem(mark, f"there is no folder {shown(name)}"))
    found: list[str] = []
    for visited, (path, folders, files) in enumerate(os.walk(folder)):
        folders[:] = sorted(inner for inner in folders if not inner.startswith("."))
        wanted = (file for file in sorted(files) if _is_wanted(file))
        found += [os.path.join(path, file) for file in wanted]
        if visited >= MAX_FOLDERS or len(found) > MAX_FILES:
            raise too_much(f"{name} holds more than {MAX_FILES:,} files or folders", mark)
    return found


def _is_wanted(file: str) -> bool:
    return file.endswith((".yaml", ".yml")) and not file.startswith(".") and file != SECRETS


def _list(files: Files, mark: Mark, report: Report) -> Node:
    """One item for each file; an empty file is none."""
    return sequence([node for _, node in files if node.data is not None], mark)


def _merged_list(files: Files, mark: Mark, report: Report) -> Node:
    """The items of all files, one file after the other."""
    items: list[Node] = []
    for _, node in files:
        if isinstance(node.inner, list):
            items += node.inner
        elif node.data is not None and node.data is not HOLE:
            report(_problem(node.mark, f"expected a list, got {shown(node.data)}"))
    return sequence(items, mark)


def _named(files: Files, mark: Mark, report: Report) -> Node:
    """A mapping from each file's name, without its ending, to its value."""
    items: dict[Any, Node] = {}
    keys: dict[Any, Mark] = {}
    for file, node in files:
        _keep(items, keys, PurePath(file).stem, node, Mark(node.mark.file, 1, 1), report)
    return mapping(items, keys, mark)


def _merged_named(files: Files, mark: Mark, report: Report) -> Node:
    """The keys of all files in one mapping."""
    items: dict[Any, Node] = {}
    keys: dict[Any, Mark] = {}
    for _, node in files:
        if isinstance(node.inner, dict):
            for key, item in node.inner.items():
                place = node.keys[key] if node.keys else node.mark
                _keep(items, keys, key, item, place, report)
        elif node.data is not None and node.data is not HOLE:
            report(_problem(node.mark, f"expected a mapping, got {shown(node.data)}"))
    return mapping(items, keys, mark)


def _keep(
    items: dict[Any, Node], keys: dict[Any, Mark], key: Any, node: Node, place: Mark, report: Report
) -> None:
    if key in items:
        first = keys[key]
        report(_problem(place, f"{shown(key)} stands here and in {first.file}, line {first.line}"))
        return
    items[key], keys[key] = node, place


def _problem(mark: Mark, message: str) -> Problem:
    return Problem(path="", message=message, file=mark.file, line=mark.line, column=mark.column)


INTO: Mapping[str, Callable[[Files, Mark, Report], Node]] = MappingProxyType(
    {
        "!include_dir_list": _list,
        "!include_dir_merge_list": _merged_list,
        "!include_dir_named": _named,
        "!include_dir_merge_named": _merged_named,
    }
)
