from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from hub.config.source import load
from tests.config.reading import Files, Write, problems

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
)
MERGES = "a0: &a0 {k0: 1}\n" + "".join(
    f"a{i}: &a{i} {{k{i}: [*a{i - 1}, *a{i - 1}], <<: *a{i - 1}}}\n" for i in range(1, 40)
)


@pytest.mark.timeout(30)  # without its limits each of these takes minutes, or for ever
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LAUGHS, "more than 300,000 values, with every alias written out"),
        (MERGES, "more than 300,000 values, with every alias written out"),
        ("x: [" + "a," * 1_000_000 + "]", "more than 300,000 values"),
        ("x: " + "[" * 2_000_000, "nested too deep"),
        ("- " * 1_500_000, "nested more than 100 levels deep"),
        ("{a: " * 500_000, "nested more than 100 levels deep"),
        ("? " * 1_500_000, "nested more than 100 levels deep"),
        ("a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 200)), "100 levels deep"),
        ("%TAG !a! b\n" * 200_000, "more than 50 lines begin with '%'"),
        ("a: b\n" * 500_000, "there are 200 problems up to here; the rest was not read"),
        ("x: [" + "*y," * 500_000, "there are 200 problems up to here"),
        ("x: [" + "!secret y," * 300_000, "there are 200 problems up to here"),
        ("x: [" + "!include y," * 300_000, "there are 200 problems up to here"),
        ("x: '" + "a " * 1_500_000, "the quote that opens here is never closed"),
        ("x: " + "&a " * 1_000_000, "does not fit the lines above"),
        ("x: " + "!" * 3_000_000, "unknown tag"),
        ("x: y" * 2_000_000, "is larger than 4 MiB; split it with !include"),
        (LAUGHS + "#" * 10_000_000, "is larger than 4 MiB"),
    ],
)
def test_a_hostile_file_costs_little_and_is_refused(write: Write, text: str, said: str) -> None:
    found = problems(write({"earnest.yaml": text}))
    assert said in found[-1]
    assert len(found) <= 201


def test_ten_megabytes_of_nested_anchors_cost_no_memory(write: Write) -> None:
    """The largest file that is read at all, full of anchors and aliases."""
    lines = ["a0: &a0 1"]
    size = 0
    while size < 4_000_000:
        number = len(lines)
        lines.append(f"a{number}: &a{number} {{x: *a{number - 1}, y: *a{number - 1}}}")
        size += len(lines[-1]) + 1
    file = write({"earnest.yaml": "\n".join(lines)})
    tracemalloc.start()
    try:
        assert "more than 300,000 values" in problems(file)[-1]
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def test_files_that_include_each_other_many_times_are_refused(write: Write) -> None:
    files: Files = {
        "earnest.yaml": "a: [" + "!include b.yaml," * 100 + "]",
        "b.yaml": "[" + "!include c.yaml," * 100 + "]",
        "c.yaml": "[" + "!include d.yaml," * 100 + "]",
        "d.yaml": "",
    }
    assert "more than 5,000 files are included" in problems(write(files))[-1]


def test_large_files_included_many_times_are_refused(write: Write) -> None:
    files: Files = {"earnest.yaml": "a: [" + "!include b.yaml," * 1000 + "]", "b.yaml": "#" * 4_000_000}
    assert "more than 32 MiB of files are included" in problems(write(files))[-1]


def test_a_long_chain_of_includes_ends(write: Write) -> None:
    chain = {f"f{number}.yaml": f"!include f{number + 1}.yaml\n" for number in range(60)}
    found = problems(write({"earnest.yaml": "a: !include f0.yaml\n", **chain}))
    assert "more than 30 files include each other" in found[-1]


def test_includes_add_to_the_depth(write: Write) -> None:
    deep = "[" * 60 + "!include b.yaml" + "]" * 60
    found = problems(write({"earnest.yaml": f"a: {deep}\n", "b.yaml": "[" * 60 + "]" * 60}))
    assert "nested more than 100 levels deep" in found[-1]


def test_ten_thousand_commands_are_no_problem(write: Write) -> None:
    command = (
        "  c{0}:\n    phrases: [do {0}, please do {0}]\n    call: light.turn_on\n    data: {{x: {0}, y: a}}\n"
    )
    text = "commands:\n" + "".join(command.format(number) for number in range(10_000))
    document = load(write({"earnest.yaml": text}), {})
    assert len(document.data["commands"]) == 10_000


def test_a_folder_of_folders_ends(write: Write, tmp_path: Path) -> None:
    file = write({"earnest.yaml": "a: !include_dir_list d\n"})
    for number in range(5_100):
        (file.parent / "d" / f"{number}").mkdir(parents=True)
    assert "holds more than 5,000 files or folders" in problems(file)[-1]
