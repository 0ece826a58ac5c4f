"""`earnest reload`: let the hub read its configuration anew."""

from __future__ import annotations

import argparse

from hub.cli import exits
from hub.cli.client import Client
from hub.cli.folders import folders, running_socket
from hub.cli.main import complain


def arguments(parser: argparse.ArgumentParser) -> None:
    """It takes none."""


def run(options: argparse.Namespace) -> int:
    """Reload; 0 read anew, 2 the configuration is wrong and nothing changed."""
    found = running_socket(folders(options))
    if found is None:
        complain("no hub runs that could reload")
        return exits.ENGINE
    print(Client(found).post("/api/reload")["message"])
    return exits.DONE
