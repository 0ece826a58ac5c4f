"""`earnest call TOOL`: call a tool."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from hub.cli import exits
from hub.cli.client import Declined
from hub.cli.connect import connected
from hub.cli.turn import json_argument


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the tool, its targets and its arguments."""
    parser.add_argument("tool", metavar="TOOL", help="for instance light.turn_on; `earnest tools` lists them")
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="THING",
        help="id or name of a thing, or all",
    )
    parser.add_argument("--area", action="append", default=[], help="all things of a room")
    parser.add_argument("--floor", action="append", default=[], help="all things of a floor")
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        type=_pair,
        metavar="K=V",
        dest="pairs",
        help="an argument",
    )
    json_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Call it; 0 done, 1 refused or failed, 2 no such tool or argument."""
    wish = {
        "data": dict(options.pairs),
        "entities": [name for name in options.target if name != "all"],
        "everything": "all" in options.target,
        "areas": options.area,
        "floors": options.floor,
    }
    with connected(options) as client:
        try:
            outcome = client.post(f"/api/tools/{quote(options.tool, safe='')}", wish)
        except Declined as error:
            if not options.json:
                raise
            print(json.dumps(error.answer))
            return exits.of_code(error.answer_code)
    print(json.dumps(outcome) if options.json else _told(outcome))
    return exits.DONE if outcome["ok"] else exits.NOT_UNDERSTOOD


def _pair(text: str) -> tuple[str, Any]:
    """Return `k=v` as key and value: JSON where it is some, else text."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not KEY=VALUE; a data folder stands before the verb: earnest --data DIR call …"
        )
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _told(outcome: Mapping[str, Any]) -> str:
    if "pending" in outcome:
        return f"waits for a yes: {outcome['message']}"
    failed = outcome["failed"]
    done = [name for name in outcome["targets"] if name not in failed]
    lines = [f"done    {name}" for name in done]
    lines += [f"failed  {name}: {why}".replace(" : ", " ") for name, why in failed.items()]
    if outcome.get("result"):
        lines.append(json.dumps(outcome["result"], indent=2, ensure_ascii=False))
    return "\n".join(lines) or "done"
