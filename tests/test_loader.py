from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from hub.errors import IntegrationError
from hub.integration import IntegrationContext, Provides
from hub.loader import SHIPPED, UnknownIntegration, load, names

LOUDNESS = re.findall(
    r"```python\n(.*?)```",
    (Path(__file__).parent.parent / "docs" / "writing-an-integration.md").read_text(encoding="utf-8"),
    re.DOTALL,
)[0]
NO_CONTEXT = cast(IntegrationContext, None)

HEAD = """\
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from hub import Provides

@dataclass(frozen=True, kw_only=True)
class Options:
    size: int = 1

"""
SETUP = """\
@asynccontextmanager
async def setup(options, context):
    yield Provides()
"""


def own(folder: Path, code: str, name: str = "lamp", **files: str) -> Path:
    """Write an integration of one's own; returns the configuration folder."""
    path = folder / "integrations" / name
    path.mkdir(parents=True, exist_ok=True)
    (path / "__init__.py").write_text(code, encoding="utf-8")
    for file, content in files.items():
        (path / f"{file}.py").write_text(content, encoding="utf-8")
    return folder


def why_not(folder: Path, code: str, **files: str) -> str:
    """Return why an integration cannot be loaded, its folder left out."""
    with pytest.raises(IntegrationError) as raised:
        load("lamp", own(folder, code, **files))
    return str(raised.value).replace(f"{folder}/integrations/", "")


def test_a_package_that_hides_the_shipped_integrations_is_named(tmp_path: Path) -> None:
    (tmp_path / "integrations").mkdir()
    (tmp_path / "integrations" / "__init__.py").write_text("")
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(SHIPPED.parent)!r}]\n"
        "from hub.loader import load\nload('demo')"
    )
    failed = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60)
    assert f"another package called 'integrations' ({tmp_path}/integrations) hides" in failed.stderr


@pytest.mark.parametrize("name", names())
def test_every_shipped_integration_loads(name: str) -> None:
    found = load(name)
    assert found.name == name
    assert found.path == SHIPPED / name
    assert found.docs


def test_the_example_of_the_guide_loads_from_the_configuration_folder(tmp_path: Path) -> None:
    found = load("loudness", own(tmp_path, LOUDNESS, "loudness"))
    assert found.options(threshold=500).threshold == 500
    assert found.docs == "Voice activity by loudness alone."
    assert found.path == tmp_path / "integrations" / "loudness"


async def test_the_example_of_the_guide_opens(tmp_path: Path) -> None:
    found = load("loudness", own(tmp_path, LOUDNESS, "loudness"))
    async with found.setup(found.options(), NO_CONTEXT) as provides:
        assert provides.vad is not None
        with closing(provides.vad.open()) as stream:
            assert stream.process(b"\xff\x7f" * 256) == 1.0


def test_ones_own_module_may_have_parts(tmp_path: Path) -> None:
    code = f"from .wire import SIZE\n{HEAD.replace('= 1', '= SIZE')}{SETUP}"
    assert load("lamp", own(tmp_path, code, wire="SIZE = 7\n")).options().size == 7


def test_names_are_those_that_are_shipped_and_ones_own(tmp_path: Path) -> None:
    own(tmp_path, HEAD + SETUP)
    (tmp_path / "integrations" / "no_module").mkdir()
    assert set(names(tmp_path)) == {*names(), "lamp"}


def test_an_unknown_integration_has_a_near_match(tmp_path: Path) -> None:
    with pytest.raises(UnknownIntegration, match=r"^there is no integration 'dmo'; did you mean 'demo'\?$"):
        load("dmo")
    with pytest.raises(UnknownIntegration, match=r"^there is no integration 'lmp'; did you mean 'lamp'\?$"):
        load("lmp", own(tmp_path, HEAD + SETUP))


@pytest.mark.parametrize(
    "name", ["", "..", "../demo", "demo.furniture", "demo/..", "Demo", "os", "x" * 5000, "x\0"]
)
def test_only_integrations_can_be_named(name: str) -> None:
    with pytest.raises(UnknownIntegration):
        load(name)


def test_ones_own_cannot_hide_a_shipped_one(tmp_path: Path) -> None:
    with pytest.raises(IntegrationError, match="'demo' is a shipped integration; give your own in"):
        load("demo", own(tmp_path, HEAD + SETUP, "demo"))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (HEAD, "lamp/__init__.py: it has no 'setup(options, context)'"),
        (
            SETUP.replace("@asynccontextmanager", "from contextlib import asynccontextmanager as a\n@a"),
            "Options",
        ),
        (HEAD + "setup = 5\n", "lamp/__init__.py: it has no 'setup(options, context)'"),
        (HEAD.replace("@dataclass(frozen=True, kw_only=True)", "") + SETUP, "it has no dataclass 'Options'"),
        (HEAD + SETUP.replace("@asynccontextmanager\n", ""), "lamp/__init__.py:9: 'setup' must be an async"),
        (HEAD + SETUP.replace("@async", "@").replace("async def", "def"), "'setup' must be an async context"),
        (HEAD + SETUP.replace("@asynccontextmanager\n", "").replace("yield", "return"), "write @async"),
        (HEAD + SETUP.replace("options, context", "options"), "'setup' must take two arguments"),
        (HEAD.replace("size: int = 1", "limits: int = 1") + SETUP, "the option 'limits' is the hub's own"),
        (HEAD.replace("size: int", "size: memoryview") + SETUP, "Options.size: <class 'memoryview'> cannot"),
        (
            "from __future__ import annotations\n" + HEAD.replace("int", "Nowhere") + SETUP,
            "'Nowhere' is not def",
        ),
        (HEAD + "def setup(:\n", "lamp/__init__.py:9: SyntaxError: invalid syntax"),
        (HEAD + "x = 1 / 0\n", "lamp/__init__.py:9: ZeroDivisionError: division by zero"),
        (HEAD + "raise SystemExit('gone')\n", "lamp/__init__.py:9: SystemExit: gone"),
        (HEAD + "import nowhere_to_be_found\n", "the Python package 'nowhere_to_be_found' is not installed"),
        ("from hub import Nothing\n", "lamp/__init__.py:1: ImportError: cannot import name 'Nothing'"),
        ("from .missing import x\n", "lamp/__init__.py:1: ModuleNotFoundError: No module named"),
        ("\tx = 1\n", "lamp/__init__.py:1: IndentationError: unexpected indent"),
    ],
)
def test_a_broken_module_says_where(tmp_path: Path, code: str, said: str) -> None:
    assert said in why_not(tmp_path, code)


def test_a_mistake_in_a_part_of_a_module_is_found_there(tmp_path: Path) -> None:
    said = why_not(tmp_path, "from .wire import x\n", wire="\n\nx = [][1]\n")
    assert said == "lamp/wire.py:3: IndexError: list index out of range"


def test_bytes_that_are_no_python_are_refused(tmp_path: Path) -> None:
    own(tmp_path, "")
    (tmp_path / "integrations" / "lamp" / "__init__.py").write_bytes(b"\x00\xff")
    with pytest.raises(IntegrationError, match=r"lamp/__init__\.py"):
        load("lamp", tmp_path)


def test_a_module_that_is_changed_is_loaded_anew_and_else_kept(tmp_path: Path) -> None:
    first = load("lamp", own(tmp_path, HEAD + SETUP)).options
    assert load("lamp", tmp_path).options is first
    path = own(tmp_path, HEAD.replace("= 1", "= 22") + SETUP) / "integrations" / "lamp" / "__init__.py"
    os.utime(path, ns=(1, 1))
    second = load("lamp", tmp_path).options
    assert (first().size, second().size) == (1, 22)


def test_a_module_that_is_mended_loads(tmp_path: Path) -> None:
    why_not(tmp_path, "x = 1 / 0\n")
    assert load("lamp", own(tmp_path, HEAD + SETUP)).options().size == 1


def test_two_folders_may_have_integrations_of_one_name(tmp_path: Path) -> None:
    one = load("lamp", own(tmp_path / "a", HEAD + SETUP)).options
    two = load("lamp", own(tmp_path / "b", HEAD.replace("= 1", "= 2") + SETUP)).options
    assert (one().size, two().size) == (1, 2)


async def open_own(folder: Path, setup: str) -> Any:
    """Open an integration with this `setup`."""
    found = load("lamp", own(folder, HEAD + setup))
    async with found.setup(found.options(), NO_CONTEXT) as provides:
        return provides


async def test_a_library_that_is_missed_only_when_it_opens_is_named(tmp_path: Path) -> None:
    setup = SETUP.replace("yield", "import nowhere_to_be_found\n    yield")
    with pytest.raises(IntegrationError, match="the Python package 'nowhere_to_be_found' is not installed"):
        await open_own(tmp_path, setup)


@pytest.mark.parametrize(
    ("setup", "said"),
    [
        ("def setup(options, context):\n    return 5\n", "'setup' returned no async context manager"),
        (SETUP.replace("Provides()", "5"), "'setup' yielded int, not Provides"),
    ],
)
async def test_what_opens_as_something_else_says_so(tmp_path: Path, setup: str, said: str) -> None:
    with pytest.raises(IntegrationError, match=said):
        await open_own(tmp_path, setup)


async def test_an_instance_that_opens_also_closes(tmp_path: Path) -> None:
    setup = SETUP + "    context.append('closed')\n"
    found = load("lamp", own(tmp_path, HEAD + setup))
    seen: list[str] = []
    async with found.setup(found.options(), cast(Any, seen)) as provides:
        assert isinstance(provides, Provides)
        assert not seen
    assert seen == ["closed"]
