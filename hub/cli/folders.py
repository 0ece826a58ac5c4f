"""Where the house is: its configuration, its data, and the socket of its hub."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hub.api.control import answers, place, signpost
from hub.lock import UNFINISHED
from hub.starter import MAIN


class Folders(NamedTuple):
    """The places of one house."""

    config: Path
    """Folder with the YAML."""
    data: Path
    """Folder for what must survive."""
    socket: Path | None
    """The control socket somebody asked for; None leaves it to the configuration."""
    chosen: bool
    """Whether somebody named this house; else a hub of the same user may be meant as well."""
    is_new: bool
    """Whether nobody named a configuration, and there is none yet at the usual place."""


def folders(options: argparse.Namespace, environ: Mapping[str, str] = os.environ) -> Folders:
    """Return the places from options, then environment, then the usual ones."""
    named_config = options.config or environ.get("EARNEST_CONFIG")
    named_data = options.data or environ.get("EARNEST_DATA")
    config = Path(named_config) if named_config else _found_config(environ, named_data)
    data = Path(named_data) if named_data else _usual_data(config, environ)
    config = config.expanduser().absolute()
    return Folders(
        config=config,
        data=data.expanduser().absolute(),
        socket=Path(options.socket).expanduser().absolute() if options.socket else None,
        chosen=bool(named_config or named_data),
        is_new=not named_config and not os.path.lexists(config),
    )


def running_socket(where: Folders, environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the socket of the hub that runs for these folders, or None."""
    if where.socket:
        return where.socket if answers(where.socket) else None
    candidates = [signpost(where.data)]
    if not where.chosen:
        candidates.append(place(where.data, environ))
    return next((path for path in candidates if answers(path)), None)


def _found_config(environ: Mapping[str, str], data: str | None) -> Path:
    """`./config` where it is one, or will be when a restore is undone, else `~/.config/earnest`."""
    here = Path("config")
    is_one = (here / MAIN).is_file() or (
        here.is_dir() and os.path.lexists(Path(data or ".earnest").expanduser() / UNFINISHED)
    )
    return here if is_one else usual_config(environ)


def usual_config(environ: Mapping[str, str] = os.environ) -> Path:
    """Return where a user's house is if nobody says otherwise."""
    return _home(environ, "XDG_CONFIG_HOME", ".config")


def _usual_data(config: Path, environ: Mapping[str, str]) -> Path:
    """`~/.local/share/earnest` for the usual configuration, else `.earnest` beside the folder."""
    if config == usual_config(environ):
        return _home(environ, "XDG_DATA_HOME", ".local/share")
    return config.absolute().parent / ".earnest"


def _home(environ: Mapping[str, str], variable: str, folder: str) -> Path:
    named = environ.get(variable)
    return (Path(named) if named else Path.home() / folder) / "earnest"
