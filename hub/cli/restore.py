"""`earnest restore FILE`: put a backup in the place of the house; what was there is kept aside."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from hub.cli import exits
from hub.cli.backup import counted
from hub.cli.folders import folders
from hub.cli.main import complain
from hub.printable import printable

if TYPE_CHECKING:
    from hub.backup.manifest import Manifest


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file, and whether to look only."""
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="what `earnest backup` wrote, or - for standard input"
    )
    parser.add_argument("--dry-run", action="store_true", help="check it and list what is in it, no more")


def run(options: argparse.Namespace) -> int:
    """Restore it; 2 when it is no sound backup or a hub runs, and nothing has changed."""
    if options.file is None:
        return _recover(options)
    with _opened(options.file) as archive:
        return _look(archive) if options.dry_run else _restore(options, archive)


def _restore(options: argparse.Namespace, archive: BinaryIO) -> int:
    from hub.backup.restore import restore

    where = folders(options)
    done = restore(archive, where.config, where.data)
    print(f"Restored {where.config} and {where.data}: {counted(done.manifest)}, {_made(done.manifest)}.")
    for folder in done.aside:
        print(f"What was there before lies in {folder}.")
    if not done.manifest.secrets:
        print("The backup is without secrets: secrets.yaml is as it was here, or yours to write.")
    if done.manifest.models:
        names = printable(", ".join(done.manifest.models))
        print(f"The house had these models; `earnest models get` fetches them: {names}")
    return exits.DONE


def _look(archive: BinaryIO) -> int:
    from hub.backup.unpack import examine

    manifest = examine(archive)
    for entry in manifest.files:
        print(f"{entry.size:12,}  {printable(entry.name)}")
    print(f"{counted(manifest)}, {_made(manifest)}; it is sound.")
    return exits.DONE


def _made(manifest: Manifest) -> str:
    return f"made by Earnest {printable(manifest.version)} at {manifest.created}"


def _recover(options: argparse.Namespace) -> int:
    """Put back the house that a restore which was broken off had begun to replace."""
    from hub.backup.restore import recovered

    where = folders(options)
    since = recovered(where.config, where.data)
    if since is None:
        complain("which file? `earnest backup` makes one")
        return exits.WRONG
    print("The restore that was broken off is undone: the house is as it was before.")
    for folder in since:
        print(f"What was written since lies in {folder}.")
    return exits.DONE


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    with open(name, "rb") as file:
        yield file
