from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hub.config.source import Mark, load, read, unmarked
from tests.config.reading import Write, problems


def data(write: Write, text: str | bytes) -> Any:
    return load(write({"earnest.yaml": text}), {}).data


def test_values_are_plain(write: Write) -> None:
    text = "hub: {name: Home, on: on, at: 7:30, pin: 0123, n: 5, f: 1.5, none: }\nlist: [a, 'b', \"c\"]\n"
    assert data(write, text) == {
        "hub": {"name": "Home", "on": "on", "at": "7:30", "pin": "0123", "n": 5, "f": 1.5, "none": None},
        "list": ["a", "b", "c"],
    }


def test_every_key_and_value_has_a_place(write: Write) -> None:
    document = load(write({"earnest.yaml": "# Ünï\na:\n  bé: [x, {c: 5}]\n"}), {})
    assert document.mark() == Mark("earnest.yaml", 2, 1)
    assert document.mark(("a",), key=True) == Mark("earnest.yaml", 2, 1)
    assert document.mark(("a",)) == Mark("earnest.yaml", 3, 3)
    assert document.mark(("a", "bé")) == Mark("earnest.yaml", 3, 7)
    assert document.mark(("a", "bé", 0)) == Mark("earnest.yaml", 3, 8)
    assert document.mark(("a", "bé", 1, "c"), key=True) == Mark("earnest.yaml", 3, 12)
    assert document.mark(("a", "bé", 1, "c")) == Mark("earnest.yaml", 3, 15)


def test_what_is_not_there_is_placed_at_what_would_hold_it(write: Write) -> None:
    document = load(write({"earnest.yaml": "a:\n  b:\n    c: 1\n"}), {})
    assert document.mark(("a", "b", "x")) == Mark("earnest.yaml", 2, 3)
    assert document.mark(("x", "y")) == Mark("earnest.yaml", 1, 1)
    assert document.mark(("a", "b", "c", "d", 3)) == Mark("earnest.yaml", 3, 5)


def test_a_problem_names_file_line_column_and_path(write: Write) -> None:
    document = load(write({"earnest.yaml": "policies:\n  - tools: [a, b]\n"}), {})
    problem = document.problem(("policies", 0, "tools", 1), "no such tool")
    assert str(problem) == "earnest.yaml:2:16: policies[0].tools[1]: no such tool"


def test_a_single_value_is_the_first_item_of_the_list_it_stands_for(write: Write) -> None:
    document = load(write({"earnest.yaml": "policies:\n  tools: lock.unlock\n"}), {})
    assert document.mark(("policies", 0, "tools", 0)) == Mark("earnest.yaml", 2, 10)


def test_anchors_and_merge_keys_work_and_keep_their_places(write: Write) -> None:
    text = "base: &base {vad: silero, tts: voice}\none: {<<: *base, tts: other}\ntwo: {<<: [{a: 1}, *base]}\n"
    document = load(write({"earnest.yaml": text}), {})
    assert document.data["one"] == {"vad": "silero", "tts": "other"}
    assert document.data["two"] == {"a": 1, "vad": "silero", "tts": "voice"}
    assert document.mark(("one", "vad")) == Mark("earnest.yaml", 1, 19)
    assert document.mark(("one", "tts")) == Mark("earnest.yaml", 2, 23)


def test_an_alias_stands_where_it_is_used(write: Write) -> None:
    document = load(write({"earnest.yaml": "a: &x [1]\nb: *x\n"}), {})
    assert document.data["b"] == [1]
    assert document.mark(("b",)) == Mark("earnest.yaml", 2, 4)
    assert document.mark(("b", 0)) == Mark("earnest.yaml", 1, 8)


def test_core_tags_are_understood(write: Write) -> None:
    text = 'a: !!str 5\nb: !!int "5"\nc: !!float 5\nd: !!map {}\ne: ! 5\nf: !!bool yes\n'
    document = read(write({"earnest.yaml": text}), {})
    assert {key: document.data[key] for key in "abcde"} == {"a": "5", "b": 5, "c": 5.0, "d": {}, "e": "5"}
    assert [str(problem) for problem in document.problems] == ["earnest.yaml:6:4: this is no !!bool"]


def test_a_byte_order_mark_changes_nothing(write: Write) -> None:
    document = load(write({"earnest.yaml": b"\xef\xbb\xbfa: 1\n"}), {})
    assert document.data == {"a": 1}
    assert document.mark(("a",), key=True) == Mark("earnest.yaml", 1, 1)


def test_lines_may_end_as_on_windows(write: Write) -> None:
    document = load(write({"earnest.yaml": "a: 1\r\nb:\r\n  c: 2\r\n"}), {})
    assert document.data == {"a": 1, "b": {"c": 2}}
    assert document.mark(("b", "c")) == Mark("earnest.yaml", 3, 6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "earnest.yaml: the file is empty"),
        ("# nothing\n\n", "earnest.yaml: the file is empty"),
        ("---\n", "earnest.yaml: the file is empty"),
        ("- a\n", "earnest.yaml:1:1: expected lines of 'key: value', got a list"),
        ("hello", "earnest.yaml:1:1: expected lines of 'key: value', got one value"),
        ("a:\n\tb: 1\n", "earnest.yaml:2:1: a tab in the indentation; use spaces"),
        ("a:\n  b: 1\n \tc: 2\n", "earnest.yaml:3:2: a tab in the indentation; use spaces"),
        ("a: |\n\tx\n", "earnest.yaml:2:1: a tab in the indentation; use spaces"),
        ("a: 1\nb: 2\na: 3\n", "earnest.yaml:3:1: 'a' stands here twice; first in line 1"),
        ("true: 1\n", "earnest.yaml:1:1: a key cannot be true; if it is a word, put it in quotes"),
        ("x: {null: a}\n", "earnest.yaml:1:5: a key cannot be null; if it is a word, put it in quotes"),
        ("x: {1.5: a}\n", "earnest.yaml:1:5: a key cannot be 1.5; if it is a word, put it in quotes"),
        ("x: {1: a, 1: b}\n", "earnest.yaml:1:11: 1 stands here twice; first in line 1"),
        ("[a]: b\n", "a list cannot be a key"),
        ("a: {{ states('x') }}\n", "a mapping cannot be a key; if this is a template, put it in quotes"),
        ("a: !incldue x\n", "earnest.yaml:1:4: unknown tag '!incldue'; did you mean '!include'?"),
        ("a: !!python/object:os.system x\n", "unknown tag '!!python/object:os.system'"),
        ("a: !include [x]\n", "earnest.yaml:1:4: !include takes one word of text"),
        ("a: !include\n", "earnest.yaml:1:4: !include needs a name"),
        ("a: &x 1\nlamp: &lamp 1\nb: *lampp\n", "there is no '&lampp' above; did you mean 'lamp'?"),
        ("a: &a [*a]\n", "earnest.yaml:1:8: '*a' would contain itself"),
        ("a: 1\n---\nb: 2\n", "earnest.yaml:2:1: a second document begins here; one file holds one"),
        ("a: b: c\n", "earnest.yaml:1:5: a ':' cannot stand here; put the text in quotes"),
        ("a: 'x\nb: 1\n", "earnest.yaml:1:4: the quote that opens here is never closed"),
        ("a: [1, 2\nb: 3\n", "earnest.yaml:1:4: the '[' that opens here is not closed"),
        ("a: {b: 1\nc: 3\n", "earnest.yaml:1:4: the '{' that opens here is not closed"),
        ("a:\n  b: 1\n c: 2\n", "earnest.yaml:3:2: this does not fit the lines above"),
        ("a: 1\nb\n", "earnest.yaml:2:1: expected 'key: value'"),
        ("a: @x\n", "earnest.yaml:1:4: a value cannot begin with '@'; put it in quotes"),
        ('a: "C:\\my"\n', "earnest.yaml:1:7: in double quotes a \\ begins an escape"),
        ("a: {<<: 5}\n", "earnest.yaml:1:9: <<: takes a mapping or a list of mappings"),
        ("a: !%ed%a0%80 x\n", "this is not YAML"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(write: Write, text: str, said: str) -> None:
    found = problems(write({"earnest.yaml": text}))
    assert len(found) == 1
    assert said in found[0]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"a: b\nc: \xff\n", "earnest.yaml:2:4: byte 9 (0xff) is not UTF-8; save the file as UTF-8"),
        (b"\xef\xbb\xbf\xc3\xa9: \xe9\n", "earnest.yaml:1:4: byte 8 (0xe9) is not UTF-8"),
        ("a: b".encode("utf-16"), "earnest.yaml: this is UTF-16; save the file as UTF-8"),
        (b"a: x\n\x00", "earnest.yaml:2:1: the character U+0000 cannot stand in YAML"),
        (b"a: \x1b[1m\n", "earnest.yaml:1:4: the character U+001B cannot stand in YAML"),
        ("a: x\u2028b: y".encode(), "earnest.yaml:1:5: the character U+2028 cannot stand in YAML"),
    ],
)
def test_bytes_that_are_no_text_are_named(write: Write, raw: bytes, said: str) -> None:
    found = problems(write({"earnest.yaml": raw}))
    assert len(found) == 1
    assert said in found[0]


def test_a_missing_file_is_named_with_its_folder(tmp_path: Path) -> None:
    found = problems(tmp_path / "earnest.yaml")
    assert found == [f"earnest.yaml: there is no such file ({tmp_path}/earnest.yaml)"]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "earnest.yaml").mkdir()
    assert problems(tmp_path / "earnest.yaml") == ["earnest.yaml: is a folder, not a file"]


def test_all_problems_are_told_at_once(write: Write) -> None:
    found = problems(write({"earnest.yaml": "a: 1\na: 2\nb: !secret x\nc: *y\nd: 'open\n"}))
    assert [line.split(":")[1] for line in found] == ["2", "3", "4", "5"]


def test_what_cannot_be_read_leaves_the_rest_readable(write: Write) -> None:
    document = read(write({"earnest.yaml": "a: !include nothing.yaml\nb: 1\n"}), {})
    assert len(document.problems) == 1
    assert document.value(("b",)) == 1


def test_plain_values_can_stand_for_a_document() -> None:
    document = unmarked({"a": [{"b": 1}]})
    assert document.value(("a", 0, "b")) == 1
    assert str(document.problem(("a", 0, "b"), "no")) == "a[0].b: no"
