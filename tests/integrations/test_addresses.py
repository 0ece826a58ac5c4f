"""What leads to no server is told by `earnest check`, with its place, before anything is started."""

from pathlib import Path

import pytest

from hub.config.root import check

WRITE = "is no address: write tcp://host:port or unix:///path"


@pytest.mark.parametrize(
    ("options", "column", "complaint"),
    [
        ("type: piper, listen: foo", 9, f"'foo' {WRITE}"),
        ("type: faster_whisper, listen: 'http://x'", 9, f"'http://x' {WRITE}"),
        ("type: openwakeword, listen: 'tcp://x:99999'", 9, f"'tcp://x:99999' {WRITE}"),
        ("type: wyoming, uri: 'house:10300'", 9, f"'house:10300' {WRITE}"),
        ("type: wyoming", 3, "needs the `uri:` of a server, or a `command:` that starts one"),
        ("type: wyoming, command: [python3]", 3, "the command needs {uri}"),
    ],
)
def test_it_is_told_with_its_place(tmp_path: Path, options: str, column: int, complaint: str) -> None:
    (tmp_path / "earnest.yaml").write_text(f"integrations:\n  engine: {{{options}}}\n")
    (problem,) = check(tmp_path)
    assert complaint in problem.message
    assert problem.line == 2
    assert (problem.column or 0) >= column


@pytest.mark.parametrize(
    "options",
    [
        "type: piper, listen: 'tcp://127.0.0.1:10200'",
        "type: wyoming, uri: 'unix:///run/engine.sock'",
        "type: wyoming, command: [python3, --uri, '{uri}']",
        "type: wyoming, command: [python3], uri: 'tcp://[::1]:10300'",
    ],
)
def test_what_leads_to_one_is_taken(tmp_path: Path, options: str) -> None:
    (tmp_path / "earnest.yaml").write_text(f"integrations:\n  engine: {{{options}}}\n")
    assert check(tmp_path) == []
