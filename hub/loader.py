"""Finds integrations by name: those that are shipped, and the user's own beside the YAML."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from hub.config.record import keys_of
from hub.config.words import known, near, shown
from hub.errors import IntegrationError
from hub.integration import IntegrationContext, Provides

SHIPPED = Path(__file__).parent.parent / "integrations"
RESERVED = ("type", "limits")
"""Keys of an entry under `integrations:` that are the hub's, not the integration's."""

STAGES = ("wake", "vad", "asr", "intents", "agent", "tts")
"""What an integration may say in `SLOTS` that it fills."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
_OWN = "own_integrations"
_STAMP = "__earnest_stamp__"


class UnknownIntegration(IntegrationError):
    """There is no integration of this name."""

    code = "integration-unknown"


Setup = Callable[[Any, IntegrationContext], AbstractAsyncContextManager[Provides]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Integration:
    """A module that can be opened."""

    name: str
    options: type
    """The dataclass of its settings."""
    setup: Setup
    """Opens it; a library that is missing becomes an `IntegrationError` that names the extra."""
    docs: str
    """The first paragraph of its module's text."""
    path: Path
    """Its folder."""
    slots: frozenset[str] | None = None
    """The slots of a pipeline that its instances may fill (`SLOTS` of the module); None: it does not say."""


def names(config_dir: Path | None = None) -> tuple[str, ...]:
    """Return the names of all integrations there are, shipped ones and the user's own."""
    folders = [SHIPPED] + ([config_dir / "integrations"] if config_dir else [])
    found = {file.parent.name for folder in folders for file in folder.glob("*/__init__.py")}
    return tuple(sorted(name for name in found if _NAME.fullmatch(name)))


def load(type_name: str, config_dir: Path | None = None) -> Integration:
    """Return an integration by name; raises `IntegrationError`, which says what is wrong and where."""
    shipped, own = _folder(SHIPPED, type_name), None
    if config_dir:
        own = _folder(config_dir.absolute() / "integrations", type_name)
    if shipped and own:
        raise IntegrationError(f"'{type_name}' is a shipped integration; give your own in {own} another name")
    folder = own or shipped
    if folder is None:
        every = names(config_dir)
        hint = near(type_name, every) or f"; {known(every)}"
        raise UnknownIntegration(f"there is no integration {shown(type_name)}{hint}")
    try:
        module = _import_own(folder) if own else _import_shipped(type_name)
    except IntegrationError:
        raise
    except (Exception, SystemExit) as error:
        raise _import_failed(error, type_name, folder, bool(shipped)) from error
    return _checked(module, type_name, folder, bool(shipped))


def _folder(parent: Path, name: str) -> Path | None:
    is_there = bool(_NAME.fullmatch(name)) and os.path.isfile(parent / name / "__init__.py")
    return parent / name if is_there else None


def _import_shipped(name: str) -> ModuleType:
    """Import a shipped module; raises `IntegrationError` where another package hides all of them."""
    places = list(importlib.import_module("integrations").__path__)
    if os.path.realpath(SHIPPED) not in map(os.path.realpath, places):
        raise IntegrationError(
            f"another package called 'integrations' ({places[0]}) hides those of Earnest; "
            "give Earnest a virtual environment of its own"
        )
    return importlib.import_module(f"integrations.{name}")


def _import_own(folder: Path) -> ModuleType:
    """Import a user's module; again only when one of its files changed."""
    name = f"{_OWN}.{folder.name}"
    stamp = (str(folder), *sorted((str(f), f.stat().st_mtime_ns) for f in folder.rglob("*.py")))
    present = sys.modules.get(name)
    if present is not None and getattr(present, _STAMP, None) == stamp:
        return present
    _forget(name)
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} is not a Python package")
    importlib.invalidate_caches()
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        _forget(name)
        raise
    setattr(module, _STAMP, stamp)
    return module


def _forget(name: str) -> None:
    for one in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
        del sys.modules[one]


def _checked(module: ModuleType, name: str, folder: Path, shipped: bool) -> Integration:
    """Return the module as an integration if it is one."""
    where = folder / "__init__.py"
    setup, options = getattr(module, "setup", None), getattr(module, "Options", None)
    if not callable(setup):
        raise IntegrationError(f"{where}: it has no 'setup(options, context)'")
    if not isinstance(options, type) or not dataclasses.is_dataclass(options):
        raise IntegrationError(f"{where}: it has no dataclass 'Options'")
    wrong = _wrong_with(setup)
    if wrong:
        raise IntegrationError(f"{_line_of(setup, where)}: {wrong}")
    try:
        keys = keys_of(options)
    except (TypeError, NameError) as error:
        raise IntegrationError(f"{_line_of(options, where)}: {error}") from error
    taken = [key for key in RESERVED if key in keys]
    if taken:
        raise IntegrationError(f"{_line_of(options, where)}: the option '{taken[0]}' is the hub's own")
    slots = _slots(module, where)
    docs = inspect.cleandoc(module.__doc__ or "").split("\n\n")[0]
    opened = partial(_opened, setup, name if shipped else None)
    return Integration(name=name, options=options, setup=opened, docs=docs, path=folder, slots=slots)


def _slots(module: ModuleType, where: Path) -> frozenset[str] | None:
    said = getattr(module, "SLOTS", None)
    if said is None:
        return None
    unknown = [slot for slot in said if slot not in STAGES] if isinstance(said, tuple) else ["no tuple"]
    if unknown:
        raise IntegrationError(f"{where}: SLOTS names {shown(unknown[0])}; {known(STAGES)}")
    return frozenset(said)


def _wrong_with(setup: Any) -> str | None:
    """Return why `setup` cannot be a context manager of the right kind, or None."""
    advice = "'setup' must be an async context manager; write @asynccontextmanager above it"
    if inspect.isasyncgenfunction(setup) or inspect.isgeneratorfunction(setup):
        return advice
    inner = inspect.unwrap(setup)
    if inspect.iscoroutinefunction(setup) or (inner is not setup and inspect.isgeneratorfunction(inner)):
        return advice
    try:
        inspect.signature(setup).bind(None, None)
    except (TypeError, ValueError):
        return "'setup' must take two arguments, (options, context)"
    return None


def _line_of(part: Any, where: Path) -> str:
    try:
        return f"{where}:{inspect.getsourcelines(inspect.unwrap(part))[1]}"
    except (OSError, TypeError):
        return str(where)


@asynccontextmanager
async def _opened(
    setup: Setup, extra: str | None, options: Any, context: IntegrationContext
) -> AsyncIterator[Provides]:
    """Open an instance; a library that is missed only now says how to install it."""
    async with AsyncExitStack() as stack:
        manager: object = setup(options, context)
        if not isinstance(manager, AbstractAsyncContextManager):
            raise IntegrationError("'setup' returned no async context manager")
        try:
            provides = await stack.enter_async_context(manager)
        except ModuleNotFoundError as error:
            raise IntegrationError(_missing(error, extra)) from error
        if not isinstance(provides, Provides):
            raise IntegrationError(f"'setup' yielded {type(provides).__name__}, not Provides")
        yield provides


def _missing(error: ModuleNotFoundError, extra: str | None) -> str:
    name = (error.name or "").partition(".")[0]
    if extra:
        return f"the library '{name}' is not installed: pip install 'earnest[{extra}]'"
    return f"the Python package '{name}' is not installed"


def _import_failed(error: BaseException, name: str, folder: Path, shipped: bool) -> IntegrationError:
    """Return why a module cannot be imported: a missing library, or a mistake in a line of it."""
    top = (getattr(error, "name", None) or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and top not in ("", "hub", "integrations", _OWN):
        return IntegrationError(_missing(error, name if shipped else None))
    if isinstance(error, SyntaxError) and error.filename:
        return IntegrationError(f"{error.filename}:{error.lineno}: {type(error).__name__}: {error.msg}")
    frames = traceback.extract_tb(error.__traceback__)
    mine = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)]
    where = f"{mine[-1].filename}:{mine[-1].lineno}" if mine else str(folder / "__init__.py")
    return IntegrationError(f"{where}: {type(error).__name__}: {error}")
