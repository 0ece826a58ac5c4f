from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.config.scalars import plain
from hub.config.source import Document, load, read
from hub.errors import ConfigError

QUICK = settings(max_examples=100, deadline=None)

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x85\u2028\u2029"), max_size=20)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=25,
)
CONFIGS = st.dictionaries(TEXTS, VALUES, min_size=1, max_size=5)
PIECES = r"""a|:| |
|- |? |[|]|{|}|,|'|"|&a |*a|!|!!str |>|!include |!secret |!env_var |!include_dir_list |x.yaml|<<: |#|%|---
|	|~|earnest.yaml|\|0x1|1e5|é|@|`|...
|  |b: |*b"""
FRAGMENTS = st.sampled_from([*PIECES.split("|"), "|", "\r\n", "\ufeff"])


class Quoting(yaml.SafeDumper):
    """Writes all text in double quotes: PyYAML leaves plain what only YAML 1.1 calls text."""


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


Quoting.add_representer(str, _quoted)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("config") / "earnest.yaml"


@QUICK
@given(CONFIGS, st.sampled_from([True, False, None]))
def test_what_is_written_as_yaml_is_read_back_the_same(file: Path, config: Any, flow: bool | None) -> None:
    text = yaml.dump(config, Dumper=Quoting, default_flow_style=flow, allow_unicode=True, sort_keys=False)
    file.write_text(text, encoding="utf-8")
    found = load(file, {}).data
    assert found == config
    assert repr(found) == repr(config)


@QUICK
@given(CONFIGS)
def test_every_place_points_at_the_text_of_its_value(file: Path, config: Any) -> None:
    text = yaml.dump(config, Dumper=Quoting, allow_unicode=True, width=10_000)
    file.write_text(text, encoding="utf-8")
    document = load(file, {})
    lines = text.split("\n")
    _check_places(document, config, (), lines)


def _check_places(document: Document, value: Any, path: tuple[Any, ...], lines: list[str]) -> None:
    """Read again what stands at each mark and compare it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            written = _written(lines, *document.mark((*path, key), key=True)[1:])
            assert written.startswith(('"', "? "))
            _check_places(document, inner, (*path, key), lines)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _check_places(document, inner, (*path, index), lines)
    else:
        written = _written(lines, *document.mark(path)[1:])
        if isinstance(value, str):
            assert written.startswith('"')
            assert yaml.safe_load(written.split('": ')[0] if '": ' in written else written) == value
        elif isinstance(value, float):
            assert math.isclose(float(str(plain(written))), value)
        else:
            assert plain(written) == value


def _written(lines: list[str], line: int, column: int) -> str:
    return lines[line - 1][column - 1 :]


@QUICK
@given(st.binary(max_size=300))
def test_any_bytes_are_a_configuration_or_a_config_error(file: Path, raw: bytes) -> None:
    file.write_bytes(raw)
    _reads_or_refuses(file)


@QUICK
@given(st.lists(FRAGMENTS, max_size=40).map("".join))
def test_any_pieces_of_yaml_are_a_configuration_or_a_config_error(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    _reads_or_refuses(file)


def _reads_or_refuses(file: Path) -> None:
    document = read(file, {})
    assert all(problem.message and problem.file for problem in document.problems)
    length = max(len(file.read_bytes().decode("utf-8", "replace").splitlines()), 1)
    assert all((problem.line or 1) <= length for problem in document.problems)
    if document.problems:
        with pytest.raises(ConfigError):
            load(file, {})
    else:
        assert isinstance(document.data, dict)
