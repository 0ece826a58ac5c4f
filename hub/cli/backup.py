"""`earnest backup FILE`: pack the whole house into one file, while its hub runs."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hub.cli import exits
from hub.cli.folders import folders
from hub.cli.init import there
from hub.cli.main import complain

if TYPE_CHECKING:
    from hub.backup.manifest import Manifest


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file, and whether secrets go into it."""
    parser.add_argument("file", metavar="FILE", help="a new file like house.tar.gz, or - for standard output")
    parser.add_argument("--no-secrets", action="store_true", help="leave every secrets.yaml out")


def run(options: argparse.Namespace) -> int:
    """Pack it; 2 when something cannot be read, or the file is there already."""
    from hub.backup.pack import pack, pack_to
    from hub.backup.survey import surveyed

    where = there(folders(options))
    house = surveyed(where.config, where.data, not options.no_secrets)
    if options.file == "-":
        manifest = pack(house, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        manifest = pack_to(_absolute(options.file), house)
    complain(f"packed {where.config} and {where.data}: {counted(manifest)}")
    _explain(manifest)
    return exits.DONE


def _absolute(file: str) -> Path:
    from hub.backup.manifest import BackupError

    try:
        return Path(os.path.abspath(file))
    except FileNotFoundError:
        raise BackupError(f"the folder you are in is gone; name {file} with its whole path") from None


def counted(manifest: Manifest) -> str:
    """Return how much is in a backup, in words."""
    return f"{len(manifest.files)} files, {manifest.size:,} bytes"


def _explain(manifest: Manifest) -> None:
    """Say what is in it that is secret, and what is not in it."""
    if any(entry.name.endswith("/secrets.yaml") for entry in manifest.files):
        complain("secrets.yaml is in it, so keep it where only you can read it; --no-secrets leaves it out")
    if manifest.models:
        complain(f"models are not in it, they can be downloaded again: {', '.join(manifest.models)}")
    for one in manifest.left_out:
        complain(f"not in it: {one}")
