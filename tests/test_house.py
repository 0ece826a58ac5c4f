"""The rules of the house, read from the syntax trees of its files."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import hub
from hub import events
from hub.events import Event, TurnEvent

ROOT = Path(__file__).parent.parent

LAYERS = (
    "audio errors values clock resample wav bounded printable",
    "events stages config",
    "bus states house lock starter private",
    "door integration domains phrases models",
    "registry instance health supervisor remote engines store loader backup",
    "intents",
    "pipeline",
    "rooms",
    "api",
    "config.root config.reference",
    "app",
    "cli __main__",
    "testing",
)
"""Parts of the hub from the bottom up: a part imports from its own layer and those below."""


def words(text: str) -> frozenset[str]:
    """Return the words of a table."""
    return frozenset(text.split())


HEAVY = words(
    "aiohttp aiosqlite astral cronsim hassil home_assistant_intents jinja2 numpy onnxruntime soxr"
    " sqlalchemy voluptuous voluptuous_openapi yaml"
)
"""What a start, a CLI verb or a worker pays for only when it uses it."""

LONGEST = 400
"""Lines; what grows past them is two nouns."""

VAGUE = re.compile(r"(Manager|Handler|Helper|Base|Impl|Utils?|Data|Info)$|^(Base|Abstract)[A-Z]")
OPEN_ENDS = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|NotImplemented" r"Error)\b")
MUTABLE_CALLS = words(
    "list dict set bytearray deque defaultdict Counter OrderedDict WeakSet WeakKeyDictionary"
    " WeakValueDictionary Lock RLock Event Condition Semaphore Queue count cycle"
)
MUTATING = words(
    "append extend insert add update setdefault pop popitem popleft remove discard clear sort reverse"
)


def sources(*folders: str) -> list[Path]:
    """Return the Python files of these folders."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def short(path: Path) -> str:
    """Return the file's name as people write it."""
    return path.relative_to(ROOT).as_posix()


def module_of(path: Path) -> str:
    """Return `hub.door.toolbox` for hub/door/toolbox.py."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and absolute module of every import in the file, wherever it stands."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            package = module_of(path).split(".")
            if path.name != "__init__.py":
                package = package[:-1]
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:
                deeper = ROOT.joinpath(*base.split("."), alias.name)
                is_module = deeper.is_dir() or deeper.with_suffix(".py").is_file()
                yield node.lineno, f"{base}.{alias.name}" if is_module else base


def layer(module: str) -> int | None:
    """Return the layer of a module of the hub, or None when it has no place yet."""
    name = module.removeprefix("hub.")
    while name:
        for height, parts in enumerate(LAYERS):
            if name in parts.split():
                return height
        name = name.rpartition(".")[0]
    return None


def python(code: str) -> str:
    """Run `code` in a fresh interpreter and return what it printed."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def imported_by(code: str) -> set[str]:
    """Return the modules in memory after `code` ran in a fresh interpreter."""
    return set(python(f"{code}\nimport sys\nprint(*sys.modules)").split())


HUB = [path for path in sources("hub") if module_of(path) != "hub"]
INTEGRATIONS = sorted(p.parent for p in (ROOT / "integrations").glob("*/__init__.py"))
WORKERS = sorted((ROOT / "integrations").glob("*/worker.py"))


def test_every_part_of_the_hub_has_a_layer() -> None:
    homeless = [short(p) for p in HUB if layer(module_of(p)) is None and p.read_text().strip()]
    homeless = [name for name in homeless if name != "hub/config/__init__.py"]
    assert not homeless, f"give them a place in LAYERS and in hub/README.md: {homeless}"


def test_imports_in_the_hub_go_downwards() -> None:
    upwards = []
    for path in HUB:
        mine = layer(module_of(path))
        for line, module in imports(path):
            theirs = layer(module) if module.startswith("hub.") else None
            if mine is not None and theirs is not None and theirs > mine:
                upwards.append(f"{short(path)}:{line} imports {module}")
    assert not upwards


def test_the_hub_does_not_import_its_own_face() -> None:
    """Except for its version: the face imports the hub, not the other way round."""
    through = []
    for path in HUB:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ImportFrom) and node.module == "hub" and node.level == 0:
                names = {a.name for a in node.names if a.name in hub.__all__}
                if names:
                    through.append(f"{short(path)}:{node.lineno} {sorted(names)}")
    assert not through


def test_only_the_loader_knows_integrations() -> None:
    knowing = [f"{short(p)}:{n} {m}" for p in HUB for n, m in imports(p) if m.split(".")[0] == "integrations"]
    assert not knowing
    by_name = []
    for path in HUB:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Constant) and re.match(r"integrations\.\w\S*$", str(node.value)):
                by_name.append(f"{short(path)}:{node.lineno} {node.value!r}")
    by_name = [place for place in by_name if not place.startswith("hub/loader.py")]
    assert not by_name


def test_integrations_import_only_the_face_and_never_each_other() -> None:
    wrong = []
    for path in sources("integrations"):
        own = ".".join(module_of(path).split(".")[:2])
        for line, module in imports(path):
            top = module.split(".")[0]
            if (top == "hub" and module != "hub") or (
                top == "integrations" and module != own and not module.startswith(f"{own}.")
            ):
                wrong.append(f"{short(path)}:{line} imports {module}")
    assert not wrong


def test_every_library_the_hub_asks_for_is_used() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    asked = {re.split(r"[\[<>=!~; ]", requirement)[0].lower().replace("-", "_") for requirement in declared}
    used = {name.split(".")[0] for path in HUB for _, name in imports(path)} | {"pyyaml", "tzdata"}
    assert not asked - used


def test_the_face_gives_every_name_it_lists() -> None:
    assert not [name for name in hub.__all__ if getattr(hub, name, None) is None]


def test_importing_the_face_costs_nothing() -> None:
    found = imported_by("import hub")
    assert not {name for name in found if name.startswith("hub.")}
    assert not found & (HEAVY | {"asyncio", "dataclasses", "logging"})


@pytest.mark.parametrize("name", hub.__all__)
def test_a_name_of_the_face_brings_no_heavy_library(name: str) -> None:
    # Options are made of voluptuous: whoever has some imports it. What a worker imports is looked at below.
    assert not imported_by(f"from hub import {name}") & (HEAVY - {"voluptuous"})


@pytest.mark.parametrize("worker", WORKERS, ids=lambda path: path.parent.name)
def test_a_worker_is_light(worker: Path) -> None:
    """Before it loads its engine a worker holds the wire and nothing else of the hub's libraries."""
    found = imported_by(f"import runpy; runpy.run_path({str(worker)!r}, run_name='worker')")
    assert not found & (HEAVY - {"numpy", "onnxruntime"})


@pytest.mark.parametrize("folder", INTEGRATIONS, ids=lambda path: path.name)
def test_an_integration_is_whole(folder: Path) -> None:
    """Options, setup, an extra of its name, and a README with an example that names it."""
    defined = {getattr(node, "name", None) for node in tree(folder / "__init__.py").body}
    assert {"Options", "setup"} <= defined
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert folder.name in extras
    blocks = re.findall(r"^```yaml\n(.*?)^```", (folder / "README.md").read_text(), re.M | re.S)
    assert any(f"type: {folder.name}" in block for block in blocks)


def test_every_extra_is_an_integration() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(extras) - {"local"} == {folder.name for folder in INTEGRATIONS}


def test_every_event_has_a_name_of_its_own_on_the_wire() -> None:
    kinds = [kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, Event)]
    kinds.remove(Event)
    kinds.remove(TurnEvent)
    names = [vars(kind)["wire_name"] for kind in kinds]
    assert len(names) == len(set(names)) > 10


def test_events_are_declared_in_one_place() -> None:
    elsewhere = []
    for path in sources("hub", "integrations"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef) and {ast.unparse(b) for b in node.bases} & {
                "Event",
                "TurnEvent",
            }:
                elsewhere.append(f"{short(path)}:{node.lineno} {node.name}")
    assert not [place for place in elsewhere if not place.startswith("hub/events.py")]


def test_names_say_what_a_thing_is() -> None:
    vague = []
    for path in sources("hub", "integrations", "tests", "benchmarks"):
        if re.search(r"(^|_)(utils?|helpers?|manager|base|impl|misc|common)$", path.stem):
            vague.append(short(path))
        for node in ast.walk(tree(path)):
            name = getattr(node, "name", "")
            if isinstance(node, ast.ClassDef) and VAGUE.search(name):
                vague.append(f"{short(path)}:{node.lineno} {name}")
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and name.startswith("async_"):
                vague.append(f"{short(path)}:{node.lineno} {name}")
    assert not vague


def test_no_file_is_two_nouns() -> None:
    every = sources("hub", "integrations", "tests", "benchmarks")
    long = {short(p): n for p in every if (n := len(p.read_text().splitlines())) > LONGEST}
    assert not long


def test_nothing_is_left_open() -> None:
    left = []
    for path in sources("hub", "integrations", "tests", "benchmarks"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if OPEN_ENDS.search(line):
                left.append(f"{short(path)}:{number} {line.strip()}")
    assert not left


def mutable(value: ast.expr | None) -> bool:
    """Whether an expression makes something that can change."""
    if isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return name in MUTABLE_CALLS
    return isinstance(value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp))


def changed(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of everything that is changed in place."""
    for node in ast.walk(module):
        is_item = isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)
        is_method = isinstance(node, ast.Attribute) and node.attr in MUTATING
        if isinstance(node, (ast.Subscript, ast.Attribute)) and (is_item or is_method):
            yield node.lineno, ast.unparse(node.value)


def test_nothing_at_module_level_can_change() -> None:
    """Tables that nobody writes to are constants; what can change belongs to somebody."""
    moving = []
    for path in sources("hub", "integrations"):
        tables: set[str] = set()
        for node in tree(path).body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and mutable(node.value):
                if not isinstance(node.value, ast.Call):
                    tables |= {target.id for target in targets if isinstance(target, ast.Name)}
                elif node.value.args == [] or not isinstance(node.value.func, ast.Name):
                    moving.append(f"{short(path)}:{node.lineno}")
        moving += [f"{short(path)}:{line} {name}" for line, name in changed(tree(path)) if name in tables]
        rebound = [node for node in ast.walk(tree(path)) if isinstance(node, ast.Global)]
        moving += [f"{short(path)}:{node.lineno} {node.names}" for node in rebound]
    assert not moving


def test_whoever_opens_a_detector_closes_it() -> None:
    left = []
    for path in sources("hub", "tests", "benchmarks"):
        calls = [node for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
        closed = {ast.unparse(call.args[0]) for call in calls if ast.unparse(call.func) == "closing"}
        opened = {ast.unparse(call): call.lineno for call in calls}
        for text, line in opened.items():
            if re.search(r"\b(vad|wake|detector)(\(.*\))?\.open\([^()]*\)$", text) and text not in closed:
                left.append(f"{short(path)}:{line} {text}")
    assert not left


def sleeps(part: ast.AST) -> list[ast.Call]:
    """Return the calls that let time pass."""
    calls = [node for node in ast.walk(part) if isinstance(node, ast.Call)]
    sleeping = [c for c in calls if ast.unparse(c.func) in {"time.sleep", "asyncio.sleep", "sleep"}]
    return [call for call in sleeping if [ast.unparse(argument) for argument in call.args] != ["0"]]


def is_virtual(node: ast.stmt) -> bool:
    """Whether a function, or by `pytestmark` a whole file, runs on a clock that jumps."""
    marks = [node.value] if isinstance(node, ast.Assign) else getattr(node, "decorator_list", [])
    return any("virtual_time" in ast.unparse(mark) for mark in marks)


def test_no_test_sleeps() -> None:
    sleeping, slow = [], set()
    for path in sources("tests"):
        if any(isinstance(node, ast.Assign) and is_virtual(node) for node in tree(path).body):
            continue
        for node in tree(path).body:
            if is_virtual(node) or not sleeps(node):
                continue
            if path.name.startswith("test_"):
                sleeping += [f"{short(path)}:{call.lineno}" for call in sleeps(node)]
            else:
                slow.add((module_of(path), getattr(node, "name", "")))
    for path in sources("tests"):  # what is slow in a file that tests share needs a virtual clock there
        shared = [node for node in ast.walk(tree(path)) if isinstance(node, ast.ImportFrom)]
        used = {(str(node.module), alias.name) for node in shared for alias in node.names} & slow
        if used and not re.search("virtual_time|VirtualLoop", path.read_text()):
            sleeping.append(f"{short(path)} uses {used}")
    assert not sleeping


def test_no_test_hides() -> None:
    """A test that is skipped proves nothing; what a machine lacks, scripts/test installs."""
    hidden = []
    for path in sources("tests"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Attribute) and re.fullmatch("skip|skipif|xfail", node.attr):
                hidden.append(f"{short(path)}:{node.lineno}")
    assert not hidden
