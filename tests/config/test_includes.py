from __future__ import annotations

import os
from pathlib import Path

import pytest

from hub.config.source import Mark, load
from tests.config.reading import Files, Write, problems


def test_an_included_value_keeps_the_place_in_its_own_file(write: Write) -> None:
    files: Files = {
        "earnest.yaml": "areas: !include house/areas.yaml\n",
        "house/areas.yaml": "# rooms\nkitchen:\n  name: !include names/kitchen.yaml\n",
        "house/names/kitchen.yaml": "Kitchen\n",
    }
    document = load(write(files), {})
    assert document.data == {"areas": {"kitchen": {"name": "Kitchen"}}}
    assert document.mark(("areas", "kitchen"), key=True) == Mark("house/areas.yaml", 2, 1)
    assert document.mark(("areas", "kitchen", "name")) == Mark("house/names/kitchen.yaml", 1, 1)
    assert document.mark(("areas",), key=True) == Mark("earnest.yaml", 1, 1)


def test_an_empty_included_file_is_nothing(write: Write) -> None:
    assert load(write({"earnest.yaml": "a: !include b.yaml\n", "b.yaml": "# later\n"}), {}).data == {
        "a": None
    }


FOLDER: Files = {
    "parts/b.yaml": "- 3\n",
    "parts/a.yaml": "- 1\n- 2\n",
    "parts/deep/c.yml": "- 4\n",
    "parts/empty.yaml": "",
    "parts/.hidden.yaml": "- 9\n",
    "parts/.git/x.yaml": "- 9\n",
    "parts/secrets.yaml": "pin: 1\n",
    "parts/readme.md": "text",
    "named/b.yaml": "y: 2\n",
    "named/a.yaml": "x: 1\n",
}


@pytest.mark.parametrize(
    ("tag", "value"),
    [
        ("!include_dir_list parts", [[1, 2], [3], [4]]),
        ("!include_dir_merge_list parts", [1, 2, 3, 4]),
        ("!include_dir_named parts", {"a": [1, 2], "b": [3], "empty": None, "c": [4]}),
        ("!include_dir_named named", {"a": {"x": 1}, "b": {"y": 2}}),
        ("!include_dir_merge_named named", {"x": 1, "y": 2}),
        ("!include_dir_merge_named parts/deep/../../named", {"x": 1, "y": 2}),
    ],
)
def test_a_folder_is_included_as_home_assistant_does(write: Write, tag: str, value: object) -> None:
    document = load(write({"earnest.yaml": f"a: {tag}\n", **FOLDER}), {})
    assert document.data == {"a": value}


def test_what_a_folder_brings_keeps_its_places(write: Write) -> None:
    text = (
        "a: !include_dir_merge_list parts\nb: !include_dir_merge_named named\nc: !include_dir_named named\n"
    )
    document = load(write({"earnest.yaml": text, **FOLDER}), {})
    assert document.mark(("a", 2)) == Mark("parts/b.yaml", 1, 3)
    assert document.mark(("b", "y"), key=True) == Mark("named/b.yaml", 1, 1)
    assert document.mark(("c", "b", "y")) == Mark("named/b.yaml", 1, 4)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"earnest.yaml": "a: !include_dir_list prts\n"}, "earnest.yaml:1:4: there is no folder 'prts'"),
        ({"earnest.yaml": "a: !include lihgts.yaml\n", "lights.yaml": "x"}, "did you mean 'lights.yaml'?"),
        ({"earnest.yaml": "a: !include ../x.yaml\n"}, "'../x.yaml' is outside the configuration folder"),
        ({"earnest.yaml": "a: !include /etc/passwd\n"}, "'/etc/passwd' is outside the configuration folder"),
        ({"earnest.yaml": "a: !include parts\n", "parts/a.yaml": ""}, "parts is a folder, not a file"),
        ({"earnest.yaml": 'a: !include "x\\0y"\n'}, "earnest.yaml:1:4: there is no file"),
        ({"earnest.yaml": f"a: !include {'x' * 300}\n"}, "earnest.yaml:1:4: there is no file"),
        ({"earnest.yaml": "a: !include earnest.yaml\n"}, "earnest.yaml:1:4: earnest.yaml includes itself"),
        (
            {"earnest.yaml": "a: !include b.yaml\n", "b.yaml": "c: !include ./earnest.yaml\n"},
            "b.yaml:1:4: earnest.yaml includes itself",
        ),
        (
            {"earnest.yaml": "a: !include_dir_merge_list d\n", "d/a.yaml": "x: 1\n"},
            "d/a.yaml:1:1: expected a list, got a mapping",
        ),
        (
            {"earnest.yaml": "a: !include_dir_merge_named d\n", "d/a.yaml": "5\n"},
            "d/a.yaml:1:1: expected a mapping, got 5",
        ),
        (
            {"earnest.yaml": "a: !include_dir_merge_named d\n", "d/a.yaml": "x: 1\n", "d/b.yaml": "\nx: 2\n"},
            "d/b.yaml:2:1: 'x' stands here and in d/a.yaml, line 1",
        ),
        (
            {"earnest.yaml": "a: !include_dir_named d\n", "d/a.yaml": "1", "d/e/a.yaml": "2"},
            "d/e/a.yaml:1:1: 'a' stands here and in d/a.yaml, line 1",
        ),
        (
            {"earnest.yaml": "a: !include b.yaml\n", "b.yaml": b"\xff"},
            "b.yaml:1:1: byte 1 (0xff) is not UTF-8",
        ),
    ],
)
def test_an_include_that_fails_says_why(write: Write, files: Files, said: str) -> None:
    found = problems(write(files))
    assert len(found) == 1
    assert said in found[0]


def test_every_included_file_tells_its_own_mistakes(write: Write) -> None:
    files: Files = {
        "earnest.yaml": "a: !include a.yaml\nb: !include_dir_list d\nc: 'open\n",
        "a.yaml": "x:\n\ty: 1\n",
        "d/one.yaml": "[1\n",
        "d/two.yaml": "x: 1\nx: 2\n",
    }
    assert [line.partition(": ")[0] for line in problems(write(files))] == [
        "a.yaml:2:1",
        "d/one.yaml:1:1",
        "d/two.yaml:2:1",
        "earnest.yaml:3:4",
    ]


def test_a_link_inside_the_folder_may_lead_out_of_it(write: Write, tmp_path: Path) -> None:
    file = write({"earnest.yaml": "a: !include linked.yaml\n"})
    (tmp_path / "elsewhere.yaml").write_text("x: 1\n")
    (file.parent / "linked.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    assert load(file, {}).data == {"a": {"x": 1}}


def test_a_loop_through_a_link_is_found(write: Write) -> None:
    file = write({"earnest.yaml": "a: !include linked.yaml\n"})
    (file.parent / "linked.yaml").symlink_to(file)
    assert problems(file) == ["earnest.yaml:1:4: linked.yaml includes itself"]


def test_a_pipe_is_not_read(write: Write) -> None:
    file = write({"earnest.yaml": "a: !include pipe.yaml\n"})
    os.mkfifo(file.parent / "pipe.yaml")
    assert problems(file) == ["earnest.yaml:1:4: pipe.yaml is not a regular file"]
