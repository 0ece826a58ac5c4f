"""`earnest check`: read the configuration and say everything that is wrong with it."""

from __future__ import annotations

import argparse
import json

from hub.cli import exits
from hub.cli.folders import folders
from hub.cli.turn import json_argument
from hub.errors import Problem
from hub.lock import whole


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `--json`."""
    json_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Check it without starting anything; 2 and one problem a line if it cannot be used."""
    from hub.config.root import check

    where = folders(options)
    whole(where.data)
    problems = check(where.config)
    for problem in problems:
        print(json.dumps(_shape(problem)) if options.json else problem)
    if problems:
        return exits.WRONG
    print(json.dumps({"ok": True}) if options.json else f"{where.config}: the configuration is good")
    return exits.DONE


def _shape(problem: Problem) -> dict[str, object]:
    return {name: getattr(problem, name) for name in ("file", "line", "column", "path", "message")}
