"""`earnest states [PATTERN]`: what is."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

from hub.cli import exits
from hub.cli.connect import connected
from hub.cli.listing import none_such, pattern_argument, picked, table
from hub.cli.turn import json_argument


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which entities."""
    pattern_argument(parser)
    json_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Show the states; 1 when there is no such entity."""
    with connected(options) as client:
        states = picked(client.get("/api/states"), options.pattern, "entity_id")
    if options.json:
        for state in states:
            print(json.dumps(state))
    else:
        table([(s["entity_id"], s["state"], worded(s["attributes"])) for s in states])
    return exits.DONE if states else none_such("entity", options.pattern)


def worded(attributes: Mapping[str, Any]) -> str:
    """Return attributes as one line."""
    return " ".join(f"{name}={_shown(value)}" for name, value in attributes.items())


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else str(value)
