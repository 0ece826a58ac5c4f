"""Installed memory is the machine's, or the container's when that is less."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub.models.auto import fitting
from hub.models.memory import installed

GIB = 1024**3
TABLE = {0: "tiny", 4: "base", 8: "small", 16: "medium"}


def machine(root: Path, files: dict[str, str]) -> Path:
    files = {"proc/meminfo": "MemFree: 1024 kB\nMemTotal:       8388608 kB\nMemAvailable: 1 kB\n", **files}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_it_is_what_is_installed_not_what_is_free(tmp_path: Path) -> None:
    assert installed(machine(tmp_path, {})) == 8


@pytest.mark.parametrize(
    ("files", "gigabytes"),
    [
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": f"{4 * GIB}\n"}, 4),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, 8),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": f"{GIB}\n"}, 1),
        ({"proc/self/cgroup": "0::/gone\n"}, 8),
        (
            {
                "proc/self/cgroup": "5:cpu,memory:/d/x\n1:name=systemd:/d/x\n",
                "sys/fs/cgroup/memory/d/x/memory.limit_in_bytes": f"{2 * GIB}\n",
            },
            2,
        ),
        (
            {
                "proc/self/cgroup": "5:memory:/d\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            },
            8,
        ),
        ({"proc/self/cgroup": "rubbish\n\n0::/../../etc\n", "sys/fs/cgroup/memory.max": "\xff\n"}, 8),
    ],
)
def test_a_containers_limit_counts_where_it_is_less(
    tmp_path: Path, files: dict[str, str], gigabytes: float
) -> None:
    assert installed(machine(tmp_path, files)) == gigabytes


def test_a_machine_without_proc_still_has_memory(tmp_path: Path) -> None:
    assert installed(tmp_path) > 0.1


@pytest.mark.parametrize(
    ("memory", "fit"),
    [
        (0.5, ("tiny",)),
        (3.5, ("tiny",)),
        (3.79, ("base", "tiny")),  # a Raspberry Pi with 4 GB
        (7.7, ("small", "base", "tiny")),
        (15.3, ("medium", "small", "base", "tiny")),
        (500, ("medium", "small", "base", "tiny")),
    ],
)
def test_the_table_is_read_from_the_largest_that_fits(memory: float, fit: tuple[str, ...]) -> None:
    assert fitting(TABLE, memory) == fit


def test_the_smallest_fits_always_and_an_empty_table_never() -> None:
    assert fitting({4: "base", 8: "small"}, 1) == ("base",)
    assert fitting({}, 8) == ()
