"""What the docs say is tried: every YAML block is loaded, every example runs, every table is current."""

from __future__ import annotations

import argparse
import importlib.util
import pkgutil
import re
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest

import hub.api
from hub.app import running
from hub.cli.verbs import VERBS
from hub.config.root import load_root

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/*.md", "hub/*.md", "config/*.md", "blueprints/*.md", "integrations/*/*.md")
    for page in ROOT.glob(pattern)
)


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of a page that are in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def named(page: Path) -> str:
    """Return the page's name as people write it."""
    return page.relative_to(ROOT).as_posix()


HOUSES = [
    pytest.param(block, id=f"{named(page)}-{number}")
    for page in PAGES
    for number, block in enumerate(blocks(page, "yaml"), 1)
]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return a configuration folder that has the integration of the docs."""
    own = tmp_path / "integrations" / "loudness"
    own.mkdir(parents=True)
    example = blocks(ROOT / "docs" / "writing-an-integration.md", "python")[0]
    (own / "__init__.py").write_text(example, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("block", HOUSES)
def test_a_house_in_the_docs_is_accepted(block: str, config: Path) -> None:
    (config / "earnest.yaml").write_text(block, encoding="utf-8")
    load_root(config)


async def test_the_integration_of_the_docs_works(config: Path, tmp_path: Path) -> None:
    house = "integrations:\n  ears: {type: loudness, threshold: 500}\n"
    (config / "earnest.yaml").write_text(house, encoding="utf-8")
    async with running(config, data_dir=tmp_path / "data") as hub:
        with closing(hub.registry.vad("ears").open()) as stream:
            samples = stream.frame_samples
            assert stream.process(bytes(2 * samples)) == 0
            assert stream.process(b"\xe8\x03" * samples) == 1
            assert stream.process(b"\xfa\x00" * samples) == pytest.approx(0.5)


def test_a_misspelt_option_of_the_docs_is_explained(config: Path) -> None:
    (config / "earnest.yaml").write_text("integrations:\n  ears: {type: loudness, thresold: 500}\n")
    with pytest.raises(Exception, match=r"earnest.yaml:2:\d+: .*thresold: .*did you mean 'threshold'"):
        load_root(config)


def generator() -> ModuleType:
    """Return docs/generate.py as a module."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", sorted(generator().PAGES))
def test_generated_pages_are_current(name: str) -> None:
    """After a change: `python docs/generate.py`."""
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == generator().PAGES[name]()


def test_every_verb_and_option_is_in_the_docs() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    missing = []
    for verb in VERBS:
        parser = argparse.ArgumentParser(add_help=False)
        importlib.import_module(f"hub.cli.{verb}").arguments(parser)
        options = [option for action in parser._actions for option in action.option_strings]
        missing += [f"{verb} {option}" for option in options if f"{option}" not in page]
        if not re.search(rf"^## .*\b{verb}\b", page, re.M):
            missing.append(verb)
    assert not missing


def test_every_route_is_in_the_docs() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    parts = [
        importlib.import_module(f"hub.api.{name}") for _, name, _ in pkgutil.iter_modules(hub.api.__path__)
    ]
    routes = {(route.method, route.path) for part in parts for route in getattr(part, "ROUTES", ())}
    routes.remove(("GET", "/api"))  # with and without its slash
    assert not [f"{method} {path}" for method, path in sorted(routes) if f"`{method} {path}`" not in page]


def test_commands_in_the_docs_are_verbs() -> None:
    wrong = []
    for page in PAGES:
        for line in "\n".join(blocks(page, "sh")).splitlines():
            said = re.match(r"(?:\.venv/bin/|docker exec \S+ )?earnest (\S+)", line)
            if said and said[1] not in VERBS:
                wrong.append(f"{named(page)}: {line}")
    assert not wrong


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text)]
    lost = [link for link in links if link and "://" not in link and not (page.parent / link).exists()]
    assert not lost
