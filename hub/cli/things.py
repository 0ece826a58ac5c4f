"""`earnest things [PATTERN]`: the things of the house."""

from __future__ import annotations

import argparse
import json

from hub.cli import exits
from hub.cli.connect import connected
from hub.cli.listing import none_such, pattern_argument, picked, table
from hub.cli.turn import json_argument


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which things."""
    pattern_argument(parser)
    json_argument(parser)


def run(options: argparse.Namespace) -> int:
    """List the things; 1 when there is none such."""
    with connected(options) as client:
        things = picked(client.get("/api/things"), options.pattern, "id", "name", "area_name")
    if options.json:
        for thing in things:
            print(json.dumps(thing))
    else:
        table([(t["id"], t["state"], t["name"], t["area_name"], t["integration"]) for t in things])
    return exits.DONE if things else none_such("thing", options.pattern)
