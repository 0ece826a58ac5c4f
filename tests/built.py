"""Building the packages as an installer does, in a copy of the checkout and without a network."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def source(folder: Path) -> Path:
    """Copy what a build needs; the links to the starter house stay links."""
    for name in ("hub", "integrations", "config", "blueprints", "docs", "requirements", "scripts"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=ignored)
    for pattern in ("pyproject.toml", "MANIFEST.in", "Dockerfile", "*.md", "LICENSE", "NOTICE"):
        for file in ROOT.glob(pattern):
            shutil.copy(file, folder)
    return folder


def built(kind: str, folder: Path, out: Path) -> Path:
    """Build `sdist` or `wheel` of a source folder."""
    code = f"import sys; from setuptools.build_meta import build_{kind} as build; print(build(sys.argv[1]))"
    command = [sys.executable, "-c", code, str(out)]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=100)
    return out / done.stdout.splitlines()[-1]


def wheel_by_way_of_the_source(folder: Path) -> Path:
    """Build the source distribution and from it the wheel, as the usual front ends do."""
    (folder / "source").mkdir()
    with tarfile.open(built("sdist", source(folder / "source"), folder)) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    return built("wheel", next((folder / "unpacked").iterdir()), folder)
