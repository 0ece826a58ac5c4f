"""`earnest init [DIR]`: lay out the starter house, to run and to change."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from hub.cli import exits
from hub.cli.folders import Folders, usual_config
from hub.errors import EarnestError
from hub.lock import whole
from hub.starter import MAIN, is_empty, lay_out


class NoHouse(EarnestError):
    """The folder that was named holds no configuration."""

    code = "house-missing"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where."""
    parser.add_argument(
        "folder",
        metavar="DIR",
        nargs="?",
        help="an empty folder, or a new one (~/.config/earnest)",
    )


def run(options: argparse.Namespace) -> int:
    """Copy it; 2 when the folder holds something already, and nothing is changed."""
    if options.folder == "":
        raise NoHouse("the folder that was named has no name; nothing was laid out")
    named = options.folder or options.config or os.environ.get("EARNEST_CONFIG")
    folder = (Path(named).expanduser() if named else usual_config()).absolute()
    lay_out(folder)
    where = "" if folder == usual_config() else f" --config {folder}"
    print(f"The starter house is in {folder}; `earnest run{where}` runs it.")
    return exits.DONE


def furnished(where: Folders, may_lay_out: bool = False) -> Folders:
    """Return the places of a house that is there; raises `NoHouse`, and `HouseHalfRestored`.

    The usual place becomes the starter house if nobody named another and nothing is there; so does a named
    one that is empty, if somebody said that it may.
    """
    whole(where.data)
    if where.is_new or (may_lay_out and is_empty(where.config)):
        lay_out(where.config)
        told = f"earnest: the starter house is in {where.config} now; change it there"
        print(told, file=sys.stderr, flush=True)
    return there(where)


def there(where: Folders) -> Folders:
    """Return the places of a house that is there; raises `NoHouse`, and `HouseHalfRestored`."""
    whole(where.data)
    if not os.path.lexists(where.config / MAIN):
        raise NoHouse(f"there is no {MAIN} in {where.config}; `earnest init` lays out a starter house")
    return where
