"""`earnest doctor`: test engines, ports and disk, and run one real turn."""

from __future__ import annotations

import argparse
import json
from typing import Any

from hub.cli import exits
from hub.cli.client import Client, Declined
from hub.cli.connect import connected
from hub.cli.folders import folders, running_socket
from hub.cli.main import complain
from hub.cli.turn import json_argument
from hub.printable import printable

_QUICK_SECONDS = 5.0
"""How long a hub may take to say that it runs."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how much, and `--json`."""
    parser.add_argument("--quick", action="store_true", help="only see whether a hub runs and answers")
    json_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Examine the hub, one line a check; 1 something is wrong, 3 an engine fails or no hub answers."""
    return _quick(options) if options.quick else _whole(options)


def _quick(options: argparse.Namespace) -> int:
    found = running_socket(folders(options))
    if found is None:
        complain("no hub runs")
        return exits.ENGINE
    hub = Client(found, _QUICK_SECONDS).get("/api/")
    check = {"check": "hub", "ok": True, "message": f"{hub['name']} answers at {found}"}
    print(json.dumps(check) if options.json else told(check))
    return exits.DONE


def _whole(options: argparse.Namespace) -> int:
    failed: list[dict[str, Any]] = []
    with connected(options) as client:
        for check in client.lines("/api/doctor"):
            if "check" not in check:
                raise Declined(check)
            print(json.dumps(check) if options.json else told(check), flush=True)
            if not check["ok"]:
                failed.append(check)
    if any(check["engine"] for check in failed):
        return exits.ENGINE
    return exits.NOT_UNDERSTOOD if failed else exits.DONE


def told(check: dict[str, Any]) -> str:
    """Return a check as one line, and below it what to do."""
    line = f"{'ok' if check['ok'] else 'failed':7} {check['check']:24} {printable(check['message'])}"
    return f"{line}\n{'':7} → {check['advice']}" if check.get("advice") and not check["ok"] else line
