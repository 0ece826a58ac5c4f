"""A verb against a running hub imports next to nothing: that is what makes it fast."""

from __future__ import annotations

import pytest

from tests.cli.conftest import House

HEAVY = frozenset(("aiohttp", "asyncio", "hassil", "jinja2", "numpy", "onnxruntime", "sqlalchemy"))
HEAVY |= {"voluptuous", "yaml"}


@pytest.mark.parametrize(
    "words",
    [
        ("states",),
        ("things",),
        ("tools",),
        ("ask", "what time is it"),
        ("call", "light.turn_off", "--target", "all"),
        ("say", "hello"),
        ("doctor",),
    ],
    ids=lambda words: str(words[0]),
)
def test_a_verb_imports_nothing_heavy(hub: House, words: tuple[str, ...]) -> None:
    ended = hub.run(*words, environ={"PYTHONPROFILEIMPORTTIME": "1"})
    imported = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert "hub.cli.client" in imported
    assert not {name.partition(".")[0] for name in imported} & HEAVY
